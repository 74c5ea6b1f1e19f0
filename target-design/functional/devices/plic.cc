// SPDX-License-Identifier: BSD-3-Clause
// Interrupt controller; see plic.h.
#include "functional/devices/plic.h"

#include "core/state.h"

namespace firesim::functional {
namespace {

constexpr uint32_t kPendingBase = 0x1000, kEnableBase = 0x2000, kEnableStride = 0x80;
constexpr uint32_t kContextBase = 0x20'0000, kContextStride = 0x1000;
constexpr uint32_t kSourceMask = (1u << (Plic::kSources + 1)) - 2;
constexpr uint32_t kPriorityMask = 7;
constexpr uint32_t kCompletedBits = 15;  // of what is written to complete

}  // namespace

Plic::Plic(uint32_t harts, InterruptLines &lines, bool supervisor)
    : lines_(&lines), modes_(supervisor ? 2 : 1), contexts_(modes_ * harts) {}

void Plic::set_line(uint32_t context) {
  lines_->set(context / modes_, context % modes_ == 0 ? kMeip : kSeip, contexts_[context].line);
}

void Plic::set_level(uint32_t source, bool level) {
  const uint32_t bit = 1u << source;
  if (((levels_ & bit) != 0) == level) return;
  levels_ ^= bit;
  settle();
}

uint32_t Plic::best(const Context &context) const {
  const uint32_t candidates = pending_ & context.enabled;
  uint32_t source = 0;
  for (uint32_t i = 1; i <= kSources; ++i) {
    if ((candidates >> i & 1) != 0 && priority_[i] > priority_[source]) source = i;
  }
  return source;
}

// A gateway passes one interrupt on, and the next only when that one is complete.
void Plic::settle() {
  const uint32_t asking = levels_ & ~in_flight_;
  in_flight_ |= asking & ~pending_;
  pending_ |= asking;
  for (uint32_t i = 0; i < contexts_.size(); ++i) {
    Context &context = contexts_[i];
    const bool line = priority_[best(context)] > context.threshold;
    if (line == context.line) continue;
    context.line = line;
    set_line(i);
  }
}

uint32_t Plic::read_lane(uint32_t offset) {
  if (offset < kPendingBase) {
    const uint32_t source = offset / 4;
    return source <= kSources ? priority_[source] : 0;
  }
  if (offset == kPendingBase) return pending_;
  if (offset < kEnableBase) return 0;
  if (offset < kContextBase) {
    const uint32_t context = (offset - kEnableBase) / kEnableStride;
    const bool there = context < contexts_.size() && offset % kEnableStride == 0;
    return there ? contexts_[context].enabled : 0;
  }
  const uint32_t index = (offset - kContextBase) / kContextStride;
  const uint32_t place = offset % kContextStride;
  if (index >= contexts_.size() || place > 4) return 0;
  if (place == 0) return contexts_[index].threshold;
  const uint32_t claimed = best(contexts_[index]);
  if (claimed != 0) {
    pending_ &= ~(1u << claimed);
    settle();
  }
  return claimed;
}

void Plic::write_lane(uint32_t offset, uint32_t bytes_given, uint32_t value) {
  if (offset < kPendingBase) {
    const uint32_t source = offset / 4;
    if (source >= 1 && source <= kSources && (bytes_given & 1) != 0) {
      priority_[source] = value & kPriorityMask;
    }
  } else if (offset >= kContextBase) {
    write_context(offset, bytes_given, value);
  } else if (offset >= kEnableBase && offset % kEnableStride == 0) {
    const uint32_t context = (offset - kEnableBase) / kEnableStride;
    if (context >= contexts_.size()) return;
    const uint32_t mask =
        ((bytes_given & 1) != 0 ? 0xffu : 0) | ((bytes_given & 2) != 0 ? 0xff00u : 0);
    uint32_t &enabled = contexts_[context].enabled;
    enabled = ((enabled & ~mask) | (value & mask)) & kSourceMask;
  }
}

void Plic::write_context(uint32_t offset, uint32_t bytes_given, uint32_t value) {
  const uint32_t index = (offset - kContextBase) / kContextStride;
  const uint32_t place = offset % kContextStride;
  if (index >= contexts_.size() || place > 4) return;
  Context &context = contexts_[index];
  if (place == 0) {
    if ((bytes_given & 1) != 0) context.threshold = value & kPriorityMask;
    return;
  }
  // Only a context that has the source enabled can complete it.
  const uint32_t source = value & kCompletedBits;
  if (bytes_given == 0xf && (context.enabled >> source & 1) != 0) in_flight_ &= ~(1u << source);
}

uint64_t Plic::read(uint32_t offset, uint32_t bytes) {
  if (bytes == 8) {
    const uint64_t low = read_lane(offset);
    return low | uint64_t{read_lane(offset + 4)} << 32;
  }
  const uint32_t value = read_lane(offset & ~3u) >> (8 * (offset % 4));
  return bytes == 4 ? value : value & ((1u << (8 * bytes)) - 1);
}

void Plic::write(uint32_t offset, uint32_t bytes, uint64_t value) {
  if (bytes == 8) {
    write_lane(offset, 0xf, static_cast<uint32_t>(value));
    write_lane(offset + 4, 0xf, static_cast<uint32_t>(value >> 32));
  } else {
    const uint32_t at = offset % 4;
    write_lane(offset & ~3u, ((1u << bytes) - 1) << at, static_cast<uint32_t>(value << (8 * at)));
  }
  settle();
}

void Plic::refresh() {
  for (uint32_t i = 0; i < contexts_.size(); ++i) {
    contexts_[i].line = priority_[best(contexts_[i])] > contexts_[i].threshold;
    set_line(i);
  }
}

void Plic::save(StateWriter &state) const {
  state.section("plic", 1);
  for (const uint32_t priority : priority_) state.u64(priority);
  state.u64(levels_);
  state.u64(pending_);
  state.u64(in_flight_);
  for (const Context &context : contexts_) {
    state.u64(context.enabled);
    state.u64(context.threshold);
  }
}

void Plic::load(StateReader &state) {
  state.section("plic", 1);
  for (uint32_t &priority : priority_) priority = static_cast<uint32_t>(state.u64(kPriorityMask));
  levels_ = static_cast<uint32_t>(state.u64(kSourceMask));
  pending_ = static_cast<uint32_t>(state.u64(kSourceMask));
  in_flight_ = static_cast<uint32_t>(state.u64(kSourceMask));
  for (Context &context : contexts_) {
    context.enabled = static_cast<uint32_t>(state.u64(kSourceMask));
    context.threshold = static_cast<uint32_t>(state.u64(kPriorityMask));
  }
}

}  // namespace firesim::functional
