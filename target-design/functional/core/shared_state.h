// SPDX-License-Identifier: BSD-3-Clause
// What the harts of one blade must know of each other: which DRAM lines hold code that any of them
// has decoded, which lines are reserved by LR, and when the region of interest began. Made once per
// blade, before its harts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <unordered_map>
#include <vector>

#include "fence_check.h"
#include "l1_caches.h"
#include "memory_map.h"

namespace firesim::functional {

class CodePage;
class CodeStore;
class Core;

// The most memory that decoded code of a hart takes.
inline constexpr size_t kMostCodeBytes = 48 << 20;

// A block that has run so often is worth its translation; one of the second number is interpreted.
inline constexpr int32_t kTranslateAfter = 500;
inline constexpr int32_t kNeverTranslated = std::numeric_limits<int32_t>::max();

struct FreeMemory {
  void operator()(void *place) const { std::free(place); }
};
// Zeroes, which take the host's memory page by page as they are used.
template <typename T>
std::unique_ptr<T[], FreeMemory> untouched(size_t count) {
  auto *place = static_cast<T *>(std::calloc(count, sizeof(T)));
  if (place == nullptr) throw std::bad_alloc();
  return std::unique_ptr<T[], FreeMemory>(place);
}

class SharedState {
 public:
  // Each hart has `code_bytes` for decoded code of its own, whole pages. When they are full it is
  // decoded anew. With a `store`, which outlives this, they share there what they can.
  explicit SharedState(const Dram &dram, size_t code_bytes = kMostCodeBytes,
                       CodeStore *store = nullptr);
  ~SharedState();
  SharedState(const SharedState &) = delete;
  SharedState &operator=(const SharedState &) = delete;

  // From now on every store takes the slow path, and fetches of what it changed are found.
  void check_fences(uint32_t harts) { fence_check_ = std::make_unique<FenceCheck>(harts); }
  FenceCheck *fence_check() const { return fence_check_.get(); }  // nullptr: not asked for

  // From now on it is followed what the first-level caches of the harts hold.
  void follow_l1(uint32_t harts, L1Shape shape) { l1_ = std::make_unique<L1Group>(harts, shape); }
  L1Group *l1() const { return l1_.get(); }  // nullptr: it is not

  // Blocks are translated after so many turns of the interpreter: 0 at once.
  void set_translate_after(int32_t turns) { translate_after_ = turns; }
  int32_t translate_after() const { return translate_after_; }

  size_t code_bytes() const { return code_bytes_; }
  CodeStore *store() const { return store_; }

  // A hart begins to run, so that none is within a block: those of pages that changed may go.
  void begin_run() {
    if (!changed_.empty()) release_changed();
  }

  // The shared code of a page, whose stores are watched from then on; nullptr where there is none.
  CodePage *code_page(uint64_t dram_page);

  void add(Core &core);
  void remove(Core &core);

  // A hart decoded instructions in [offset, offset + bytes) of DRAM: stores there must be seen.
  void note_code(uint64_t offset, uint64_t bytes);

  // True if a store to this page must take the slow path for `self`: it holds decoded code, or
  // another hart's reservation.
  bool page_is_watched(uint64_t offset, const Core &self) const;

  // Memory [offset, offset + bytes) was stored to by `writer` (nullptr: a device). Drops decoded
  // code there in all harts, and other harts' reservations. True if there was code.
  bool written(uint64_t offset, uint64_t bytes, const Core *writer);

  // All decoded code is dropped by all harts (DRAM may have changed anywhere).
  void forget_code();

  // Other harts hold reservations on these pages: called by `self` before it runs.
  void drop_reserved_pages(Core &self) const;

  // The cycle in which a hart first committed the start of a region of interest; none: kNever.
  static constexpr uint64_t kNever = UINT64_MAX;
  uint64_t region_start_cycle() const { return region_start_cycle_; }
  void note_region_start(uint64_t cycle) {
    if (cycle < region_start_cycle_) region_start_cycle_ = cycle;
  }

 private:
  struct SharedPage {
    CodePage *code = nullptr;
    uint32_t changes = 0;  // since it was first code
  };
  // A page changes, or is given up.
  bool let_go(uint64_t dram_page);
  void let_all_go();
  void release_changed();

  Dram dram_;
  const size_t code_bytes_;
  int32_t translate_after_ = kTranslateAfter;
  CodeStore *const store_;
  // Per 4 KiB page, a bit for each of its 64-byte lines; in memory that is taken where it is used.
  std::unique_ptr<uint64_t[], FreeMemory> code_lines_;
  std::unordered_map<uint64_t, SharedPage> shared_pages_;  // by DRAM page
  std::vector<CodePage *> changed_;                        // let go, and still to be released
  std::vector<Core *> cores_;
  std::unique_ptr<FenceCheck> fence_check_;
  std::unique_ptr<L1Group> l1_;
  uint64_t region_start_cycle_ = kNever;
};

}  // namespace firesim::functional
