// SPDX-License-Identifier: BSD-3-Clause
// The cache of decoded blocks, found by virtual and physical address.
#include <sys/mman.h>

#include <cstring>
#include <utility>

#include "block.h"
#include "shared_state.h"
#include "sim/core/check.h"

namespace firesim::functional {
namespace {

constexpr size_t kHugePageBytes = 2 << 20;

}  // namespace

BlockCache::BlockCache(size_t bytes)
    : bytes_(bytes), buckets_(fewest_buckets()), arena_(make_arena(bytes)) {
  FIRESIM_CHECK(bytes % kPageBytes == 0 && bytes >= block_bytes(sizeof(OwnBlock), kMaxOps),
                "the memory for decoded code is whole pages, and holds the largest block");
}

// Pages of the arena are touched as they are needed; in a boot, that is every other microsecond, so
// they are huge ones where the host has them. But where many share the host, each is to take no
// more than it needs.
BlockCache::Arena BlockCache::make_arena(size_t bytes) {
  const bool few = bytes == kMostCodeBytes;
  void *place = std::aligned_alloc(few ? kHugePageBytes : kPageBytes, bytes);
  if (place == nullptr) throw std::bad_alloc();
  ::madvise(place, bytes, few ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  return Arena(static_cast<std::byte *>(place));
}

// Where there is room for much code, the table need not grow.
size_t BlockCache::fewest_buckets() const {
  return bytes_ == kMostCodeBytes ? kMostBuckets : kFewestBuckets;
}

OwnBlock *&BlockCache::bucket(const CodePlace &place) {
  const uint64_t mixed = (place.pc ^ place.physical << 20) * 0x9e37'79b9'7f4a'7c15;
  return buckets_[(mixed >> 48) & (buckets_.size() - 1)];
}

Block *BlockCache::find(const CodePlace &place) {
  OwnBlock *block = bucket(place);
  while (block != nullptr && block->place != place) block = block->next_in_bucket;
  return block;
}

void copy_ops(const Block &block, uint32_t ops, Block &made, std::byte *behind) {
  made.ops = reinterpret_cast<Op *>(behind);
  made.offsets = reinterpret_cast<uint16_t *>(made.ops + ops);
  std::memcpy(static_cast<void *>(made.ops), block.ops, ops * sizeof(Op));
  std::memcpy(made.offsets, block.offsets, ops * sizeof(uint16_t));
}

Block *BlockCache::add(const Block &block, uint32_t ops, const CodePlace &place,
                       uint64_t dram_page) {
  std::byte *at = arena_.get() + used_;
  used_ += block_bytes(sizeof(OwnBlock), ops);
  auto *made = new (at) OwnBlock{block, place, nullptr, nullptr};
  copy_ops(block, ops, *made, at + sizeof(OwnBlock));
  made->cached = true;
  if (++blocks_ > buckets_.size() && buckets_.size() < kMostBuckets) grow();
  OwnBlock *&head = bucket(place);
  made->next_in_bucket = head;
  head = made;
  OwnBlock *&list = place.second_page != 0 ? spanning_ : pages_[dram_page];
  made->next_in_page = list;
  list = made;
  return made;
}

void BlockCache::grow() {
  const std::vector<OwnBlock *> before = std::exchange(buckets_, {});
  buckets_.resize(2 * before.size());
  for (OwnBlock *block : before) {
    while (block != nullptr) {
      OwnBlock *const next = block->next_in_bucket;
      OwnBlock *&head = bucket(block->place);
      block->next_in_bucket = head;
      head = block;
      block = next;
    }
  }
}

void BlockCache::drop_list(OwnBlock *head) {
  for (OwnBlock *block = head; block != nullptr; block = block->next_in_page) {
    OwnBlock **link = &bucket(block->place);
    while (*link != block) link = &(*link)->next_in_bucket;
    *link = block->next_in_bucket;
  }
}

bool BlockCache::drop_page(uint64_t dram_page) {
  const auto page = pages_.find(dram_page);
  if (page == pages_.end() && spanning_ == nullptr) return false;
  if (page != pages_.end()) {
    drop_list(page->second);
    pages_.erase(page);
  }
  drop_list(std::exchange(spanning_, nullptr));
  return true;
}

void BlockCache::reset() {
  buckets_.assign(fewest_buckets(), nullptr);
  pages_.clear();
  spanning_ = nullptr;
  used_ = 0;
  blocks_ = 0;
  ++generation_;
}

}  // namespace firesim::functional
