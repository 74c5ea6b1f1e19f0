// SPDX-License-Identifier: BSD-3-Clause
// Last-level cache timing; see cache.h and docs/explanation/memory-timing.md.
#include "bridges/memory/cache.h"

#include <algorithm>

#include "core/check.h"

namespace firesim::bridges {

CacheTiming::CacheTiming(const CacheConfig &config, std::unique_ptr<TimingModel> backend)
    : config_(config),
      backend_(std::move(backend)),
      part_bytes_(std::min(config.block_bytes, backend_->access_bytes())),
      ways_(size_t{config.sets} * config.ways),
      mshrs_(config.mshrs) {
  fills_.reserve(64);
}

void CacheTiming::accept(uint64_t cycle, const MemoryAccess &access) {
  FIRESIM_CHECK(has_room(), "the caller asks has_room() first");
  waiting_.push_back({cycle, access});
}

uint64_t CacheTiming::look_up_cycle() const {
  if (waiting_.empty() || blocked_) return UINT64_MAX;
  return std::max(next_look_up_, waiting_.front().cycle);
}

uint64_t CacheTiming::next_event() const {
  uint64_t next = std::min(look_up_cycle(), backend_->next_event());
  if (!hits_.empty()) next = std::min(next, hits_.front().cycle);
  if (!outgoing_.empty() && backend_->has_room()) next = std::min(next, outgoing_.front().cycle);
  return next;
}

void CacheTiming::advance(uint64_t cycle, std::vector<uint32_t> &done) {
  uint64_t last = 0;
  for (uint64_t next = next_event(); next <= cycle; next = next_event()) {
    last = std::max(last, next);  // an access that waited for room is late by now
    run(last, done);
  }
}

void CacheTiming::run(uint64_t cycle, std::vector<uint32_t> &done) {
  finish_fills(cycle, done);
  for (; !hits_.empty() && hits_.front().cycle <= cycle; hits_.pop_front()) {
    done.push_back(hits_.front().tag);
  }
  if (look_up_cycle() <= cycle) {
    blocked_ = !look_up(cycle);
    if (!blocked_) {
      next_look_up_ = cycle + 1;
      waiting_.pop_front();
    }
  }
  while (!outgoing_.empty() && outgoing_.front().cycle <= cycle && backend_->has_room()) {
    backend_->accept(cycle, outgoing_.front().access);
    outgoing_.pop_front();
    blocked_ = false;
  }
}

void CacheTiming::finish_fills(uint64_t cycle, std::vector<uint32_t> &done) {
  fills_.clear();
  backend_->advance(cycle, fills_);
  for (const uint32_t tag : fills_) {
    if (tag == kWriteback) continue;
    Mshr &mshr = mshrs_[tag];
    FIRESIM_CHECK(mshr.busy && mshr.parts_left != 0, "a fill belongs to a busy MSHR");
    if (--mshr.parts_left != 0) continue;
    mshr.way->filling = false;
    mshr.busy = false;
    blocked_ = false;
    done.insert(done.end(), mshr.waiting.begin(), mshr.waiting.end());
    mshr.waiting.clear();
  }
}

CacheTiming::Way *CacheTiming::find(uint64_t block) {
  Way *first = &ways_[block % config_.sets * config_.ways];
  for (uint32_t i = 0; i < config_.ways; ++i) {
    if (first[i].valid && first[i].block == block) return &first[i];
  }
  return nullptr;
}

CacheTiming::Way *CacheTiming::victim(uint64_t block) {
  Way *first = &ways_[block % config_.sets * config_.ways];
  Way *oldest = nullptr;
  for (uint32_t i = 0; i < config_.ways; ++i) {
    if (!first[i].valid) return &first[i];
    if (first[i].filling) continue;
    if (oldest == nullptr || first[i].last_use < oldest->last_use) oldest = &first[i];
  }
  return oldest;
}

CacheTiming::Mshr *CacheTiming::free_mshr() {
  for (Mshr &mshr : mshrs_) {
    if (!mshr.busy) return &mshr;
  }
  return nullptr;
}

bool CacheTiming::look_up(uint64_t cycle) {
  const MemoryAccess access = waiting_.front().access;
  const uint64_t block = access.address / config_.block_bytes;
  Way *way = find(block);
  if (way == nullptr) return miss(cycle, block, access);
  way->last_use = ++uses_;
  way->dirty |= access.write;
  if (way->filling) {  // joins the miss under way
    ++counts_.cache_misses;
    for (Mshr &mshr : mshrs_) {
      if (mshr.busy && mshr.block == block) mshr.waiting.push_back(access.tag);
    }
    return true;
  }
  ++counts_.cache_hits;
  hits_.push_back({cycle + config_.hit_latency_cycles, access.tag});
  return true;
}

bool CacheTiming::miss(uint64_t cycle, uint64_t block, const MemoryAccess &access) {
  Way *way = victim(block);
  // A write of the whole block needs nothing from below.
  const bool fill = !access.write || access.bytes < config_.block_bytes;
  Mshr *mshr = fill ? free_mshr() : nullptr;
  if (way == nullptr || (fill && mshr == nullptr)) return false;
  if (outgoing_.size() >= kMostOutgoing) return false;
  ++counts_.cache_misses;
  if (fill) {
    mshr->busy = true;
    mshr->block = block;
    mshr->way = way;
    mshr->parts_left = config_.block_bytes / part_bytes_;
    mshr->waiting.push_back(access.tag);
    send(cycle, block, false, static_cast<uint32_t>(mshr - mshrs_.data()));
  } else {
    hits_.push_back({cycle + config_.hit_latency_cycles, access.tag});
  }
  if (way->valid && way->dirty) evict(cycle, *way);
  *way = Way{block, ++uses_, true, access.write, fill};
  return true;
}

void CacheTiming::evict(uint64_t cycle, Way &way) {
  ++counts_.cache_writebacks;
  send(cycle, way.block, true, kWriteback);
}

void CacheTiming::send(uint64_t cycle, uint64_t block, bool write, uint32_t tag) {
  for (uint32_t offset = 0; offset < config_.block_bytes; offset += part_bytes_) {
    const uint64_t address = block * config_.block_bytes + offset;
    outgoing_.push_back(
        {cycle + config_.hit_latency_cycles, MemoryAccess{address, part_bytes_, tag, write}});
  }
}

void CacheTiming::add_counts(TimingCounts &counts) const {
  counts.cache_hits += counts_.cache_hits;
  counts.cache_misses += counts_.cache_misses;
  counts.cache_writebacks += counts_.cache_writebacks;
  backend_->add_counts(counts);
}

}  // namespace firesim::bridges
