// SPDX-License-Identifier: BSD-3-Clause
// Timers and software interrupts; see clint.h.
#include "functional/devices/clint.h"

#include "core/state.h"

namespace firesim::functional {
namespace {

constexpr uint32_t kCompareBase = 0x4000;
constexpr uint32_t kTimeBase = 0xbff8;

// `word` with `bytes` bytes from byte `at` on replaced by `value`.
uint64_t merge(uint64_t word, uint32_t at, uint32_t bytes, uint64_t value) {
  const uint64_t mask = bytes == 8 ? ~uint64_t{0} : ((uint64_t{1} << (8 * bytes)) - 1) << (8 * at);
  return (word & ~mask) | (value << (8 * at) & mask);
}

// Ticks since reset.
uint64_t ticks(uint64_t cycle) {
  return cycle < kResetCycles ? 0 : (cycle - kResetCycles) / kCyclesPerTick;
}

}  // namespace

Clint::Clint(uint32_t harts, InterruptLines &lines) : lines_(&lines), harts_(harts) {}

uint64_t Clint::time(uint64_t cycle) const { return time_offset_ + ticks(cycle); }

// Times beyond what cycles can express are never reached.
void Clint::plan_timer(HartState &hart, uint64_t cycle) const {
  const uint64_t now = time(cycle);
  constexpr uint64_t kMostTicks = (kNever - kResetCycles) / kCyclesPerTick / 2;
  if (now >= hart.compare) {
    hart.timer_cycle = 0;
  } else if (hart.compare - now > kMostTicks) {
    hart.timer_cycle = kNever;
  } else {
    hart.timer_cycle = kResetCycles + (ticks(cycle) + hart.compare - now) * kCyclesPerTick;
  }
}

void Clint::update(uint32_t index, uint64_t cycle) {
  HartState &hart = harts_[index];
  const bool level = cycle >= hart.timer_cycle;
  if (level == hart.timer_line) return;
  hart.timer_line = level;
  lines_->set(index, kMtip, level);
}

uint64_t Clint::next_timer(uint32_t hart) const {
  return harts_[hart].timer_line ? kNever : harts_[hart].timer_cycle;
}

void Clint::loaded(uint32_t index, uint64_t cycle) { plan_timer(harts_[index], cycle); }

uint64_t Clint::word(uint32_t offset, uint64_t cycle) const {
  if (offset == kTimeBase) return time(cycle);
  const uint32_t index = (offset - kCompareBase) / 8;
  if (offset >= kCompareBase && index < harts_.size()) return harts_[index].compare;
  uint64_t software = 0;
  for (uint32_t i = 0; i < 2; ++i) {
    const uint32_t hart = offset / 4 + i;
    if (hart < harts_.size() && harts_[hart].software) software |= uint64_t{1} << (32 * i);
  }
  return software;
}

uint64_t Clint::read(uint32_t offset, uint32_t bytes, uint64_t cycle) const {
  const uint64_t value = word(offset & ~7u, cycle) >> (8 * (offset % 8));
  return bytes == 8 ? value : value & ((uint64_t{1} << (8 * bytes)) - 1);
}

void Clint::write(uint32_t offset, uint32_t bytes, uint64_t value, uint64_t cycle) {
  const uint32_t base = offset & ~7u;
  const uint64_t changed = merge(word(base, cycle), offset % 8, bytes, value);
  if (base == kTimeBase) {
    time_offset_ += changed - time(cycle);
    for (uint32_t i = 0; i < harts_.size(); ++i) {
      plan_timer(harts_[i], cycle);
      update(i, cycle);
    }
    return;
  }
  if (base >= kCompareBase) {
    const uint32_t index = (base - kCompareBase) / 8;
    if (index >= harts_.size()) return;
    harts_[index].compare = changed;
    plan_timer(harts_[index], cycle);
    update(index, cycle);
    return;
  }
  for (uint32_t i = 0; i < 2; ++i) {  // only byte 0 of a software interrupt's word means something
    const uint32_t hart = base / 4 + i;
    const uint32_t byte = base + 4 * i;
    if (hart >= harts_.size() || byte < offset || byte >= offset + bytes) continue;
    harts_[hart].software = (changed >> (32 * i) & 1) != 0;
    lines_->set(hart, kMsip, harts_[hart].software);
  }
}

void Clint::save(StateWriter &state) const {
  state.section("clint", 2);
  state.u64(time_offset_);
  for (const HartState &hart : harts_) {
    state.boolean(hart.software);
    state.boolean(hart.timer_line);
    state.u64(hart.compare);
  }
}

void Clint::load(StateReader &state) {
  state.section("clint", 2);
  time_offset_ = state.u64();
  for (HartState &hart : harts_) {
    hart.software = state.boolean();
    hart.timer_line = state.boolean();
    hart.compare = state.u64();
  }
}

}  // namespace firesim::functional
