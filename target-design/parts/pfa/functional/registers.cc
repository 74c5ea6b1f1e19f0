// SPDX-License-Identifier: BSD-3-Clause
// Registers of the page-fault accelerator, its state, and its warm start; see pfa_unit.h.
#include <array>

#include "core/state.h"
#include "parts/pfa/functional/pfa_unit.h"

namespace firesim::functional::pfa {
namespace {

enum : uint32_t {
  kControl = 0x00,
  kOwn = 0x08,
  kPeer = 0x10,
  kTimeout = 0x18,
  kTries = 0x20,
  kMemory = 0x28,
  kFree = 0x30,
  kNew = 0x38,
  kFetch = 0x40,
  kEvict = 0x48,
  kForget = 0x50,
  kStatus = 0x58,
  kFetched = 0x60,
  kEvicted = 0x68,
  kRepeated = 0x70,
  kWalks = 0x78,
  kMissed = 0x80,
  kWaited = 0x88
};
constexpr uint64_t kThere = uint64_t{1} << 63;
constexpr uint32_t kFetchingBit = 24, kFailedBit = 25;

void save_pairs(StateWriter &state, const std::deque<PageAndFrame> &pairs) {
  state.u64(pairs.size());
  for (const PageAndFrame &pair : pairs) state.u64(pair.word());
}

void load_pairs(StateReader &state, std::deque<PageAndFrame> &pairs, uint64_t most) {
  pairs.resize(state.u64(most));
  for (PageAndFrame &pair : pairs) pair = PageAndFrame::of(state.u64());
}

}  // namespace

std::span<const RegisterInfo> PfaUnit::registers() const {
  constexpr auto kRead = RegisterInfo::kRead, kWrite = RegisterInfo::kWrite;
  constexpr auto kReadWrite = RegisterInfo::kReadWrite;
  static constexpr std::array<RegisterInfo, 18> kInfo{{{kControl, 4, kReadWrite},
                                                       {kOwn, 8, kReadWrite},
                                                       {kPeer, 8, kReadWrite},
                                                       {kTimeout, 4, kReadWrite},
                                                       {kTries, 4, kReadWrite},
                                                       {kMemory, 8, kReadWrite},
                                                       {kFree, 8, kWrite},
                                                       {kNew, 8, kRead},
                                                       {kFetch, 8, kWrite},
                                                       {kEvict, 8, kWrite},
                                                       {kForget, 8, kWrite},
                                                       {kStatus, 8, kRead},
                                                       {kFetched, 8, kRead},
                                                       {kEvicted, 8, kRead},
                                                       {kRepeated, 4, kRead},
                                                       {kWalks, 8, kRead},
                                                       {kMissed, 8, kRead},
                                                       {kWaited, 8, kRead}}};
  return kInfo;
}

uint64_t PfaUnit::status() const {
  return free_.size() | fresh_.size() << 8 | leaving_.size() << 16 |
         uint64_t{fetches_ == For::kSoftware} << kFetchingBit | failed_ << kFailedBit;
}

uint64_t PfaUnit::read_register(uint32_t offset) {
  switch (offset) {
    case kControl:
      return enabled_;
    case kOwn:
      return own_;
    case kPeer:
      return peer_;
    case kTimeout:
      return timeout_;
    case kTries:
      return tries_;
    case kMemory:
      return shown_;
    case kNew: {
      if (fresh_.empty()) return 0;
      const uint64_t word = fresh_.front().word();
      fresh_.pop_front();
      return kThere | word;
    }
    case kStatus:
      return status();
    case kFetched:
      return fetched_;
    case kEvicted:
      return evicted_;
    case kRepeated:
      return repeated_ & UINT32_MAX;
    case kWalks:
      return walks_;
    case kWaited:
      return waited_;
    default:
      return 0;  // kMissed: no lines are kept that could be missed
  }
}

void PfaUnit::write_register(uint32_t offset, uint64_t value) {
  switch (offset) {
    case kControl:
      enabled_ = value & 1;
      break;
    case kOwn:
      own_ = value & kAddressMask;
      break;
    case kPeer:
      peer_ = value & kAddressMask;
      break;
    case kTimeout:
      timeout_ = value;
      break;
    case kTries:
      tries_ = value & 0xff;
      break;
    case kMemory:
      shown_ = value & UINT32_MAX;
      break;
    case kFree:
      if (free_.size() < kQueueDepth) free_.push_back(value & kNumberMask);
      break;
    case kFetch:
      if (fetches_ == For::kNobody) start(For::kSoftware, PageAndFrame::of(value));
      break;
    case kEvict:
      if (leaving_.size() < kEvictions) {
        leaving_.push_back(PageAndFrame::of(value));
        if (leaving_.size() == 1) write_.is_due = true;
      }
      break;
    default:
      break;  // kForget
  }
}

// RTL's counters begin with 0, and no register sets them or the queue of new pages.
std::string PfaUnit::obstacle() const {
  const bool is_new = enabled_ == 0 && fetched_ == 0 && evicted_ == 0 && free_.empty() &&
                      leaving_.empty() && fetches_ == For::kNobody;
  return is_new ? "" : "has been at work";
}

void PfaUnit::restore(RegisterSteps &steps) const {
  steps.write(kOwn, 8, own_);
  steps.write(kPeer, 8, peer_);
  steps.write(kTimeout, 4, timeout_);
  steps.write(kTries, 4, tries_);
  steps.write(kMemory, 8, shown_);
}

template <typename Self, typename Field>
void PfaUnit::each_field(Self &self, Field &&field) {
  for (auto *word :
       {&self.enabled_, &self.own_, &self.peer_, &self.timeout_, &self.tries_, &self.shown_,
        &self.asked_, &self.failed_, &self.walked_, &self.begun_, &self.fetched_, &self.evicted_,
        &self.repeated_, &self.walks_, &self.waited_, &self.read_.tag, &self.read_.deadline,
        &self.write_.tag, &self.write_.deadline}) {
    field(*word);
  }
}

void PfaUnit::save(StateWriter &state) const {
  state.section("pfa", 1);
  each_field(*this, [&](uint64_t value) { state.u64(value); });
  for (const Exchange *each : {&read_, &write_}) {
    state.boolean(each->is_due);
    state.boolean(each->is_awaited);
  }
  state.boolean(answers_);
  state.boolean(released_);
  state.u64(static_cast<uint64_t>(fetches_));
  state.u64(fetched_pair_.word());
  state.u64(free_.size());
  for (const uint64_t frame : free_) state.u64(frame);
  save_pairs(state, fresh_);
  save_pairs(state, leaving_);
}

void PfaUnit::load(StateReader &state) {
  state.section("pfa", 1);
  each_field(*this, [&](uint64_t &value) { value = state.u64(); });
  for (Exchange *each : {&read_, &write_}) {
    each->is_due = state.boolean();
    each->is_awaited = state.boolean();
  }
  answers_ = state.boolean();
  released_ = state.boolean();
  fetches_ = static_cast<For>(state.u64(static_cast<uint64_t>(For::kWalk)));
  fetched_pair_ = PageAndFrame::of(state.u64());
  free_.resize(state.u64(kQueueDepth));
  for (uint64_t &frame : free_) frame = state.u64(kNumberMask);
  load_pairs(state, fresh_, kQueueDepth);
  load_pairs(state, leaving_, kEvictions);
  const bool walks = fetches_ == For::kWalk;
  if ((walks && free_.empty()) || ((write_.is_due || write_.is_awaited) && leaving_.empty())) {
    state.fail("found a page on its way that no queue has");
  }
}

}  // namespace firesim::functional::pfa
