// SPDX-License-Identifier: BSD-3-Clause
// The simplest timing: every access is done a fixed number of cycles after it arrived.
#pragma once

#include "bridges/memory/timing.h"

namespace firesim::bridges {

class FixedTiming final : public TimingModel {
 public:
  static constexpr uint32_t kAccessBytes = 4096;  // a whole AXI burst

  // `latency_cycles` >= 1; at most `most_pending` accesses at a time.
  FixedTiming(uint64_t latency_cycles, uint32_t most_pending)
      : latency_cycles_(latency_cycles), ring_(most_pending) {}

  uint32_t access_bytes() const override { return kAccessBytes; }
  bool has_room() const override { return count_ < ring_.size(); }
  void accept(uint64_t cycle, const MemoryAccess &access) override {
    ring_[(head_ + count_++) % ring_.size()] = {cycle + latency_cycles_, access.tag};
  }
  uint64_t next_event() const override { return count_ == 0 ? UINT64_MAX : ring_[head_].cycle; }
  void advance(uint64_t cycle, std::vector<uint32_t> &done) override {
    while (count_ != 0 && ring_[head_].cycle <= cycle) {
      done.push_back(ring_[head_].tag);
      head_ = (head_ + 1) % ring_.size();
      --count_;
    }
  }
  void add_counts(TimingCounts &) const override {}
  void save(StateWriter &state) const override;
  void load(StateReader &state) override;

 private:
  struct Pending {
    uint64_t cycle;
    uint32_t tag;
  };

  uint64_t latency_cycles_;
  std::vector<Pending> ring_;
  size_t head_ = 0;
  size_t count_ = 0;
};

}  // namespace firesim::bridges
