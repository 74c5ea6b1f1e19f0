// SPDX-License-Identifier: BSD-3-Clause
// A last-level cache in front of another timing model: write back, write allocate, least recently
// used, misses under misses up to a number of miss registers (MSHRs).
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "bridges/memory/timing.h"

namespace firesim::bridges {

struct CacheConfig {
  uint32_t sets = 512;
  uint32_t ways = 8;
  uint32_t block_bytes = 64;  // 512 sets of 8 ways of 64 bytes: 256 KiB
  uint32_t mshrs = 8;
  uint32_t hit_latency_cycles = 4;  // target cycles from look-up to data, or to finding the miss
};

class CacheTiming final : public TimingModel {
 public:
  CacheTiming(const CacheConfig &config, std::unique_ptr<TimingModel> backend);

  uint32_t access_bytes() const override { return config_.block_bytes; }
  bool has_room() const override { return waiting_.size() < kMostWaiting; }
  void accept(uint64_t cycle, const MemoryAccess &access) override;
  uint64_t next_event() const override;
  void advance(uint64_t cycle, std::vector<uint32_t> &done) override;
  void add_counts(TimingCounts &counts) const override;
  void save(StateWriter &state) const override;
  void load(StateReader &state) override;

 private:
  static constexpr size_t kMostWaiting = 16;
  static constexpr size_t kMostOutgoing = 128;        // beyond, nothing new may miss
  static constexpr uint32_t kWriteback = UINT32_MAX;  // backend tag that nobody waits for

  struct Way {
    uint64_t block = 0;
    uint64_t last_use = 0;
    bool valid = false, dirty = false, filling = false;
  };
  struct Mshr {
    bool busy = false;
    uint64_t block = 0;
    Way *way = nullptr;
    uint32_t parts_left = 0;        // backend accesses still out
    std::vector<uint32_t> waiting;  // tags
  };
  struct Outgoing {
    uint64_t cycle;
    MemoryAccess access;
  };
  struct Completion {
    uint64_t cycle;
    uint32_t tag;
  };

  void run(uint64_t cycle, std::vector<uint32_t> &done);
  void finish_fills(uint64_t cycle, std::vector<uint32_t> &done);
  // False when the oldest waiting access must wait for a fill or for the backend.
  bool look_up(uint64_t cycle);
  bool miss(uint64_t cycle, uint64_t block, const MemoryAccess &access);
  Way *find(uint64_t block);
  Way *victim(uint64_t block);
  Mshr *free_mshr();
  void evict(uint64_t cycle, Way &way);
  void send(uint64_t cycle, uint64_t block, bool write, uint32_t tag);
  uint64_t look_up_cycle() const;

  CacheConfig config_;
  std::unique_ptr<TimingModel> backend_;
  uint32_t part_bytes_;  // of one backend access
  std::vector<Way> ways_;
  std::vector<Mshr> mshrs_;
  std::deque<Outgoing> waiting_;   // accesses not yet looked up, with their cycle of arrival
  std::deque<Outgoing> outgoing_;  // accesses for the backend
  std::deque<Completion> hits_;    // all take equally long, so they complete in order
  std::vector<uint32_t> fills_;
  uint64_t next_look_up_ = 0;  // one a cycle
  bool blocked_ = false;       // until the next fill, or until the backend takes something
  uint64_t uses_ = 0;
  TimingCounts counts_;
};

}  // namespace firesim::bridges
