// SPDX-License-Identifier: BSD-3-Clause
// When memory accesses complete. A timing model holds no data: it is told which accesses arrive in
// which target cycle and says in which cycle each one is done. docs/explanation/memory-timing.md.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/state.h"
#include "devices/config.h"

namespace firesim::bridges {

using namespace devices;  // what a timing model is configured with

// One access: at most access_bytes() bytes that do not cross a multiple of access_bytes().
struct MemoryAccess {
  uint64_t address;  // from the start of the memory
  uint32_t bytes;
  uint32_t tag;  // the caller's; comes back with the completion
  bool write;
};

// What happened, for the statistics file.
struct TimingCounts {
  uint64_t row_hits = 0;       // accesses whose row was open
  uint64_t row_misses = 0;     // for which a row had to be opened
  uint64_t row_conflicts = 0;  // for which another row had to be closed first
  uint64_t refreshes = 0;
  uint64_t cache_hits = 0;
  uint64_t cache_misses = 0;
  uint64_t cache_writebacks = 0;
};

class TimingModel {
 public:
  virtual ~TimingModel() = default;

  // Largest access taken, a power of two.
  virtual uint32_t access_bytes() const = 0;
  // True when accept() may be called now.
  virtual bool has_room() const = 0;
  // Cycles never decrease between calls.
  virtual void accept(uint64_t cycle, const MemoryAccess &access) = 0;
  // Earliest cycle at which advance() may do something; UINT64_MAX when nothing is pending.
  virtual uint64_t next_event() const = 0;
  // Appends the tags of all accesses done by `cycle` to `done`, in order of completion.
  virtual void advance(uint64_t cycle, std::vector<uint32_t> &done) = 0;
  virtual void add_counts(TimingCounts &counts) const = 0;
  // Everything that is pending, and the counts; a section of its own.
  virtual void save(StateWriter &state) const = 0;
  virtual void load(StateReader &state) = 0;
};

// Limits of the AXI side.
struct AxiLimits {
  uint32_t max_reads = 32;  // outstanding bursts
  uint32_t max_writes = 32;
  uint32_t bytes_per_cycle = 0;  // of each data channel; 0 = one beat a cycle
};

// Reads "timing" and "llc" of the memory bridge's configuration. `clock_hz` is the target clock.
// Throws ConfigError.
std::unique_ptr<TimingModel> make_timing_model(const nlohmann::json &timing,
                                               const nlohmann::json &llc, const std::string &where,
                                               AxiLimits &limits);

}  // namespace firesim::bridges
