// SPDX-License-Identifier: BSD-3-Clause
// What a part's model says of itself for a warm start (docs/explanation/warm-start.md): what keeps
// RTL from going on where it stands, and which accesses of software bring the part in RTL there
// from reset. A part's model has one if its `carry_over()` says so.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace firesim::functional {

// Accesses to registers of parts, one after the other.
struct PartSteps {
  enum class Kind : uint8_t { kWriteFour, kWriteEight, kWait };
  struct Step {
    Kind kind = Kind::kWriteFour;
    uint64_t address = 0;
    uint64_t value = 0;
    uint32_t mask = 0;  // of what is waited for

    bool operator==(const Step &) const = default;
  };

  std::vector<Step> first;
  std::vector<Step> late;  // writes only

  bool operator==(const PartSteps &) const = default;
};

// Where a part says what is to be done with its registers.
class RegisterSteps {
 public:
  RegisterSteps(uint64_t base, PartSteps &steps) : base_(base), steps_(&steps) {}

  // A register of 4 or 8 bytes is written.
  void write(uint32_t offset, uint32_t bytes, uint64_t value) {
    steps_->first.push_back({width(bytes), base_ + offset, value});
  }
  // A register of 4 bytes is read until its bits in `mask` are those of `value`.
  void wait(uint32_t offset, uint32_t mask, uint32_t value) {
    steps_->first.push_back({PartSteps::Kind::kWait, base_ + offset, value, mask});
  }
  // The same as `write`, behind all others and shortly before the tokens begin: for what goes on
  // with time.
  void write_late(uint32_t offset, uint32_t bytes, uint64_t value) {
    steps_->late.push_back({width(bytes), base_ + offset, value});
  }

 private:
  static PartSteps::Kind width(uint32_t bytes) {
    return bytes == 8 ? PartSteps::Kind::kWriteEight : PartSteps::Kind::kWriteFour;
  }

  uint64_t base_;
  PartSteps *steps_;
};

class CarryOver {
 public:
  virtual ~CarryOver() = default;

  // What is in the way now, to be read behind the part's name, as "has answers to send"; empty when
  // nothing is.
  virtual std::string obstacle() const { return ""; }
  // From reset to its state in the cycle it has been brought to.
  virtual void restore(RegisterSteps &steps) const = 0;
};

}  // namespace firesim::functional
