// SPDX-License-Identifier: BSD-3-Clause
// A node's memory as its harts would load it: dirty lines of their caches, lines on their way, what
// a memory-side cache has, and what memory has, the newest first.
//
// It shows what a cycle found: stores of instructions that have retired before are in it, wherever
// they wait. What devices write is in it once it has reached the memory-side cache, or memory.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "bridges/dirty_lines.h"
#include "bridges/leaving_lines.h"
#include "bridges/memory_side_cache.h"
#include "devices/guest_memory.h"

namespace firesim::bridges {

class CoherentMemory {
 public:
  // `memory` may be null: nothing can be read then.
  explicit CoherentMemory(devices::GuestMemory *memory) : memory_(memory) {}

  // A data cache of a hart, as DirtyLines has it; a memory-side one, as MemorySideCache has it.
  // Throw ConfigError.
  void add_data_cache(const nlohmann::json &json, const std::string &where,
                      const SignalsByName &signals);
  void add_memory_side(const nlohmann::json &json, const std::string &where,
                       const SignalsByName &signals);

  // Before each cycle. Lines that were on their way before the first call are not known of.
  void before_settle();
  // From before_settle() on until the next cycle. False where there is no memory.
  bool read(uint64_t physical, std::span<uint8_t> bytes) const;

 private:
  void read_memory(uint64_t physical, std::span<uint8_t> bytes) const;
  void read_below_caches(uint64_t physical, std::span<uint8_t> bytes) const;

  devices::GuestMemory *const memory_;
  std::vector<std::unique_ptr<DirtyLines>> caches_;
  std::vector<std::unique_ptr<MemorySideCache>> memory_side_;
  LeavingLines to_memory_side_, to_memory_;
};

}  // namespace firesim::bridges
