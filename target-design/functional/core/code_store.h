// SPDX-License-Identifier: BSD-3-Clause
// Decoded code that all harts of a process share: by what is in a page, wherever it lies. Clones of
// one node run the same code, so that it is decoded once, and lies in the host's caches for all.
//
// Everything may be called by several threads, each with harts of its own. A page does not change;
// a hart that sees other content lets go of it (SharedState does, for all harts of a blade).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "block.h"
#include "translation/translator.h"

namespace firesim::functional {

// The blocks of one page that begin and end in it. Links from one to another lead there for all.
class CodePage {
 public:
  // The block at an even `offset` in the page, or nullptr.
  Block *find(uint64_t offset) const {
    const int64_t steps = blocks_[offset / 2].load(std::memory_order_acquire);
    if (steps == 0) return nullptr;
    return reinterpret_cast<Block *>(reinterpret_cast<uintptr_t>(this) + steps * kStepBytes);
  }

  // A block lies so many bytes from the page as four bytes from here on, for each two of its
  // content, say in steps; 0: there is none.
  static constexpr int64_t kStepBytes = 16;
  static constexpr int32_t kStepsAt = 0;

 private:
  friend class CodeStore;

  std::array<std::atomic<int32_t>, kPageBytes / 2> blocks_{};  // first, as kStepsAt says
  std::array<uint8_t, kPageBytes> content_{};
  std::vector<std::byte *> pieces_;  // of the store, for blocks
  std::vector<CodeMemory::Piece> translated_;
  std::byte *free_ = nullptr;
  size_t free_bytes_ = 0;
  uint64_t hash_ = 0;
  uint64_t holders_ = 0;
};

class CodeStore {
 public:
  // Takes so many bytes at most, as they are needed; what does not fit is not shared.
  explicit CodeStore(size_t bytes);
  ~CodeStore();
  CodeStore(const CodeStore &) = delete;
  CodeStore &operator=(const CodeStore &) = delete;
  // The one of this process.
  static CodeStore &common();

  // The page with this content, kPageBytes long; nullptr when there is no room. Whoever holds a
  // page releases it once.
  CodePage *acquire(const uint8_t *content);
  void release(CodePage &page);

  // Copies a block with its ops to `offset` of a page that the caller holds, unless another hart
  // has; the block that is there now, or nullptr when there is no room.
  Block *add(CodePage &page, uint64_t offset, const Block &block, uint32_t ops);

  // Gives a block of it the host's code, for all; false when it cannot. `core` is about to run it.
  bool translate(Core &core, Block &block);
  Translator &translator() { return translator_; }

 private:
  // Room for blocks is given to pages in pieces; a page takes as much as some of them, and what it
  // does not need itself is its first room.
  static constexpr size_t kPieceBytes = 4096;
  static constexpr size_t kPagePieces = sizeof(CodePage) / kPieceBytes + 1;

 public:
  static constexpr size_t kLeastBytes = kPagePieces * kPieceBytes;

 private:
  std::byte *take(size_t pieces, std::vector<std::byte *> &free);

  const size_t reserved_;
  Translator translator_;
  std::byte *memory_ = nullptr;
  size_t used_ = 0, end_ = 0;  // within the memory
  std::mutex mutex_;
  std::vector<std::byte *> free_pieces_, free_pages_;    // used before
  std::unordered_multimap<uint64_t, CodePage *> pages_;  // by hash of the content
};

// A Link of a shared block, which other threads may be reading or writing.
inline void set_shared_link(Link &link, Block *target) {
  __atomic_store_n(&link.target, target, __ATOMIC_RELAXED);
  __atomic_store_n(&link.tag, kAnyTag, __ATOMIC_RELEASE);
}
inline uint64_t link_tag(const Link &link) { return __atomic_load_n(&link.tag, __ATOMIC_ACQUIRE); }
inline Block *link_target(const Link &link) {
  return __atomic_load_n(&link.target, __ATOMIC_RELAXED);
}

}  // namespace firesim::functional
