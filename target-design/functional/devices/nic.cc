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
                                       {kMaxFrame, 4, RegisterInfo::kRead}};

}  // namespace

std::span<const RegisterInfo> Nic::registers() const { return kRegisters; }

void Nic::advance(uint64_t cycle) {
  sender_.advance(cycle);
  receiver_.advance(cycle);
}

uint64_t Nic::next_event() const { return std::min(sender_.next_event(), receiver_.next_event()); }

bool Nic::interrupt() const {
  const uint32_t pending =
      (sender_.completions() != 0 ? 1u : 0) | (receiver_.completions() != 0 ? 2u : 0);
  return (pending & interrupt_mask_) != 0;
}

uint64_t Nic::read_register(uint32_t offset) {
  switch (offset) {
    case kSendComplete:
      return sender_.take_completion() ? kThereIsOne : 0;
    case kReceiveComplete: {
      const uint32_t bytes = receiver_.take_completion();
      return bytes == 0 ? 0 : kThereIsOne | bytes;
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
}

}  // namespace firesim::functional
