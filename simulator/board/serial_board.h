// SPDX-License-Identifier: BSD-3-Clause
// A board's whole top, simulated, with its serial line at bytes: what a USB bridge is to a board.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "bridges/model_library.h"

namespace firesim {

class SerialBoard {
 public:
  // `bit_cycles` are the host cycles of a bit. With a seed the bridge's clock is not the board's:
  // its bits are up to 1.5 % longer or shorter, and bytes come with gaps. Throws DescriptionError
  // when the library is not the model of a board.
  SerialBoard(const std::filesystem::path &library, const std::string &design_hash,
              uint32_t bit_cycles, std::optional<uint64_t> hostile_seed);

  // The board as it is after its bitstream was loaded, a break on its line, and some quiet.
  void power_up();
  // A break on the line of a board that is in use, and some quiet.
  void send_break();
  // Runs host cycles. Puts what the board has sent at the end of `heard`.
  void run(uint64_t host_cycles, std::vector<uint8_t> &heard);
  void send(uint8_t byte);
  size_t unsent() const { return bits_.size(); }

 private:
  void listen(bool level, std::vector<uint8_t> &heard);

  const std::filesystem::path library_;
  const std::string design_hash_;
  std::mt19937_64 random_;
  const bool is_hostile_;
  const uint64_t bit_parts_;  // a bit of the bridge's, in parts of a host cycle
  std::optional<bridges::ModelInstance> model_;
  uint8_t *to_board_ = nullptr;
  const uint8_t *from_board_ = nullptr;
  std::deque<bool> bits_;     // to the board, the one on the line first
  uint64_t sent_of_bit_ = 0;  // parts
  // Of the byte that comes from the board.
  bool under_way_ = false;
  uint64_t wait_ = 0;  // parts until its next bit is looked at
  uint32_t count_ = 0;
  uint32_t byte_ = 0;
};

}  // namespace firesim
