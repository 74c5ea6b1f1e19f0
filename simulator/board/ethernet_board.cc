// SPDX-License-Identifier: BSD-3-Clause
// Frames byte by byte, as the board's PHY has them; see ethernet_board.h.
#include "simulator/board/ethernet_board.h"

#include <utility>

namespace firesim {
namespace {

constexpr int kResetCycles = 20, kSettleCycles = 1000, kGapCycles = 12;
constexpr uint64_t kMostLaterCycles = 300;                   // that a hostile cable adds to a gap
constexpr Mac kHostMac{0x02, 0x46, 0x53, 0xff, 0xff, 0x01};  // of whoever is at the other end

}  // namespace

EthernetBoard::EthernetBoard(const std::filesystem::path &library, const std::string &design_hash,
                             uint32_t address, std::optional<uint64_t> hostile_seed)
    : random_(hostile_seed.value_or(0)),
      is_hostile_(hostile_seed.has_value()),
      model_(library, design_hash, hostile_seed),
      address_(address) {
  power_up();
}

void EthernetBoard::power_up() {
  constexpr const char *kOf = "a board on Ethernet";
  model_.power_up();
  reset_n_ = model_.pin("reset_n", 1, kOf);
  unlocks_ = model_.pin("unlocks", 1, kOf);
  rx_valid_ = model_.pin("rx_valid", 1, kOf);
  rx_data_ = model_.pin("rx_data", 8, kOf);
  tx_valid_ = model_.pin("tx_valid", 1, kOf);
  tx_data_ = model_.pin("tx_data", 8, kOf);
  press_reset();
}

void EthernetBoard::press_reset() { pulse(reset_n_, 0, 1); }

void EthernetBoard::lose_lock() { pulse(unlocks_, 1, 0); }

void EthernetBoard::pulse(Pin &pin, uint64_t during, uint64_t after) {
  pin.set(during);
  model_.run(kResetCycles);
  pin.set(after);
  model_.run(kSettleCycles);
  coming_.clear();
  came_.clear();
  unsent_.clear();
}

void EthernetBoard::cycle() {
  model_.cycle();
  if (tx_valid_.get() != 0) {
    coming_.push_back(static_cast<uint8_t>(tx_data_.get()));
  } else if (!coming_.empty()) {
    take_frame();
  }
}

void EthernetBoard::take_frame() {
  const Bytes frame = std::exchange(coming_, {}), content = frame_content(frame);
  if (const auto asked = arp_request(content)) {
    unsent_.push_back(arp_answer(kHostMac, asked->wanted, asked->mac, asked->asker));
  } else if (auto packet = udp_packet(content)) {
    came_.push_back(std::move(*packet));
  }
}

void EthernetBoard::send(const Bytes &frame) {
  rx_valid_.set(1);
  for (const uint8_t byte : frame) {
    rx_data_.set(byte);
    cycle();
  }
  rx_valid_.set(0);
  const uint64_t gap = kGapCycles + (is_hostile_ ? random_() % kMostLaterCycles : 0);
  for (uint64_t i = 0; i < gap; ++i) cycle();
}

std::vector<Packet> EthernetBoard::pass(const Packet &packet) {
  const Mac board{0x02,
                  0x46,
                  0x53,
                  static_cast<uint8_t>(address_ >> 16),
                  static_cast<uint8_t>(address_ >> 8),
                  static_cast<uint8_t>(address_)};
  send(udp_frame(kHostMac, board, packet));
  for (uint64_t left = kPatienceCycles; left != 0 && came_.empty(); --left) {
    if (unsent_.empty()) {
      cycle();
    } else {
      const auto answers = std::exchange(unsent_, {});
      for (const Bytes &answer : answers) send(answer);
    }
  }
  for (uint64_t left = kFlightCycles; left != 0; --left) cycle();
  return std::exchange(came_, {});
}

}  // namespace firesim
