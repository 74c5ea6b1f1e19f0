// SPDX-License-Identifier: BSD-3-Clause
// The memory bridge in a snapshot: the content of the memory, the bursts on their way, and what the
// timing models hold.
#include <algorithm>

#include "bridges/memory/cache.h"
#include "bridges/memory/dram.h"
#include "bridges/memory/fixed_timing.h"
#include "bridges/memory/memory_driver.h"

namespace firesim::bridges {
namespace {

constexpr size_t kMostItems = 1 << 20;
constexpr const char *kLatencies = "memory_latencies";

void save_list(StateWriter &state, const std::vector<uint32_t> &list) {
  state.u64s(std::vector<uint64_t>(list.begin(), list.end()));
}

void load_list(StateReader &state, std::vector<uint32_t> &list) {
  const std::vector<uint64_t> values = state.u64s(kMostItems);
  list.assign(values.begin(), values.end());
}

// Slots and the like, which must be below `count`.
void load_slots(StateReader &state, std::vector<uint32_t> &list, size_t count) {
  load_list(state, list);
  for (const uint32_t value : list) {
    if (value >= count) state.fail("found a slot that does not exist");
  }
}

uint32_t load_u32(StateReader &state) { return static_cast<uint32_t>(state.u64(UINT32_MAX)); }

void save_access(StateWriter &state, uint64_t cycle, const MemoryAccess &access) {
  for (const uint64_t value : {cycle, access.address, uint64_t{access.bytes}, uint64_t{access.tag}})
    state.u64(value);
  state.boolean(access.write);
}

void load_access(StateReader &state, uint64_t &cycle, MemoryAccess &access) {
  cycle = state.u64();
  access.address = state.u64();
  access.bytes = load_u32(state);
  access.tag = load_u32(state);
  access.write = state.boolean();
}

void save_counts(StateWriter &state, const TimingCounts &counts) {
  for (const uint64_t value :
       {counts.row_hits, counts.row_misses, counts.row_conflicts, counts.refreshes,
        counts.cache_hits, counts.cache_misses, counts.cache_writebacks}) {
    state.u64(value);
  }
}

void load_counts(StateReader &state, TimingCounts &counts) {
  for (uint64_t *value :
       {&counts.row_hits, &counts.row_misses, &counts.row_conflicts, &counts.refreshes,
        &counts.cache_hits, &counts.cache_misses, &counts.cache_writebacks}) {
    *value = state.u64();
  }
}

}  // namespace

void FixedTiming::save(StateWriter &state) const {
  state.section("fixed_timing", 1);
  state.u64(ring_.size());
  state.u64(count_);
  for (size_t i = 0; i < count_; ++i) {
    const Pending &pending = ring_[(head_ + i) % ring_.size()];
    state.u64(pending.cycle);
    state.u64(pending.tag);
  }
}

void FixedTiming::load(StateReader &state) {
  state.section("fixed_timing", 1);
  state.expect("the number of accesses", ring_.size());
  head_ = 0;
  count_ = state.u64(ring_.size());
  for (size_t i = 0; i < count_; ++i) {
    ring_[i].cycle = state.u64();
    ring_[i].tag = load_u32(state);
  }
}

void CacheTiming::save(StateWriter &state) const {
  state.section("cache", 1);
  for (const uint32_t size : {config_.sets, config_.ways, config_.block_bytes, config_.mshrs}) {
    state.u64(size);
  }
  std::vector<uint64_t> ways;
  for (const Way &way : ways_) {
    const uint64_t flags = (way.valid ? 1U : 0U) | (way.dirty ? 2U : 0U) | (way.filling ? 4U : 0U);
    ways.insert(ways.end(), {way.block, way.last_use, flags});
  }
  state.u64s(ways);
  for (const Mshr &mshr : mshrs_) {
    state.boolean(mshr.busy);
    state.u64(mshr.block);
    state.u64(mshr.way == nullptr ? 0 : static_cast<uint64_t>(mshr.way - ways_.data()));
    state.u64(mshr.parts_left);
    save_list(state, mshr.waiting);
  }
  for (const std::deque<Outgoing> *queue : {&waiting_, &outgoing_}) {
    state.u64(queue->size());
    for (const Outgoing &item : *queue) save_access(state, item.cycle, item.access);
  }
  state.u64(hits_.size());
  for (const Completion &hit : hits_) {
    state.u64(hit.cycle);
    state.u64(hit.tag);
  }
  state.u64(next_look_up_);
  state.boolean(blocked_);
  state.u64(uses_);
  save_counts(state, counts_);
  backend_->save(state);
}

void CacheTiming::load(StateReader &state) {
  state.section("cache", 1);
  state.expect("the number of sets", config_.sets);
  state.expect("the number of ways", config_.ways);
  state.expect("block_bytes", config_.block_bytes);
  state.expect("the number of MSHRs", config_.mshrs);
  const std::vector<uint64_t> ways = state.u64s(ways_.size() * 3);
  if (ways.size() != ways_.size() * 3) state.fail("found a part of the ways");
  for (size_t i = 0; i < ways_.size(); ++i) {
    const uint64_t flags = ways[3 * i + 2];
    ways_[i] = {ways[3 * i], ways[3 * i + 1], (flags & 1) != 0, (flags & 2) != 0, (flags & 4) != 0};
  }
  for (Mshr &mshr : mshrs_) {
    mshr.busy = state.boolean();
    mshr.block = state.u64();
    mshr.way = &ways_[state.u64(ways_.size() - 1)];
    mshr.parts_left = load_u32(state);
    load_list(state, mshr.waiting);
  }
  for (std::deque<Outgoing> *queue : {&waiting_, &outgoing_}) {
    queue->resize(state.u64(kMostItems));
    for (Outgoing &item : *queue) load_access(state, item.cycle, item.access);
  }
  hits_.resize(state.u64(kMostItems));
  for (Completion &hit : hits_) {
    hit.cycle = state.u64();
    hit.tag = load_u32(state);
  }
  next_look_up_ = state.u64();
  blocked_ = state.boolean();
  uses_ = state.u64();
  load_counts(state, counts_);
  backend_->load(state);
}

void DramTiming::save(StateWriter &state) const {
  state.section("dram", 1);
  for (const uint32_t size : {config_.ranks, config_.banks, config_.queue_depth}) state.u64(size);
  for (const Bank &bank : banks_) {
    state.u64s(
        std::vector<uint64_t>{bank.row, bank.next_activate, bank.next_precharge, bank.next_column});
  }
  for (const Rank &rank : ranks_) {
    state.u64s(std::vector<uint64_t>{rank.next_activate, rank.next_read, rank.next_write,
                                     rank.activate_index, rank.refresh_due});
    state.u64s(rank.activates);
  }
  state.u64(queue_.size());
  for (const Queued &item : queue_) {
    const uint64_t flags =
        (item.write ? 1U : 0U) | (item.activated ? 2U : 0U) | (item.precharged ? 4U : 0U);
    state.u64s(std::vector<uint64_t>{item.tag, item.rank, item.bank, item.row, item.earliest,
                                     item.overtaken, flags});
  }
  state.u64(completions_.size());
  for (const Completion &completion : completions_) {
    state.u64(completion.cycle);
    state.u64(completion.tag);
  }
  state.u64(next_command_);
  save_counts(state, counts_);
}

void DramTiming::load(StateReader &state) {
  state.section("dram", 1);
  state.expect("the number of ranks", config_.ranks);
  state.expect("the number of banks", config_.banks);
  state.expect("queue_depth", config_.queue_depth);
  const auto values = [&](size_t count) {
    std::vector<uint64_t> list = state.u64s(count);
    if (list.size() != count) state.fail("found a part of a list");
    return list;
  };
  for (Bank &bank : banks_) {
    const auto v = values(4);
    bank = {static_cast<uint32_t>(v[0]), v[1], v[2], v[3]};
  }
  for (Rank &rank : ranks_) {
    const auto v = values(5);
    rank.next_activate = v[0];
    rank.next_read = v[1];
    rank.next_write = v[2];
    rank.activate_index = static_cast<uint32_t>(v[3] % rank.activates.size());
    rank.refresh_due = v[4];
    const auto activates = values(rank.activates.size());
    std::copy(activates.begin(), activates.end(), rank.activates.begin());
  }
  queue_.clear();
  for (uint64_t left = state.u64(config_.queue_depth); left > 0; --left) {
    const auto v = values(7);
    if (v[1] >= config_.ranks || v[2] >= config_.banks) state.fail("found a bank that is not here");
    queue_.push_back({static_cast<uint32_t>(v[0]), static_cast<uint32_t>(v[1]),
                      static_cast<uint32_t>(v[2]), static_cast<uint32_t>(v[3]), v[4],
                      static_cast<uint32_t>(v[5]), (v[6] & 1) != 0, (v[6] & 2) != 0,
                      (v[6] & 4) != 0});
  }
  completions_.clear();
  for (uint64_t left = state.u64(kMostItems); left > 0; --left) {
    const uint64_t cycle = state.u64();
    completions_.push_back({cycle, load_u32(state)});
  }
  next_command_ = state.u64();
  load_counts(state, counts_);
  next_ = choose();
}

void MemoryDriver::save_direction(StateWriter &state, const Direction &side) {
  for (const Transaction &one : side.slots) {
    const Burst &burst = one.burst;
    state.u64s(std::vector<uint64_t>{burst.address, burst.beats, burst.beat_bytes,
                                     static_cast<uint64_t>(burst.type), one.arrival, one.done,
                                     one.id, one.next_beat, one.accesses, one.issued,
                                     one.same_id_before, one.response});
  }
  save_list(state, side.free);
  save_list(state, side.order);
  for (const uint64_t value : {uint64_t{side.offering}, side.count, side.bytes, side.beats,
                               side.latency_sum, side.decode_errors}) {
    state.u64(value);
  }
}

void MemoryDriver::load_direction(StateReader &state, Direction &side) {
  for (Transaction &one : side.slots) {
    const std::vector<uint64_t> v = state.u64s(12);
    if (v.size() != 12) state.fail("found a part of a burst");
    one.burst = {v[0], static_cast<uint32_t>(v[1]), static_cast<uint32_t>(v[2]),
                 static_cast<BurstType>(v[3])};
    one.arrival = v[4];
    one.done = v[5];
    one.id = static_cast<uint32_t>(v[6]);
    one.next_beat = static_cast<uint32_t>(v[7]);
    one.accesses = static_cast<uint32_t>(v[8]);
    one.issued = static_cast<uint32_t>(v[9]);
    one.same_id_before = static_cast<uint32_t>(v[10]);
    one.response = static_cast<uint8_t>(v[11]);
  }
  load_slots(state, side.free, side.slots.size());
  load_slots(state, side.order, side.slots.size());
  side.offering = load_u32(state);
  if (side.offering != kNone && side.offering >= side.slots.size()) {
    state.fail("found a slot that does not exist");
  }
  for (uint64_t *value :
       {&side.count, &side.bytes, &side.beats, &side.latency_sum, &side.decode_errors}) {
    *value = state.u64();
  }
}

void MemoryDriver::save(StateWriter &state) const {
  state.section("memory_bridge", 1);
  for (const uint64_t value :
       {uint64_t{limits_.max_reads}, uint64_t{limits_.max_writes}, uint64_t{access_bytes_}}) {
    state.u64(value);
  }
  answers_.save(state);
  save_direction(state, reads_);
  save_direction(state, writes_);
  save_list(state, issuing_);
  save_list(state, awaiting_data_);
  state.u64(early_count_);
  for (uint32_t i = 0; i < early_count_; ++i) {
    const WriteBeat &beat = early_[(early_head_ + i) % kMostEarlyBeats];
    state.u64s(beat.strobe);
    state.bytes(beat.data, data_bytes_);
    state.boolean(beat.last);
  }
  state.u64(wake_);
  state.u64(read_pace_.free);
  state.u64(write_pace_.free);
  state.boolean(reads_wait_for_pace_);
  memory_->save(state);
  timing_->save(state);
  if (program_) program_->save(state);
  state.section(kLatencies, 1);
  reads_.latencies.save(state);
  writes_.latencies.save(state);
}

void MemoryDriver::load(StateReader &state) {
  state.section("memory_bridge", 1);
  state.expect("max_reads", limits_.max_reads);
  state.expect("max_writes", limits_.max_writes);
  state.expect("the bytes of an access", access_bytes_);
  answers_.load(state);
  load_direction(state, reads_);
  load_direction(state, writes_);
  load_list(state, issuing_);
  load_slots(state, awaiting_data_, writes_.slots.size());
  early_head_ = 0;
  early_count_ = static_cast<uint32_t>(state.u64(kMostEarlyBeats));
  for (uint32_t i = 0; i < early_count_; ++i) {
    const std::vector<uint64_t> strobe = state.u64s(2);
    if (strobe.size() != 2) state.fail("found a part of a strobe");
    std::copy(strobe.begin(), strobe.end(), early_[i].strobe);
    state.bytes_into(early_[i].data, data_bytes_);
    early_[i].last = state.boolean();
  }
  wake_ = state.u64();
  read_pace_.free = state.u64();
  write_pace_.free = state.u64();
  reads_wait_for_pace_ = state.boolean();
  memory_->load(state);
  timing_->load(state);
  if (program_) program_->load(state);
  if (!state.next_section_is(kLatencies)) return;  // one of before there were any
  state.section(kLatencies, 1);
  reads_.latencies.load(state);
  writes_.latencies.load(state);
}

}  // namespace firesim::bridges
