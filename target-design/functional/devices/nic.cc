// SPDX-License-Identifier: BSD-3-Clause
// NIC registers; see nic.h.
#include "functional/devices/nic.h"

#include <algorithm>

#include "core/state.h"

namespace firesim::functional {
namespace {

constexpr uint32_t kSendRequest = 0x00, kReceiveRequest = 0x08, kSendComplete = 0x10;
constexpr uint32_t kReceiveComplete = 0x18, kCounts = 0x20, kMac = 0x28, kInterruptMask = 0x30;
constexpr uint32_t kRate = 0x38, kDrops = 0x40, kMaxFrame = 0x48;
constexpr uint32_t kFeatures = 0x50, kSendChecksum = 0x58, kModeration = 0x60;
constexpr uint64_t kThereIsOne = uint64_t{1} << 63;

constexpr RegisterInfo kRegisters[] = {{kSendRequest, 8, RegisterInfo::kWrite},
                                       {kReceiveRequest, 8, RegisterInfo::kWrite},
                                       {kSendComplete, 8, RegisterInfo::kRead},
                                       {kReceiveComplete, 8, RegisterInfo::kRead},
                                       {kCounts, 4, RegisterInfo::kRead},
                                       {kMac, 8, RegisterInfo::kRead},
                                       {kInterruptMask, 4, RegisterInfo::kReadWrite},
                                       {kRate, 4, RegisterInfo::kReadWrite},
                                       {kDrops, 4, RegisterInfo::kRead},
                                       {kMaxFrame, 4, RegisterInfo::kRead},
                                       // Of a NIC with features.
                                       {kFeatures, 4, RegisterInfo::kRead},
                                       {kSendChecksum, 4, RegisterInfo::kWrite},
                                       {kModeration, 4, RegisterInfo::kReadWrite}};
constexpr size_t kUsualRegisters = 10;

}  // namespace

std::span<const RegisterInfo> Nic::registers() const {
  const std::span<const RegisterInfo> all = kRegisters;
  return features_.any() ? all : all.first(kUsualRegisters);
}

void Nic::set_features(NicFeatures features) {
  features_ = features;
  if (features.checksum) receiver_.make_sums();
}

// In steps, as what becomes pending is held back from its own cycle on.
void Nic::advance(uint64_t cycle) {
  while (features_.moderation) {
    const uint64_t next = std::min(sender_.next_event(), receiver_.next_event());
    if (next >= cycle) break;
    sender_.advance(next);
    receiver_.advance(next);
    now_ = std::max(now_, next);
    note_pending();
  }
  sender_.advance(cycle);
  receiver_.advance(cycle);
  now_ = std::max(now_, cycle);
  note_pending();
}

bool Nic::pending() const {
  const uint32_t waiting =
      (sender_.completions() != 0 ? 1u : 0) | (receiver_.completions() != 0 ? 2u : 0);
  return (waiting & interrupt_mask_) != 0;
}

void Nic::note_pending() {
  if (!pending()) {
    pending_since_ = kNever;
  } else if (pending_since_ == kNever) {
    pending_since_ = now_;
  }
}

// The cycle from which on what is pending interrupts.
uint64_t Nic::held_until() const {
  const uint32_t packets = moderation_ >> 24;
  const bool many = packets != 0 && sender_.completions() + receiver_.completions() >= packets;
  return pending_since_ + (many ? 0 : moderation_ & 0xff'ffff);
}

uint64_t Nic::next_event() const {
  const uint64_t next = std::min(sender_.next_event(), receiver_.next_event());
  if (moderation_ == 0 || pending_since_ == kNever || held_until() <= now_) return next;
  return std::min(next, held_until());
}

bool Nic::interrupt() const { return pending() && (moderation_ == 0 || held_until() <= now_); }

uint64_t Nic::read_register(uint32_t offset) {
  switch (offset) {
    case kSendComplete: {
      const bool found = sender_.take_completion();
      note_pending();
      return found ? kThereIsOne : 0;
    }
    case kReceiveComplete: {
      const uint32_t found = receiver_.take_completion();
      note_pending();
      return found == 0 ? 0 : kThereIsOne | uint64_t{found >> 16} << 32 | (found & 0xffff);
    }
    case kCounts:
      return sender_.free_requests() | receiver_.free_requests() << 8 |
             sender_.completions() << 16 | receiver_.completions() << 24;
    case kMac:
      return mac_;
    case kInterruptMask:
      return interrupt_mask_;
    case kRate:
      return sender_.rate();
    case kDrops:
      return receiver_.drops();
    case kFeatures:
      return features_.word();
    case kModeration:
      return moderation_;
    default:
      return NicReceiver::kMostFrameWords * 8;
  }
}

void Nic::write_register(uint32_t offset, uint64_t value) {
  switch (offset) {
    case kSendRequest:
      sender_.request(value);
      break;
    case kReceiveRequest:
      receiver_.request(value);
      break;
    case kInterruptMask:
      interrupt_mask_ = value & 3;
      note_pending();
      break;
    case kSendChecksum:
      if (features_.checksum) sender_.ask_for_checksum(static_cast<uint32_t>(value));
      break;
    case kModeration:
      if (features_.moderation) moderation_ = static_cast<uint32_t>(value);
      break;
    default:
      sender_.set_rate(static_cast<uint32_t>(value));
  }
}

nlohmann::json Nic::statistics() const {
  return {{"flits_in", receiver_.flits()},
          {"flits_out", sender_.flits()},
          {"packets_dropped", receiver_.drops()},
          {"packets_in", receiver_.packets()},
          {"packets_out", sender_.packets()}};
}

void Nic::save(StateWriter &state) const {
  state.section("nic", 1);
  state.u64(interrupt_mask_);
  output_.save(state);
  sender_.save(state);
  receiver_.save(state);
  if (!features_.any()) return;
  state.section("nic_features", 1);
  state.u64(features_.word());
  state.u64(moderation_);
  state.u64(pending_since_);
  sender_.save_checksums(state);
}

void Nic::load(StateReader &state) {
  state.section("nic", 1);
  interrupt_mask_ = static_cast<uint32_t>(state.u64(3));
  output_.load(state);
  if (!output_.empty() && output_.front().cycle < state.cycle().value_or(0)) {
    state.fail("found a flit that should be on the link");
  }
  sender_.load(state);
  receiver_.load(state);
  if (!state.next_section_is("nic_features")) return;
  state.section("nic_features", 1);
  const uint64_t features = state.u64(3);
  set_features({.checksum = (features & 1) != 0, .moderation = (features & 2) != 0});
  moderation_ = static_cast<uint32_t>(state.u64(features_.moderation ? UINT32_MAX : 0));
  pending_since_ = state.u64();
  sender_.load_checksums(state);
}

}  // namespace firesim::functional
