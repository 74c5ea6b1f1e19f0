// SPDX-License-Identifier: BSD-3-Clause
// AXI4 slave side of the memory bridge; see memory_driver.h.
#include "bridges/memory/memory_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "bridges/driver_registry.h"
#include "bridges/memory/memory_rtl_driver.h"
#include "core/check.h"
#include "devices/warm_start.h"

namespace firesim::bridges {
namespace {

// Tags given to the timing model: slot, place of the access, direction.
constexpr uint32_t kWriteTag = 1u << 31;
constexpr uint32_t make_tag(uint32_t slot, uint32_t place, bool write) {
  return slot | place << 16 | (write ? kWriteTag : 0);
}
constexpr uint32_t tag_slot(uint32_t tag) { return tag & 0xffff; }
constexpr uint32_t tag_place(uint32_t tag) { return tag >> 16 & 0x3f; }

Burst make_burst(const OutputPort &addr, const OutputPort &len, const OutputPort &size,
                 const OutputPort &burst) {
  return {addr(), static_cast<uint32_t>(len()) + 1, 1u << size(), static_cast<BurstType>(burst())};
}

}  // namespace

void MemoryDriver::start_warm(WarmStart &start, uint64_t) { memory_ = std::move(start.memory); }

void MemoryDriver::Pace::take(uint64_t cycle, uint32_t rate, uint32_t bytes) {
  // Back to back, beats keep the exact rate; after a pause the channel starts afresh.
  const bool waited = cycle != 0 && (cycle - 1) * rate < free;
  free = (waited ? free : cycle * rate) + bytes;
}

void MemoryDriver::run(uint64_t cycle) {
  const bool moved = take_responses();
  if (ar_valid_() && answers_.ar_ready.value() != 0) take_read_address(cycle);
  if (aw_valid_() && answers_.aw_ready.value() != 0) take_write_address();
  if (w_valid_() && answers_.w_ready.value() != 0) take_write_data(cycle);
  while (early_count_ != 0 && !awaiting_data_.empty()) {
    apply_beat(cycle, early_[early_head_]);
    early_head_ = (early_head_ + 1) % kMostEarlyBeats;
    --early_count_;
  }
  if (!issuing_.empty()) issue_accesses(cycle);
  if (timing_->next_event() <= cycle + 1) collect_done(cycle + 1);
  if (answers_.r_valid.value() == 0) offer_read(cycle + 1);
  if (answers_.b_valid.value() == 0) offer_write(cycle + 1);
  drive_ready(cycle + 1);
  const bool busy = moved || answers_.r_valid.value() != 0 || answers_.b_valid.value() != 0 ||
                    !issuing_.empty() || reads_.offering != kNone ||
                    answers_.w_ready.value() == 0 || reads_wait_for_pace_;
  wake_ = busy ? cycle + 1 : timing_->next_event() - 1;
  if (program_) wake_ = std::min(wake_, program_->exchange(cycle, *memory_));
}

bool MemoryDriver::take_responses() {
  bool moved = false;
  if (answers_.r_valid.value() != 0 && r_ready_()) {
    Transaction &read = reads_.slots[reads_.offering];
    moved = true;
    ++reads_.beats;
    answers_.r_valid.set(0);
    if (++read.next_beat == read.burst.beats) {
      end(reads_, reads_.offering);
      reads_.offering = kNone;
    }
  }
  if (answers_.b_valid.value() != 0 && b_ready_()) {
    moved = true;
    answers_.b_valid.set(0);
    end(writes_, writes_.offering);
    writes_.offering = kNone;
  }
  return moved;
}

uint32_t MemoryDriver::begin(Direction &side, const Burst &burst, uint32_t id, const char *what) {
  if (const char *violation = burst.violation(data_bytes_)) {
    throw std::runtime_error(fmt::format("{}: the target's {} burst of {} beats at 0x{:x} {}",
                                         where_, what, burst.beats, burst.address, violation));
  }
  FIRESIM_CHECK(!side.free.empty(), "ready is only given while there is a free slot");
  const uint32_t slot = side.free.back();
  side.free.pop_back();
  Transaction &transaction = side.slots[slot];
  transaction = Transaction{};
  transaction.burst = burst;
  transaction.id = id;
  transaction.accesses = burst.access_count(access_bytes_);
  FIRESIM_CHECK(transaction.accesses <= 64, "one bit per access");
  for (const uint32_t other : side.order) {
    if (side.slots[other].id == id) ++transaction.same_id_before;
  }
  if (!memory_->contains(burst.region_start(), burst.region_bytes())) {
    transaction.response = kDecodeError;
    ++side.decode_errors;
  }
  side.order.push_back(slot);
  ++side.count;
  side.bytes += burst.total_bytes();
  return slot;
}

void MemoryDriver::end(Direction &side, uint32_t slot) {
  const auto place = std::find(side.order.begin(), side.order.end(), slot);
  const uint32_t id = side.slots[slot].id;
  for (auto later = place + 1; later != side.order.end(); ++later) {
    if (side.slots[*later].id == id) --side.slots[*later].same_id_before;
  }
  side.order.erase(place);
  side.free.push_back(slot);
}

void MemoryDriver::take_read_address(uint64_t cycle) {
  const uint32_t slot = begin(reads_, make_burst(ar_addr_, ar_len_, ar_size_, ar_burst_),
                              static_cast<uint32_t>(ar_id_()), "read");
  reads_.slots[slot].arrival = cycle;
  issuing_.push_back(make_tag(slot, 0, false));
}

void MemoryDriver::take_write_address() {
  awaiting_data_.push_back(begin(writes_, make_burst(aw_addr_, aw_len_, aw_size_, aw_burst_),
                                 static_cast<uint32_t>(aw_id_()), "write"));
}

void MemoryDriver::take_write_data(uint64_t cycle) {
  if (limits_.bytes_per_cycle != 0) write_pace_.take(cycle, limits_.bytes_per_cycle, data_bytes_);
  WriteBeat &beat = early_[(early_head_ + early_count_++) % kMostEarlyBeats];
  beat.strobe[0] = beat.strobe[1] = 0;
  std::memcpy(beat.strobe, w_strb_.data(), std::min<size_t>(w_strb_.bytes(), 16));
  std::memcpy(beat.data, w_data_.data(), data_bytes_);
  beat.last = w_last_();
}

void MemoryDriver::apply_beat(uint64_t cycle, const WriteBeat &beat) {
  const uint32_t slot = awaiting_data_.front();
  Transaction &write = writes_.slots[slot];
  if (write.response == kOkay) {
    const uint64_t address = write.burst.beat_address(write.next_beat) & ~uint64_t{data_bytes_ - 1};
    uint8_t *target = memory_->at(address);
    if (data_bytes_ == 8 && beat.strobe[0] == 0xff) {
      std::memcpy(target, beat.data, 8);
    } else {
      for (uint32_t i = 0; i < data_bytes_; ++i) {
        if ((beat.strobe[i / 64] >> (i % 64) & 1) != 0) target[i] = beat.data[i];
      }
    }
  }
  ++writes_.beats;
  const bool last = ++write.next_beat == write.burst.beats;
  if (last != beat.last) {
    throw std::runtime_error(fmt::format("{}: w_last is {} at beat {} of a write burst of {} beats",
                                         where_, beat.last ? 1 : 0, write.next_beat,
                                         write.burst.beats));
  }
  if (!last) return;
  write.arrival = cycle;
  awaiting_data_.erase(awaiting_data_.begin());
  issuing_.push_back(make_tag(slot, 0, true));
}

void MemoryDriver::issue_accesses(uint64_t cycle) {
  while (!issuing_.empty() && timing_->has_room()) {
    const uint32_t slot = tag_slot(issuing_.front());
    const bool write = (issuing_.front() & kWriteTag) != 0;
    Transaction &transaction = (write ? writes_ : reads_).slots[slot];
    const uint32_t first = transaction.burst.access_of_beat(0, access_bytes_);
    const uint32_t place = (first + transaction.issued) % transaction.accesses;
    const uint64_t address = transaction.burst.access_address(place, access_bytes_);
    timing_->accept(
        cycle, {address - memory_->base(), transaction.burst.access_length(place, access_bytes_),
                make_tag(slot, place, write), write});
    if (++transaction.issued == transaction.accesses) issuing_.erase(issuing_.begin());
  }
}

void MemoryDriver::collect_done(uint64_t cycle) {
  done_.clear();
  timing_->advance(cycle, done_);
  for (const uint32_t tag : done_) {
    Direction &side = (tag & kWriteTag) != 0 ? writes_ : reads_;
    side.slots[tag_slot(tag)].done |= uint64_t{1} << tag_place(tag);
  }
}

bool MemoryDriver::complete(const Transaction &transaction) const {
  return static_cast<uint32_t>(std::popcount(transaction.done)) == transaction.accesses;
}

uint32_t MemoryDriver::choose(Direction &side, uint64_t next_cycle) {
  const bool reading = &side == &reads_;
  for (const uint32_t slot : side.order) {
    Transaction &candidate = side.slots[slot];
    if (candidate.done == 0 || candidate.same_id_before != 0) continue;
    const uint32_t first = candidate.burst.access_of_beat(0, access_bytes_);
    const bool ready = reading ? (candidate.done >> first & 1) != 0 : complete(candidate);
    if (!ready) continue;
    side.latency_sum += next_cycle - candidate.arrival;
    side.latencies.add(next_cycle - candidate.arrival);
    return slot;
  }
  return kNone;
}

void MemoryDriver::offer_read(uint64_t next_cycle) {
  const uint32_t rate = limits_.bytes_per_cycle;
  reads_wait_for_pace_ = rate != 0 && !read_pace_.allows(next_cycle, rate);
  if (reads_wait_for_pace_) return;
  if (reads_.offering == kNone) reads_.offering = choose(reads_, next_cycle);
  if (reads_.offering == kNone) return;
  Transaction &read = reads_.slots[reads_.offering];
  const uint32_t place = read.burst.access_of_beat(read.next_beat, access_bytes_);
  if ((read.done >> place & 1) == 0) return;
  if (rate != 0) read_pace_.take(next_cycle, rate, data_bytes_);
  set_read_beat(read);
}

void MemoryDriver::set_read_beat(Transaction &read) {
  static constexpr uint8_t kZeroes[kMostDataBytes] = {};
  const uint64_t address = read.burst.beat_address(read.next_beat) & ~uint64_t{data_bytes_ - 1};
  answers_.r_data.set_bytes(read.response == kOkay ? memory_->at(address) : kZeroes);
  answers_.r_id.set(read.id);
  answers_.r_resp.set(read.response);
  answers_.r_last.set(read.next_beat + 1 == read.burst.beats ? 1 : 0);
  answers_.r_valid.set(1);
}

void MemoryDriver::offer_write(uint64_t next_cycle) {
  writes_.offering = choose(writes_, next_cycle);
  if (writes_.offering == kNone) return;
  const Transaction &write = writes_.slots[writes_.offering];
  answers_.b_id.set(write.id);
  answers_.b_resp.set(write.response);
  answers_.b_valid.set(1);
}

void MemoryDriver::drive_ready(uint64_t next_cycle) {
  const uint32_t rate = limits_.bytes_per_cycle;
  answers_.ar_ready.set(reads_.free.empty() ? 0 : 1);
  answers_.aw_ready.set(writes_.free.empty() ? 0 : 1);
  const bool paced = rate != 0 && !write_pace_.allows(next_cycle, rate);
  answers_.w_ready.set(early_count_ == kMostEarlyBeats || paced ? 0 : 1);
}

void register_memory(DriverRegistry &registry) {
  registry.add("memory", [](const DriverContext &context) -> std::unique_ptr<Driver> {
    if (context.part != nullptr) return std::make_unique<MemoryRtlDriver>(context);
    return std::make_unique<MemoryDriver>(context);
  });
}

}  // namespace firesim::bridges
