// SPDX-License-Identifier: BSD-3-Clause
// The DIMM of a simulated F2 behind the AXI4 port of the shell's controller, clock by clock. It
// holds noise until it is written to, answers reads and writes after times that a seed chooses, and
// in no order between different ids.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <unordered_map>

#include "simulator/board/board_model.h"
#include "simulator/board/board_options.h"

namespace firesim {

class F2Dimm final : public CyclePart {
 public:
  static constexpr uint64_t kBytes = uint64_t{64} << 30;
  // Cycles from a request to its answer, of which a seed adds up to kMostLaterCycles.
  static constexpr uint64_t kLeastCycles = 24, kMostLaterCycles = 63;
  // Until the controller is trained, after the reset.
  static constexpr uint64_t kTrainingCycles = 500;

  F2Dimm(uint64_t seed, DramFault fault) : fault_(fault), random_(seed * 2 + 1), noise_(random_) {}
  // Whether a model has a controller; then it is connected, and the DIMM as after its power-up.
  bool connect(const BoardModel &model);
  // Whether nothing is on its way to it, or from it.
  bool is_idle() const { return reads_.empty() && writes_.empty() && !has_address_ && !has_data_; }
  void before_settle() override;
  // Throws std::runtime_error for what AWS's controller would not bear.
  void after_settle() override;

 private:
  static constexpr size_t kLanes = 8;
  using Row = std::array<uint64_t, kLanes>;
  struct Answer {
    uint64_t due;
    uint16_t id;
    Row row;  // that was read, or is to be written
    uint64_t address;
    uint64_t strobe;
  };
  using Answers = std::deque<Answer>;

  uint64_t random();
  Row &row_at(uint64_t address);
  void wait(Answers &answers, Answer answer);
  const Answer *front(const Answers &answers) const;
  void take_write();
  void end_write();
  void take_read();

  const DramFault fault_;
  uint64_t random_, noise_;
  uint64_t now_ = 0;
  Pin asks_, answers_;
  std::unordered_map<uint64_t, Row> rows_;
  Answers reads_, writes_;
  bool takes_address_ = false, takes_data_ = false, takes_read_ = false;
  bool has_address_ = false, has_data_ = false;
  uint64_t address_ = 0, strobe_ = 0;
  uint16_t id_ = 0;
  Row data_{};
};

}  // namespace firesim
