// SPDX-License-Identifier: BSD-3-Clause
// Block device registers and requests; see block_device.h.
#include "functional/devices/block_device.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/state.h"

namespace firesim::functional {
namespace {

constexpr uint32_t kAddress = 0x00, kSector = 0x08, kCount = 0x10, kWrite = 0x18, kAllocate = 0x20;
constexpr uint32_t kFree = 0x28, kComplete = 0x30, kCompletions = 0x38, kSectors = 0x40;
constexpr uint32_t kMaxRequest = 0x48, kInterruptMask = 0x50;
constexpr uint32_t kRefused = 0xffff'ffff;
constexpr uint64_t kAddressMask = 0xffff'ffff'ffff;
constexpr uint64_t kThereIsOne = uint64_t{1} << 63;

constexpr RegisterInfo kRegisters[] = {
    {kAddress, 8, RegisterInfo::kReadWrite},      {kSector, 4, RegisterInfo::kReadWrite},
    {kCount, 4, RegisterInfo::kReadWrite},        {kWrite, 4, RegisterInfo::kReadWrite},
    {kAllocate, 4, RegisterInfo::kRead},          {kFree, 4, RegisterInfo::kRead},
    {kComplete, 8, RegisterInfo::kRead},          {kCompletions, 4, RegisterInfo::kRead},
    {kSectors, 4, RegisterInfo::kRead},           {kMaxRequest, 4, RegisterInfo::kRead},
    {kInterruptMask, 4, RegisterInfo::kReadWrite}};

}  // namespace

std::span<const RegisterInfo> BlockDevice::registers() const { return kRegisters; }

const BlockDevice::Tracker *BlockDevice::first_done() const {
  const Tracker *first = nullptr;
  for (const Tracker &tracker : trackers_) {
    if (!tracker.busy) continue;
    if (first == nullptr || tracker.completion < first->completion) first = &tracker;
  }
  return first;
}

BlockDevice::Tracker *BlockDevice::first_done() {
  return const_cast<Tracker *>(std::as_const(*this).first_done());
}

uint64_t BlockDevice::next_event() const {
  const Tracker *first = first_done();
  return first == nullptr || !has_room() ? kNever : first->completion;
}

// A tracker keeps its request until the queue of completions takes it.
void BlockDevice::advance(uint64_t cycle) {
  now_ = std::max(now_, cycle);
  while (has_room()) {
    Tracker *tracker = first_done();
    if (tracker == nullptr || tracker->completion > now_) return;
    if (!tracker->write) deliver_data(*tracker);
    tracker->busy = false;
    completions_.push_back(static_cast<uint8_t>(tracker - trackers_.data()));
  }
}

void BlockDevice::plan(Tracker &tracker) {
  const uint64_t data_cycles = tracker.count * kCyclesPerSector;
  if (tracker.write) {
    writes_free_ = std::max(now_ + 1, writes_free_) + data_cycles;
    tracker.completion = writes_free_ - 1 + disk_->latency_cycles;
  } else {
    reads_free_ = std::max(now_ + disk_->latency_cycles, reads_free_) + data_cycles;
    tracker.completion = reads_free_ - 1;
  }
}

void BlockDevice::take_data(const Tracker &tracker) {
  const uint64_t bytes = uint64_t{tracker.count} * devices::kSectorBytes;
  const uint8_t *data = memory_->read(tracker.address, bytes, now_, "block device");
  if (data == nullptr) return;
  for (uint32_t i = 0; i < tracker.count; ++i) {
    disk_->store->write(tracker.sector + i, data + i * devices::kSectorBytes);
  }
}

void BlockDevice::deliver_data(const Tracker &tracker) {
  std::vector<uint8_t> data(uint64_t{tracker.count} * devices::kSectorBytes);
  for (uint32_t i = 0; i < tracker.count; ++i) {
    disk_->store->read(tracker.sector + i, data.data() + i * devices::kSectorBytes);
  }
  memory_->write(tracker.address, data.data(), data.size(), now_, "block device");
}

uint32_t BlockDevice::allocate() {
  const uint64_t end = uint64_t{sector_} + count_;
  const bool valid =
      count_ != 0 && count_ <= disk_->max_request_sectors && end <= disk_->store->size_sectors();
  const auto free = std::find_if(trackers_.begin(), trackers_.end(),
                                 [](const Tracker &tracker) { return !tracker.busy; });
  if (!valid || free == trackers_.end()) return kRefused;
  *free = {true, write_, address_ & ~uint64_t{7}, sector_, count_, 0};
  plan(*free);
  (write_ ? write_count_ : read_count_) += 1;
  (write_ ? sectors_written_ : sectors_read_) += count_;
  if (write_) take_data(*free);
  const auto tag = static_cast<uint32_t>(free - trackers_.begin());
  if (disk_->requests) {
    disk_->requests->begin(tag, write_, sector_, count_, now_);
    disk_->requests->end(tag, free->completion);
  }
  return tag;
}

uint64_t BlockDevice::read_register(uint32_t offset) {
  switch (offset) {
    case kAddress:
      return address_;
    case kSector:
      return sector_;
    case kCount:
      return count_;
    case kWrite:
      return write_ ? 1 : 0;
    case kAllocate:
      return allocate();
    case kFree:
      return static_cast<uint64_t>(std::count_if(trackers_.begin(), trackers_.end(),
                                                 [](const Tracker &one) { return !one.busy; }));
    case kComplete: {
      if (completions_.empty()) return 0;
      const uint64_t tracker = completions_.front();
      completions_.pop_front();
      advance(now_);  // one that waited for room
      return kThereIsOne | tracker;
    }
    case kCompletions:
      return completions_.size();
    case kSectors:
      return disk_->store->size_sectors();
    case kMaxRequest:
      return disk_->max_request_sectors;
    default:
      return interrupt_mask_ ? 1 : 0;
  }
}

void BlockDevice::write_register(uint32_t offset, uint64_t value) {
  switch (offset) {
    case kAddress:
      address_ = value & kAddressMask;
      break;
    case kSector:
      sector_ = static_cast<uint32_t>(value);
      break;
    case kCount:
      count_ = static_cast<uint32_t>(value);
      break;
    case kWrite:
      write_ = (value & 1) != 0;
      break;
    default:
      interrupt_mask_ = (value & 1) != 0;
  }
}

nlohmann::json BlockDevice::statistics() const {
  return {{"reads", read_count_},
          {"writes", write_count_},
          {"sectors_read", sectors_read_},
          {"sectors_written", sectors_written_}};
}

void BlockDevice::save(StateWriter &state) const {
  state.section("block_device", 1);
  for (const uint64_t value :
       {now_, address_, uint64_t{sector_}, uint64_t{count_}, reads_free_, writes_free_, read_count_,
        write_count_, sectors_read_, sectors_written_}) {
    state.u64(value);
  }
  state.boolean(write_);
  state.boolean(interrupt_mask_);
  for (const Tracker &tracker : trackers_) {
    state.boolean(tracker.busy);
    state.boolean(tracker.write);
    state.u64(tracker.address);
    state.u64(tracker.sector);
    state.u64(tracker.count);
    state.u64(tracker.completion);
  }
  state.bytes(std::vector<uint8_t>(completions_.begin(), completions_.end()));
}

void BlockDevice::load(StateReader &state) {
  state.section("block_device", 1);
  now_ = state.past_cycle();
  address_ = state.u64(kAddressMask);
  sector_ = static_cast<uint32_t>(state.u64(UINT32_MAX));
  count_ = static_cast<uint32_t>(state.u64(UINT32_MAX));
  for (uint64_t *value : {&reads_free_, &writes_free_, &read_count_, &write_count_, &sectors_read_,
                          &sectors_written_}) {
    *value = state.u64();
  }
  write_ = state.boolean();
  interrupt_mask_ = state.boolean();
  for (Tracker &tracker : trackers_) {
    tracker.busy = state.boolean();
    tracker.write = state.boolean();
    tracker.address = state.u64(kAddressMask);
    tracker.sector = static_cast<uint32_t>(state.u64(UINT32_MAX));
    tracker.count = static_cast<uint32_t>(state.u64(UINT16_MAX));
    tracker.completion = state.u64();
  }
  const std::vector<uint8_t> completions = state.bytes(kTrackers);
  completions_.assign(completions.begin(), completions.end());
}

}  // namespace firesim::functional
