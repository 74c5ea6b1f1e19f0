// SPDX-License-Identifier: BSD-3-Clause
// The HyperLogLog unit's packets, hash and registers; see hll_unit.h.
#include "parts/hll/functional/hll_unit.h"

#include <algorithm>
#include <bit>

#include "core/state.h"

namespace firesim::functional::hll {
namespace {

constexpr uint32_t kControl = 0x00, kPort = 0x08, kStatus = 0x10, kClear = 0x18, kIndex = 0x20;
constexpr uint32_t kEight = 0x28, kPackets = 0x30, kKeys = 0x38, kCycles = 0x40;
constexpr uint32_t kElapsed = 0x48;
// Bits of the control register.
constexpr uint32_t kLooks = 1, kCounts = 2, kConsumes = 4;
constexpr uint32_t kControlBits = 7;
constexpr uint32_t kBusy = 1;  // of the status register
constexpr uint64_t kCycleMask = (uint64_t{1} << 48) - 1;

constexpr uint32_t kAtOnce = 8;  // registers that a read has
constexpr uint32_t kIndexShift = 48;
constexpr uint64_t kRankMask = (1 << 24) - 1;
constexpr uint8_t kNoBit = 63;
constexpr uint64_t kRegisterMask = 63;  // a register has six bits
constexpr uint64_t kSeed = 0xbaad'f00d, kKeyBytes = 4;

// Flits of a frame by what is in them, behind two pad bytes: Ethernet, IPv4, UDP.
constexpr size_t kTypeFlit = 1, kVersionFlit = 2, kProtocolFlit = 3, kPortFlit = 4, kLengthFlit = 5;
constexpr uint64_t kUdpHeaderBytes = 8;

// Two bytes of a flit in network order.
uint32_t two_bytes(uint64_t flit, uint32_t byte) {
  return static_cast<uint32_t>((flit >> (8 * byte) & 0xff) << 8 | (flit >> (8 * byte + 8) & 0xff));
}
uint32_t one_byte(uint64_t flit, uint32_t byte) { return flit >> (8 * byte) & 0xff; }

uint64_t folded(uint64_t value) { return value ^ value >> 33; }

uint64_t finished(uint64_t value) {
  value = folded(value) * 0xff51'afd7'ed55'8ccd;
  return folded(folded(value) * 0xc4ce'b9fe'1a85'ec53);
}

// Whole keys that a packet's header announces and its frame brings.
uint64_t keys_in(const StreamFrame &frame) {
  if (frame.size() <= kLengthFlit) return 0;
  const uint64_t announced = two_bytes(frame[kLengthFlit], 0);
  const uint64_t said = announced < kUdpHeaderBytes ? 0 : (announced - kUdpHeaderBytes) / kKeyBytes;
  return std::min<uint64_t>(said, 1 + 2 * (frame.size() - kLengthFlit - 1));
}

// The first key is in the upper half of its flit.
uint32_t key_of(const StreamFrame &frame, uint64_t index) {
  return static_cast<uint32_t>(frame[kLengthFlit + (index + 1) / 2] >> (index % 2 == 0 ? 32 : 0));
}

}  // namespace

uint64_t hash(uint32_t key) {
  const uint64_t mixed = std::rotl(key * 0x87c3'7b91'1142'53d5u, 31) * 0x4cf5'ad43'2745'937f;
  constexpr uint64_t kStart = kSeed ^ kKeyBytes;
  const uint64_t first = (mixed ^ kStart) + kStart;
  return finished(first) + finished(first + kStart);
}

bool HllUnit::finds(const StreamFrame &frame) const {
  if ((control_ & kLooks) == 0 || frame.size() <= kPortFlit) return false;
  return two_bytes(frame[kTypeFlit], 6) == 0x0800 && one_byte(frame[kVersionFlit], 0) == 0x45 &&
         (two_bytes(frame[kVersionFlit], 6) & 0x3fff) == 0 &&
         one_byte(frame[kProtocolFlit], 1) == 17 && two_bytes(frame[kPortFlit], 6) == port_;
}

bool HllUnit::from_link(StreamFrame &frame, uint64_t cycle) {
  now_ = std::max(now_, cycle);
  if (!finds(frame)) return true;
  const uint64_t keys = keys_in(frame);
  ++packets_;
  keys_ += keys;
  if (!running_) first_cycle_ = cycle - std::min<uint64_t>(cycle, frame.size() - 1);
  running_ = true;
  spanned_cycles_ = cycle - first_cycle_ + 1;
  if ((control_ & kCounts) != 0) {
    for (uint64_t i = 0; i < keys; ++i) count(key_of(frame, i));
  }
  return (control_ & kConsumes) == 0;
}

void HllUnit::count(uint32_t key) {
  const uint64_t hashed = hash(key), low = hashed & kRankMask;
  const uint8_t rank = low == 0 ? kNoBit : static_cast<uint8_t>(std::countr_zero(low) + 1);
  uint8_t &kept = ranks_[hashed >> kIndexShift];
  kept = std::max(kept, rank);
}

void HllUnit::clear() {
  ranks_.fill(0);
  packets_ = 0;
  keys_ = 0;
  running_ = false;
  spanned_cycles_ = 0;
}

std::span<const RegisterInfo> HllUnit::registers() const {
  constexpr auto kRead = RegisterInfo::kRead, kWrite = RegisterInfo::kWrite;
  constexpr auto kReadWrite = RegisterInfo::kReadWrite;
  static constexpr std::array<RegisterInfo, 10> kInfo{{{kControl, 4, kReadWrite},
                                                       {kPort, 4, kReadWrite},
                                                       {kStatus, 4, kRead},
                                                       {kClear, 4, kWrite},
                                                       {kIndex, 4, kReadWrite},
                                                       {kEight, 8, kReadWrite},
                                                       {kPackets, 4, kReadWrite},
                                                       {kKeys, 8, kReadWrite},
                                                       {kCycles, 8, kReadWrite},
                                                       {kElapsed, 8, kReadWrite}}};
  return kInfo;
}

uint64_t HllUnit::eight(uint32_t first) const {
  uint64_t word = 0;
  for (uint32_t i = 0; i < kAtOnce; ++i) word |= uint64_t{ranks_[first + i]} << (8 * i);
  return word;
}

uint64_t HllUnit::read_eight() {
  if (control_ != 0) return 0;
  const uint64_t word = eight(next_);
  next_ = (next_ + kAtOnce) % kRegisters;
  return word;
}

void HllUnit::write_eight(uint64_t value) {
  for (uint32_t i = 0; i < kAtOnce; ++i) ranks_[next_ + i] = value >> (8 * i) & kRegisterMask;
  next_ = (next_ + kAtOnce) % kRegisters;
}

void HllUnit::set_elapsed(uint64_t cycles) {
  running_ = cycles != 0;
  first_cycle_ = now_ - std::min(now_, cycles & kCycleMask);
}

uint64_t HllUnit::read_register(uint32_t offset) {
  switch (offset) {
    case kControl:
      return control_;
    case kPort:
      return port_;
    case kStatus:
      return lanes_ << 8;
    case kIndex:
      return next_;
    case kEight:
      return read_eight();
    case kPackets:
      return packets_;
    case kKeys:
      return keys_;
    case kElapsed:
      return elapsed_cycles();
    default:
      return spanned_cycles_;
  }
}

void HllUnit::write_register(uint32_t offset, uint64_t value) {
  const bool is_set_up = offset == kControl || offset == kPort || offset == kIndex;
  if (!is_set_up && control_ != 0) return;  // it is counting
  switch (offset) {
    case kControl:
      control_ = value & kControlBits;
      running_ &= (control_ & kLooks) != 0;
      break;
    case kPort:
      port_ = static_cast<uint16_t>(value);
      break;
    case kClear:
      clear();
      break;
    case kEight:
      write_eight(value);
      break;
    case kPackets:
      packets_ = static_cast<uint32_t>(value);
      break;
    case kKeys:
      keys_ = value;
      break;
    case kCycles:
      spanned_cycles_ = value & kCycleMask;
      break;
    case kElapsed:
      set_elapsed(value);
      break;
    default:
      next_ = value % kRegisters / kAtOnce * kAtOnce;
  }
}

// From the first word that is not 0 to the last one; a reset has cleared the others.
void HllUnit::restore_ranks(RegisterSteps &steps) const {
  const auto is_set = [](uint8_t rank) { return rank != 0; };
  const auto first = std::find_if(ranks_.begin(), ranks_.end(), is_set);
  if (first == ranks_.end()) return;
  const auto behind = std::find_if(ranks_.rbegin(), ranks_.rend(), is_set).base();
  const auto begin = static_cast<uint32_t>(first - ranks_.begin()) / kAtOnce * kAtOnce;
  const auto end = static_cast<uint32_t>(behind - ranks_.begin());
  steps.write(kIndex, 4, begin);
  for (uint32_t at = begin; at < end; at += kAtOnce) steps.write(kEight, 8, eight(at));
}

void HllUnit::restore(RegisterSteps &steps) const {
  steps.wait(kStatus, kBusy, 0);  // out of reset, it is clearing its registers
  restore_ranks(steps);
  steps.write(kPackets, 4, packets_);
  steps.write(kKeys, 8, keys_);
  steps.write(kCycles, 8, spanned_cycles_);
  steps.write(kPort, 4, port_);
  steps.write(kIndex, 4, next_);
  if (running_) steps.write_late(kElapsed, 8, elapsed_cycles());
  steps.write_late(kControl, 4, control_);
}

void HllUnit::save(StateWriter &state) const {
  state.section("hll", 1);
  state.u64(control_);
  state.u64(port_);
  state.u64(next_);
  state.u64(packets_);
  state.u64(keys_);
  state.boolean(running_);
  state.u64(first_cycle_);
  state.u64(spanned_cycles_);
  state.bytes(ranks_);
}

void HllUnit::load(StateReader &state) {
  state.section("hll", 1);
  control_ = static_cast<uint32_t>(state.u64(kControlBits));
  port_ = static_cast<uint16_t>(state.u64(UINT16_MAX));
  next_ = static_cast<uint32_t>(state.u64(kRegisters - kAtOnce)) / kAtOnce * kAtOnce;
  packets_ = static_cast<uint32_t>(state.u64(UINT32_MAX));
  keys_ = state.u64();
  running_ = state.boolean();
  now_ = first_cycle_ = state.past_cycle();
  spanned_cycles_ = state.u64();
  state.bytes_into(ranks_.data(), ranks_.size());
  for (const uint8_t rank : ranks_) {
    if (rank > kRegisterMask) state.fail("found a register of HyperLogLog above 63");
  }
}

}  // namespace firesim::functional::hll
