// SPDX-License-Identifier: BSD-3-Clause
// The HyperLogLog unit of functional nodes: the RTL's registers, and what it finds in the same
// packets (docs/how-to/hll.md), with a time of its own:
//
// - A packet is found, its keys are in the registers, and all counters have it, in the cycle of its
//   last flit.
// - The time begins when the first packet's flits would have begun that came one a cycle.
// - Registers are cleared at once, so that the unit is never busy. Lanes are without effect: each
//   would have a part of the keys, and the greater registers of all are what is read.
#pragma once

#include <array>

#include "functional/devices/carry_over.h"
#include "functional/devices/register_device.h"
#include "functional/devices/stream_stage.h"

namespace firesim::functional::hll {

inline constexpr uint32_t kRegisters = 1 << 16;

// MurmurHash3 (x64, 128 bits, the low word) of a key of four bytes.
uint64_t hash(uint32_t key);

class HllUnit final : public RegisterDevice, public StreamStage, public CarryOver {
 public:
  // As the part's options say.
  struct Options {
    uint32_t lanes = 2;
    uint16_t port = 5001;
  };
  explicit HllUnit(const Options &options) : lanes_(options.lanes), port_(options.port) {}

  StreamStage *stream() override { return this; }
  bool from_link(StreamFrame &frame, uint64_t cycle) override;

  const CarryOver *carry_over() const override { return this; }
  void restore(RegisterSteps &steps) const override;

  void advance(uint64_t cycle) override { now_ = cycle; }
  uint64_t next_event() const override { return kNever; }
  bool interrupt() const override { return false; }
  void save(StateWriter &state) const override;
  void load(StateReader &state) override;

 private:
  std::span<const RegisterInfo> registers() const override;
  uint64_t read_register(uint32_t offset) override;
  void write_register(uint32_t offset, uint64_t value) override;

  uint64_t read_eight();
  void write_eight(uint64_t value);
  uint64_t eight(uint32_t first) const;
  void restore_ranks(RegisterSteps &steps) const;
  uint64_t elapsed_cycles() const { return running_ ? now_ - first_cycle_ : 0; }
  void set_elapsed(uint64_t cycles);
  bool finds(const StreamFrame &frame) const;
  void count(uint32_t key);
  void clear();

  const uint32_t lanes_;
  uint64_t now_ = 0;
  uint32_t control_ = 0;
  uint16_t port_;
  uint32_t next_ = 0;  // the register that is read next
  std::array<uint8_t, kRegisters> ranks_{};

  // What was found since registers were cleared.
  uint32_t packets_ = 0;
  uint64_t keys_ = 0;
  bool running_ = false;
  uint64_t first_cycle_ = 0;  // of the first flit of the first packet
  uint64_t spanned_cycles_ = 0;
};

}  // namespace firesim::functional::hll
