// SPDX-License-Identifier: BSD-3-Clause
// The registers of the RDMA NIC, its mailbox, and its state in snapshots; see rdma_nic.h.
#include <algorithm>

#include "parts/rdma/functional/rdma_nic.h"
#include "parts/rdma/functional/register_map.h"
#include "parts/rdma/functional/state_fields.h"

namespace firesim::functional::rdma {
namespace {

constexpr uint64_t kAddressMask = 0xffff'ffff'ffff;  // of memory, and of a MAC

constexpr uint32_t kPageRegisters = 2;
constexpr uint32_t kRegisters =
    11 + 8 + kCounters + CongestionSettings::kCount + 4 + kPageRegisters;

constexpr std::array<RegisterInfo, kRegisters> make_registers() {
  constexpr auto kRead = RegisterInfo::kRead, kWrite = RegisterInfo::kWrite;
  constexpr auto kReadWrite = RegisterInfo::kReadWrite;
  std::array<RegisterInfo, kRegisters> made{{{kEnable, 4, kReadWrite},
                                             {kMac, 8, kReadWrite},
                                             {kIp, 4, kReadWrite},
                                             {kCommand, 4, kReadWrite},
                                             {kSendDoorbell, 4, kWrite},
                                             {kReceiveDoorbell, 4, kWrite},
                                             {kPending, 8, kReadWrite},
                                             {kMask, 8, kReadWrite},
                                             {kSizes, 4, kRead},
                                             {kFailed, 8, kRead},
                                             {kShown, 4, kReadWrite}}};
  uint32_t at = 11;
  const auto add = [&](uint32_t first, uint32_t count, uint8_t bytes, RegisterInfo::Access access) {
    for (uint32_t i = 0; i < count; ++i) {
      made[at++] = {static_cast<uint16_t>(first + 8 * i), bytes, access};
    }
  };
  add(kMailbox, 8, 8, kReadWrite);
  add(kFirstCounter, kCounters, 4, kReadWrite);
  add(kCongestion, CongestionSettings::kCount, 4, kReadWrite);
  add(kRate, 4, 4, kRead);
  made[at++] = {kTable, 8, kReadWrite};
  made[at++] = {kPages, 4, kReadWrite};
  return made;
}

}  // namespace

std::span<const RegisterInfo> RdmaNic::registers() const {
  static constexpr auto kInfo = make_registers();
  const std::span<const RegisterInfo> all = kInfo;
  return options_.pages ? all : all.first(kRegisters - kPageRegisters);
}

uint64_t RdmaNic::read_register(uint32_t offset) {
  switch (offset) {
    case kEnable:
      return enabled_ ? 1 : 0;
    case kMac:
      return own_.mac;
    case kIp:
      return own_.ip;
    case kCommand:
      return 0;  // a command is done at once
    case kPending:
      return completions_.pending();
    case kMask:
      return mask_;
    case kSizes:
      return (options_.pages ? 1u << 25 : 0) | (options_.reduces ? 1u << 24 : 0) | kRegions << 16 |
             kCqs << 8 | kQps;
    case kFailed:
      return pairs_.failed;
    case kTable:
      return dma_.table().base;
    case kPages:
      return dma_.table().pages;
    case kShown:
      return shown_;
    default:
      return read_numbered(offset);
  }
}

uint64_t RdmaNic::read_numbered(uint32_t offset) const {
  if (offset >= kRate) return read_rate(offset);
  if (offset >= kCongestion) {
    return settings_.values[(offset - kCongestion) / 8];
  }
  if (offset >= kFirstCounter) return counters_.values[(offset - kFirstCounter) / 8];
  return mailbox_[(offset - kMailbox) / 8];
}

uint64_t RdmaNic::read_rate(uint32_t offset) const {
  const RateStatus status = rates_.status(shown_);
  switch (offset) {
    case kRate:
      return status.rate_mbps;
    case kTarget:
      return status.target_mbps;
    case kAlpha:
      return status.alpha;
    default:  // steps since the last CNP, behind alpha
      return status.byte_steps << 16 | status.timer_steps;
  }
}

void RdmaNic::write_register(uint32_t offset, uint64_t value) {
  const auto posted = static_cast<uint16_t>(value >> 16);
  switch (offset) {
    case kEnable:
      enabled_ = (value & 1) != 0;
      break;
    case kMac:
      own_.mac = value & kAddressMask;
      break;
    case kIp:
      own_.ip = static_cast<uint32_t>(value);
      break;
    case kCommand:
      command(value & 0xff, value >> 16 & 63);
      break;
    case kSendDoorbell:
      pairs_.work[value % kQps] = posted;
      requester_.ring(value % kQps);
      break;
    case kReceiveDoorbell:
      pairs_.buffers[value % kQps] = posted;
      break;
    case kPending:
      completions_.clear(value);
      break;
    case kMask:
      mask_ = value;
      break;
    case kTable:
      dma_.table().base = value & kAddressMask;
      break;
    case kPages:
      dma_.table().pages = static_cast<uint32_t>(value);
      break;
    case kShown:
      shown_ = value % kQps;
      break;
    default:
      write_numbered(offset, value);
  }
}

void RdmaNic::write_numbered(uint32_t offset, uint64_t value) {
  if (offset < kFirstCounter) {
    mailbox_[(offset - kMailbox) / 8] = value;
    return;
  }
  if (offset < kCongestion) {
    counters_.values[(offset - kFirstCounter) / 8] = static_cast<uint32_t>(value);
    return;
  }
  settings_.set((offset - kCongestion) / 8, static_cast<uint32_t>(value));
  rates_.settings_changed();
  notifier_.settings_changed();
}

void RdmaNic::command(uint32_t code, uint32_t index) {
  switch (code) {
    case kSetQp:
      return set_queue_pair(index);
    case kSetRegion:
      return set_region(index);
    case kClearRegion:
      return regions_.clear(index);
    case kSetCq:
      return completions_.set(index, mailbox_[0]);
    case kTakeUpQp:
      return take_up_queue_pair(index);
    case kTakeUpCq:
      return completions_.take_up(index, mailbox_[0], static_cast<uint16_t>(mailbox_[1]),
                                  (mailbox_[1] >> 16 & 1) != 0);
    default:
      return;
  }
}

void RdmaNic::set_queue_pair(uint32_t qp) {
  std::copy_n(mailbox_.begin(), pairs_.configs[qp].words.size(), pairs_.configs[qp].words.begin());
  pairs_.work[qp] = 0;
  pairs_.buffers[qp] = 0;
  pairs_.received[qp] = 0;
  pairs_.failed &= ~(uint64_t{1} << qp);
  requester_.configure(qp);
  responder_.configure(qp);
  responses_.configure(qp);
  rates_.configure(qp);
  notifier_.configure(qp);
}

// One that has been set up goes on where another one was.
void RdmaNic::take_up_queue_pair(uint32_t qp) {
  const auto work = static_cast<uint16_t>(mailbox_[0]);
  pairs_.work[qp] = work;
  pairs_.buffers[qp] = static_cast<uint16_t>(mailbox_[0] >> 16);
  pairs_.received[qp] = static_cast<uint16_t>(mailbox_[Responder::kProgressWords]);
  if ((mailbox_[0] >> 56 & 1) != 0) pairs_.fail(qp);
  requester_.configure(qp, work);
  responder_.take_up(qp, mailbox_);
}

void RdmaNic::set_region(uint32_t index) {
  Region region;
  std::copy_n(mailbox_.begin(), region.words.size(), region.words.begin());
  region.valid = true;
  regions_.set(index, region);
}

// All that is a number, in the order of the state.
template <typename Self, typename Field>
void RdmaNic::each_field(Self &self, Field &&field) {
  field(self.enabled_), field(self.own_.mac), field(self.own_.ip), field(self.mask_);
  for (auto &word : self.mailbox_) field(word);
  field(self.shown_, kQps - 1), field(self.source_, kSources - 1), field(self.pairs_.failed);
  for (auto &config : self.pairs_.configs) {
    for (auto &word : config.words) field(word);
  }
  for (auto *counts : {&self.pairs_.work, &self.pairs_.buffers, &self.pairs_.received}) {
    for (auto &count : *counts) field(count);
  }
  for (auto &region : self.regions_.all()) {
    for (auto &word : region.words) field(word);
    field(region.valid);
  }
  for (auto &value : self.counters_.values) field(value);
  for (auto &queue : self.completions_.all()) field(queue.word), field(queue.head);
  for (auto &value : self.settings_.values) field(value);
  field(self.dma_.table().base), field(self.dma_.table().pages);
}

void RdmaNic::save(StateWriter &state) const {
  state.section("rdma", 1);
  state.boolean(options_.reduces);
  state.boolean(options_.pages);
  state.u64(dma_.cycle());
  state.u64(completions_.pending());
  each_field(*this, SaveField{state});
  rates_.save(state);
  notifier_.save(state);
  requester_.save(state);
  responses_.save(state);
  responder_.save(state);
}

void RdmaNic::load(StateReader &state) {
  state.section("rdma", 1);
  const bool reduces = state.boolean(), pages = state.boolean();
  if (reduces != options_.reduces || pages != options_.pages) {
    state.fail("found an RDMA NIC with other options");
  }
  dma_.set_cycle(state.past_cycle());
  completions_.restore_pending(state.u64());
  each_field(*this, LoadField{state});
  rates_.load(state);
  notifier_.load(state);
  requester_.load(state);
  responses_.load(state);
  responder_.load(state);
}

}  // namespace firesim::functional::rdma
