// SPDX-License-Identifier: BSD-3-Clause
// Which lines of DRAM the first-level caches of a blade's harts would hold, so that a warm start
// can fill those of the RTL. Contents alone are modelled, no time. The caches are Rocket's: a data
// cache and an instruction cache for each hart, sets and ways, the way that a new line gets drawn
// at random, data caches coherent, instruction caches emptied by fence.i.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace firesim::functional {

inline constexpr uint64_t kLineBytes = 64;

struct CacheShape {
  uint32_t sets = 64, ways = 4;  // powers of two

  bool operator==(const CacheShape &) const = default;
  uint32_t lines() const { return sets * ways; }
};

struct L1Shape {
  CacheShape instructions, data;

  bool operator==(const L1Shape &) const = default;
};

// The largest of each, as large as a blade's file may ask for.
inline constexpr uint32_t kMostCacheSets = 4096, kMostCacheWays = 16;

// The lines of one cache, by set and way. A line is known by its number: its offset in DRAM by the
// bytes of a line.
class LineStore {
 public:
  enum State : uint64_t { kInvalid = 0, kShared = 1, kExclusive = 2, kDirty = 3 };
  static constexpr uint64_t kNone = ~uint64_t{0};

  LineStore(CacheShape shape, uint64_t seed)
      : shape_(shape), entries_(shape.lines()), random_(seed) {}

  CacheShape shape() const { return shape_; }
  // Where the line is; nullptr: nowhere.
  uint64_t *find(uint64_t line) {
    uint64_t *set = &entries_[line % shape_.sets * shape_.ways];
    for (uint32_t way = 0; way < shape_.ways; ++way) {
      if (set[way] >> kStateBits == line && state(set[way]) != kInvalid) return &set[way];
    }
    return nullptr;
  }
  // Puts a line, which is nowhere, into a way drawn at random; returns the line it takes the place
  // of, or kNone.
  uint64_t put(uint64_t line, State to);
  void clear() { entries_.assign(entries_.size(), 0); }

  static State state(uint64_t entry) { return static_cast<State>(entry & kStateMask); }
  static uint64_t line(uint64_t entry) { return entry >> kStateBits; }
  static void set_state(uint64_t &entry, State to) { entry = (entry & ~kStateMask) | to; }

  // All of it, for snapshots: an entry for each way of each set, and the generator.
  const std::vector<uint64_t> &entries() const { return entries_; }
  uint64_t random() const { return random_; }
  // Says what is wrong with them where there are `lines` lines of memory; else takes them.
  std::optional<std::string> restore(std::vector<uint64_t> entries, uint64_t random,
                                     uint64_t lines);

 private:
  static constexpr uint32_t kStateBits = 2;
  static constexpr uint64_t kStateMask = 3;

  CacheShape shape_;
  std::vector<uint64_t> entries_;  // line << kStateBits | state
  uint64_t random_;                // never 0
};

class L1Group;

// The caches of one hart. The interpreter asks for the same line many times in a row: such an
// access changes nothing and ends inline.
class L1Caches {
 public:
  L1Caches(L1Group &all, L1Shape shape, uint32_t hart);

  void load(uint64_t line) {
    if (line != loaded_) load_other(line);
  }
  void store(uint64_t line) {
    if (line != stored_) store_other(line);
  }
  void fetch(uint64_t line) {
    if (line != fetched_) fetch_other(line);
  }
  void fence_instructions();

  LineStore &instructions() { return instructions_; }
  LineStore &data() { return data_; }
  // Another hart, or a device, takes a line, or shares it.
  void take(uint64_t line);
  bool share(uint64_t line);  // whether it has it

 private:
  void load_other(uint64_t line);
  void store_other(uint64_t line);
  void fetch_other(uint64_t line);

  L1Group &all_;
  LineStore instructions_, data_;
  // In the data cache, dirty, and in the instruction cache, without a look.
  uint64_t loaded_ = LineStore::kNone, stored_ = LineStore::kNone, fetched_ = LineStore::kNone;
};

// The caches of all harts of a blade.
class L1Group {
 public:
  L1Group(uint32_t harts, L1Shape shape);

  L1Shape shape() const { return shape_; }
  uint32_t size() const { return static_cast<uint32_t>(harts_.size()); }
  L1Caches &operator[](uint32_t hart) { return *harts_[hart]; }
  // A device wrote DRAM [offset, offset + bytes).
  void written_by_device(uint64_t offset, uint64_t bytes);
  // All data caches but one lose a line, or go on with it shared; returns whether one has it.
  void take_from_others(const L1Caches &self, uint64_t line);
  bool share_with_others(const L1Caches &self, uint64_t line);

 private:
  L1Shape shape_;
  std::vector<std::unique_ptr<L1Caches>> harts_;
};

}  // namespace firesim::functional
