// SPDX-License-Identifier: BSD-3-Clause
// A board's whole top, simulated, with its Ethernet at datagrams: what a cable and a host are to
// it.
//
// Time passes with datagrams alone, so that what the target does is most of what is simulated.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "simulator/board/board_model.h"
#include "simulator/board/ethernet_frames.h"

namespace firesim {

class EthernetBoard {
 public:
  // With a seed frames come with gaps, and the host's clock has nothing to do with Ethernet's.
  // Throws DescriptionError when the library is not the model of a board with such pins.
  EthernetBoard(const std::filesystem::path &library, const std::string &design_hash,
                uint32_t address, std::optional<uint64_t> hostile_seed);

  uint32_t address() const { return address_; }
  // The board as it is after its bitstream was loaded.
  void power_up();
  // Its button: what the bitstream began with does not come back.
  void press_reset();
  // The oscillator of its host's clock loses its lock for a moment, and the board resets itself.
  void lose_lock();
  // Sends a datagram to the board and runs until an answer has come, or the board had time for one;
  // returns those that came. Throws std::runtime_error when what it sends is no frame.
  std::vector<Packet> pass(const Packet &packet);

 private:
  void pulse(Pin &pin, uint64_t during, uint64_t after);
  void send(const Bytes &frame);
  void cycle();
  void take_frame();

  static constexpr uint64_t kFlightCycles = 1000;      // of a datagram and its answer: 20 us
  static constexpr uint64_t kPatienceCycles = 20'000;  // for an answer

  std::mt19937_64 random_;
  const bool is_hostile_;
  BoardModel model_;
  const uint32_t address_;
  Pin reset_n_, unlocks_, rx_valid_, rx_data_, tx_valid_, tx_data_;
  Bytes coming_;               // of a frame from the board
  std::vector<Packet> came_;   // not returned yet
  std::vector<Bytes> unsent_;  // frames that answer the board's own questions
};

}  // namespace firesim
