// SPDX-License-Identifier: BSD-3-Clause
// One view of a node's memory; see coherent_memory.h.
#include "bridges/coherent_memory.h"

#include <algorithm>
#include <cstring>

namespace firesim::bridges {

void CoherentMemory::add_data_cache(const nlohmann::json &json, const std::string &where,
                                    const SignalsByName &signals) {
  caches_.push_back(std::make_unique<DirtyLines>(json, where, signals));
}

void CoherentMemory::add_memory_side(const nlohmann::json &json, const std::string &where,
                                     const SignalsByName &signals) {
  memory_side_.push_back(std::make_unique<MemorySideCache>(json, where, signals));
}

// What has arrived is forgotten at once: nobody changes a line below before it has arrived there.
void CoherentMemory::before_settle() {
  if (memory_ == nullptr) return;
  to_memory_.forget_arrived([this](uint64_t at, auto bytes) { read_memory(at, bytes); });
  to_memory_side_.forget_arrived([this](uint64_t at, auto bytes) { read_below_caches(at, bytes); });
  for (const auto &cache : memory_side_) cache->before_settle(to_memory_);
  for (const auto &cache : caches_) cache->before_settle(to_memory_side_);
}

void CoherentMemory::read_memory(uint64_t physical, std::span<uint8_t> bytes) const {
  if (memory_->contains(physical, bytes.size())) {
    std::memcpy(bytes.data(), memory_->at(physical), bytes.size());
  }
}

void CoherentMemory::read_below_caches(uint64_t physical, std::span<uint8_t> bytes) const {
  read_memory(physical, bytes);
  to_memory_.lay_over(physical, bytes);
  for (const auto &cache : memory_side_) cache->lay_over(physical, bytes);
}

bool CoherentMemory::read(uint64_t physical, std::span<uint8_t> bytes) const {
  if (memory_ == nullptr || !memory_->contains(physical, bytes.size())) return false;
  read_below_caches(physical, bytes);
  to_memory_side_.lay_over(physical, bytes);
  for (const auto &cache : caches_) cache->lay_over(physical, bytes);
  return true;
}

}  // namespace firesim::bridges
