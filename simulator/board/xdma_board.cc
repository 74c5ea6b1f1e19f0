// SPDX-License-Identifier: BSD-3-Clause
// Requests of a card's host as bytes on its lanes; see xdma_board.h.
#include "simulator/board/xdma_board.h"

#include <fmt/format.h>

#include <stdexcept>

#include "hostlib/simulated_xdma_card.h"

namespace firesim {
namespace {

using hostlib::kMostXdmaBlades;
using hostlib::PciAccess;

constexpr int kResetCycles = 20, kSettleCycles = 40;
constexpr int kAddressBytes = 4, kValueBytes = 8;

}  // namespace

XdmaBoard::XdmaBoard(const std::filesystem::path &library, const std::string &design_hash,
                     std::optional<uint64_t> hostile_seed)
    : random_(hostile_seed.value_or(0)),
      is_hostile_(hostile_seed.has_value()),
      model_(library, design_hash, hostile_seed) {
  power_up();
}

void XdmaBoard::power_up() {
  constexpr const char *kOf = "a board behind XDMA";
  model_.power_up();
  reset_n_ = model_.pin("reset_n", 1, kOf);
  lanes_in_ = model_.pin("lanes_in", 8, kOf);
  lanes_out_ = model_.pin("lanes_out", 8, kOf);
  hot_reset();
  // A link may be lost any number of times before somebody uses it.
  for (uint64_t resets = upto(2); resets != 0; --resets) {
    model_.run(upto(300));
    hot_reset();
  }
  if (!is_hostile_) return;
  const uint64_t rate = 32 + upto(128);  // of 256 cycles
  ask(kStall, 0, rate << 32 | upto(UINT32_MAX - 1), "the start");
}

void XdmaBoard::hot_reset() {
  lanes_in_.set(0);
  reset_n_.set(0);
  model_.run(kResetCycles + upto(40));
  reset_n_.set(1);
  model_.run(kSettleCycles);
}

XdmaBoard::Answer XdmaBoard::ask(Kind kind, uint32_t address, uint64_t value, const char *what) {
  const auto put = [&](uint64_t byte) {
    lanes_in_.set(byte & 0xff);
    model_.cycle();
  };
  model_.run(upto(8));
  put(kind);
  for (int i = 0; i < kAddressBytes; ++i) put(address >> 8 * i);
  for (int i = 0; i < kValueBytes; ++i) put(value >> 8 * i);
  lanes_in_.set(0);
  for (uint64_t waited = 0; lanes_out_.get() == 0; ++waited) {
    if (waited == kPatienceCycles) {
      throw std::runtime_error(
          fmt::format("the driver gives up: {} took longer than {} cycles", what, kPatienceCycles));
    }
    model_.cycle();
  }
  Answer answer{static_cast<uint8_t>(lanes_out_.get()), 0};
  for (int i = 0; i < kValueBytes; ++i) {
    model_.cycle();
    answer.value |= lanes_out_.get() << 8 * i;
  }
  model_.cycle();
  return answer;
}

uint32_t XdmaBoard::of_register(const Answer &answer, const char *what) {
  if (const uint64_t response = answer.value >> 32; response != 0) {
    throw std::runtime_error(
        fmt::format("found the answer {} to {}, expected 0: the access was wrong", response, what));
  }
  return static_cast<uint32_t>(answer.value);
}

// What a read of the driver's brings: words up to the end of a packet, behind their number.
std::vector<uint64_t> XdmaBoard::packet(uint32_t slot, uint32_t most) {
  std::vector<uint64_t> words(1 + size_t{most}, 0);
  for (bool is_last = false; words[0] != most && !is_last;) {
    const Answer answer = ask(kUp, slot, 0, "a word up");
    is_last = answer.kind == kUpLast;
    words[++words[0]] = answer.value;
  }
  return words;
}

std::vector<uint64_t> XdmaBoard::access(const hostlib::PciRequest &request) {
  const auto is = [&](PciAccess access, uint32_t place, uint32_t least) {
    return request.access == access && request.bar == place && request.count >= least &&
           request.count <= (least == 1 ? 1 : hostlib::kMostPciWords);
  };
  const uint32_t at = request.address % hostlib::kXdmaRegisterBytes;
  const bool fits = at % 4 == 0 && request.address / hostlib::kXdmaRegisterBytes < kMostXdmaBlades;
  if (fits && is(PciAccess::kLoad, hostlib::kXdmaRegisters, 1)) {
    constexpr const char *kWhat = "a load from a register";
    if (at == hostlib::kXdmaWordsUp)
      model_.run(is_hostile_ ? upto(2 * kFlightCycles) : kFlightCycles);
    return {of_register(ask(kRead, request.address, 0, kWhat), kWhat)};
  }
  if (fits && is(PciAccess::kStore, hostlib::kXdmaRegisters, 1)) {
    constexpr const char *kWhat = "a store into a register";
    of_register(ask(kWrite, request.address, request.value, kWhat), kWhat);
    return {};
  }
  const bool is_slot = request.address < kMostXdmaBlades;
  if (is_slot && is(PciAccess::kStoreWord, hostlib::kXdmaDown, 1)) {
    ask(kDown, request.address, request.value, "a word down");
    return {};
  }
  if (is_slot && is(PciAccess::kLoadWords, hostlib::kXdmaUp, 2)) {
    return packet(request.address, request.count - 1);
  }
  throw std::runtime_error(
      fmt::format("found an access {} to place {} at {:#x}, {} times, expected 4 bytes of a "
                  "register, a word down, or up to {} words up",
                  static_cast<uint32_t>(request.access), request.bar, request.address,
                  request.count, hostlib::kMostPciWords - 1));
}

}  // namespace firesim
