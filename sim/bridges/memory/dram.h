// SPDX-License-Identifier: BSD-3-Clause
// DDR3 timing: banks, ranks, rows, refresh, first-come first-served or row-hit-first scheduling.
// Times inside are DRAM clock cycles. Works from event to event: nothing is done for cycles in
// which no command can issue, and refreshes of idle stretches are worked out afterwards.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "bridges/memory/timing.h"

namespace firesim::bridges {

// DDR3-2133 14-14-14 unless configured; in DRAM clock cycles.
struct DramTimings {
  uint32_t tCAS = 14, tCWD = 10, tRCD = 14, tRP = 14, tRAS = 33, tRC = 47;
  uint32_t tRRD = 6, tFAW = 25, tCCD = 4, tWR = 15, tWTR = 8, tRTP = 8;
  uint32_t tRFC = 160, tREFI = 7800, tRTRS = 2;
};

struct DramConfig {
  DramTimings timings;
  uint32_t ranks = 1;
  uint32_t banks = 8;
  uint32_t row_bytes = 8192;  // of one bank, over the whole channel
  bool open_page = true;
  uint32_t window = 8;          // accesses the scheduler looks at; 1 = first come, first served
  uint32_t queue_depth = 8;     // accesses held; at least `window`
  uint32_t reorder_limit = 64;  // column accesses that may overtake the oldest access
  uint32_t backend_latency_cycles = 0;  // target cycles added to every completion
  uint64_t clock_ratio_dram = 1;        // so many DRAM cycles ...
  uint64_t clock_ratio_target = 3;      // ... in so many target cycles
};

class DramTiming final : public TimingModel {
 public:
  static constexpr uint32_t kAccessBytes = 64;  // burst of 8 beats on a 64-bit channel
  static constexpr uint32_t kBurstCycles = 4;   // of the data bus, double data rate

  explicit DramTiming(const DramConfig &config);

  uint32_t access_bytes() const override { return kAccessBytes; }
  bool has_room() const override { return queue_.size() < config_.queue_depth; }
  void accept(uint64_t cycle, const MemoryAccess &access) override;
  uint64_t next_event() const override;
  void advance(uint64_t cycle, std::vector<uint32_t> &done) override;
  void add_counts(TimingCounts &counts) const override;
  void save(StateWriter &state) const override;
  void load(StateReader &state) override;

 private:
  static constexpr uint32_t kNoRow = UINT32_MAX;

  struct Bank {
    uint32_t row = kNoRow;
    uint64_t next_activate = 0, next_precharge = 0, next_column = 0;
  };
  struct Rank {
    uint64_t next_activate = 0, next_read = 0, next_write = 0;
    std::array<uint64_t, 4> activates{};  // earliest ends of tFAW, a ring
    uint32_t activate_index = 0;
    uint64_t refresh_due = 0;
  };
  struct Queued {
    uint32_t tag, rank, bank, row;
    uint64_t earliest;  // DRAM cycle in which it may first be scheduled
    uint32_t overtaken;
    bool write;
    bool activated;   // a row was opened for it
    bool precharged;  // another row was closed for it
  };
  struct Completion {
    uint64_t cycle;  // target
    uint32_t tag;
  };
  // A command that could be issued, and when. Kinds are in order of priority.
  struct Choice {
    enum class Kind { kRefresh, kColumn, kRow, kNone } kind = Kind::kNone;
    uint64_t cycle = UINT64_MAX;
    uint32_t index = 0;  // in the queue, or the rank of a refresh
  };

  uint64_t to_dram(uint64_t target_cycle) const;  // DRAM cycles begun by then
  uint64_t to_target(uint64_t dram_cycle) const;  // first target cycle not before it
  Bank &bank_of(const Queued &access) { return banks_[access.rank * config_.banks + access.bank]; }
  const Bank &bank_of(const Queued &access) const {
    return banks_[access.rank * config_.banks + access.bank];
  }
  Choice choose() const;
  uint32_t window() const;
  Choice access_choice(uint32_t index, uint32_t window) const;
  Choice refresh_choice(uint32_t rank) const;
  bool row_wanted(uint32_t rank, uint32_t bank, uint32_t row, uint32_t window) const;
  void issue(const Choice &choice);
  void issue_column(uint32_t index, uint64_t cycle);
  void limit_ranks(const Queued &access, uint64_t cycle);
  void issue_activate(Queued &access, uint64_t cycle);
  void issue_refresh_step(uint32_t rank, uint64_t cycle);
  void catch_up_refresh(uint64_t dram_cycle);
  void precharge(Bank &bank, uint64_t cycle);
  void complete(uint64_t dram_cycle, uint32_t tag);

  DramConfig config_;
  std::vector<Bank> banks_;
  std::vector<Rank> ranks_;
  std::vector<Queued> queue_;            // oldest first
  std::vector<Completion> completions_;  // earliest last
  uint64_t next_command_ = 0;            // the command bus carries one command a cycle
  Choice next_;
  TimingCounts counts_;
};

}  // namespace firesim::bridges
