// SPDX-License-Identifier: BSD-3-Clause
// Lines that caches hold; see l1_caches.h.
#include "l1_caches.h"

#include <algorithm>

namespace firesim::functional {
namespace {

// Different for each cache of a blade, and never 0. The constant is that of SplitMix64.
uint64_t seed_of(uint32_t hart, uint32_t cache) {
  return 0x9e37'79b9'7f4a'7c15 * (2 * uint64_t{hart} + cache + 1);
}

}  // namespace

// The generator is xorshift64 (G. Marsaglia, "Xorshift RNGs", Journal of Statistical Software
// 2003).
uint64_t LineStore::put(uint64_t line, State to) {
  random_ ^= random_ << 13;
  random_ ^= random_ >> 7;
  random_ ^= random_ << 17;
  const uint64_t way = random_ >> 32 & (shape_.ways - 1);
  uint64_t &entry = entries_[line % shape_.sets * shape_.ways + way];
  const uint64_t before = state(entry) == kInvalid ? kNone : LineStore::line(entry);
  entry = line << kStateBits | to;
  return before;
}

std::optional<std::string> LineStore::restore(std::vector<uint64_t> entries, uint64_t random,
                                              uint64_t lines) {
  if (entries.size() != entries_.size()) return "found a cache that does not hold all of its lines";
  if (random == 0) return "found a generator of random numbers at 0";
  for (size_t i = 0; i < entries.size(); ++i) {
    if (state(entries[i]) == kInvalid) continue;
    if (line(entries[i]) >= lines) return "found a cache with a line beyond the memory";
    if (line(entries[i]) % shape_.sets != i / shape_.ways) return "found a line in another's set";
  }
  entries_ = std::move(entries);
  random_ = random;
  return std::nullopt;
}

L1Caches::L1Caches(L1Group &all, L1Shape shape, uint32_t hart)
    : all_(all),
      instructions_(shape.instructions, seed_of(hart, 0)),
      data_(shape.data, seed_of(hart, 1)) {}

void L1Caches::load_other(uint64_t line) {
  if (data_.find(line) == nullptr) {
    const bool is_shared = all_.share_with_others(*this, line);
    const uint64_t lost = data_.put(line, is_shared ? LineStore::kShared : LineStore::kExclusive);
    if (lost == stored_) stored_ = LineStore::kNone;
  }
  loaded_ = line;
}

void L1Caches::store_other(uint64_t line) {
  uint64_t *entry = data_.find(line);
  if (entry == nullptr) {
    all_.take_from_others(*this, line);
    const uint64_t lost = data_.put(line, LineStore::kDirty);
    if (lost == loaded_) loaded_ = LineStore::kNone;
  } else {
    if (LineStore::state(*entry) == LineStore::kShared) all_.take_from_others(*this, line);
    LineStore::set_state(*entry, LineStore::kDirty);
  }
  stored_ = line;
}

void L1Caches::fetch_other(uint64_t line) {
  if (instructions_.find(line) == nullptr) instructions_.put(line, LineStore::kShared);
  fetched_ = line;
}

void L1Caches::fence_instructions() {
  instructions_.clear();
  fetched_ = LineStore::kNone;
}

void L1Caches::take(uint64_t line) {
  uint64_t *entry = data_.find(line);
  if (entry == nullptr) return;
  *entry = 0;
  if (line == loaded_) loaded_ = LineStore::kNone;
  if (line == stored_) stored_ = LineStore::kNone;
}

bool L1Caches::share(uint64_t line) {
  uint64_t *entry = data_.find(line);
  if (entry == nullptr) return false;
  LineStore::set_state(*entry, LineStore::kShared);
  if (line == stored_) stored_ = LineStore::kNone;
  return true;
}

L1Group::L1Group(uint32_t harts, L1Shape shape) : shape_(shape) {
  for (uint32_t i = 0; i < harts; ++i) {
    harts_.push_back(std::make_unique<L1Caches>(*this, shape, i));
  }
}

void L1Group::written_by_device(uint64_t offset, uint64_t bytes) {
  if (bytes == 0) return;
  for (uint64_t line = offset / kLineBytes; line <= (offset + bytes - 1) / kLineBytes; ++line) {
    for (const auto &hart : harts_) hart->take(line);
  }
}

void L1Group::take_from_others(const L1Caches &self, uint64_t line) {
  for (const auto &hart : harts_) {
    if (hart.get() != &self) hart->take(line);
  }
}

bool L1Group::share_with_others(const L1Caches &self, uint64_t line) {
  bool is_shared = false;
  for (const auto &hart : harts_) {
    if (hart.get() != &self) is_shared |= hart->share(line);
  }
  return is_shared;
}

}  // namespace firesim::functional
