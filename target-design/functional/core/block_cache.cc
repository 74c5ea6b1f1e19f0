// SPDX-License-Identifier: BSD-3-Clause
// The cache of decoded blocks, found by virtual and physical address.
#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "block.h"

namespace firesim::functional {
namespace {

constexpr size_t kHugePageBytes = 2 << 20;

}  // namespace

BlockCache::BlockCache(uint64_t dram_bytes)
    : buckets_(kBuckets), pages_(dram_bytes / kPageBytes), arena_(make_arena()) {}

// Pages of the arena are touched as they are needed; in a boot, that is every other microsecond, so
// they are huge ones where the host has them.
BlockCache::Arena BlockCache::make_arena() {
  void *place = std::aligned_alloc(kHugePageBytes, kArenaBytes);
  if (place == nullptr) throw std::bad_alloc();
  ::madvise(place, kArenaBytes, MADV_HUGEPAGE);
  return Arena(static_cast<std::byte *>(place));
}

size_t BlockCache::bucket(uint64_t pc, uint64_t physical) {
  const uint64_t mixed = (pc ^ physical << 20) * 0x9e37'79b9'7f4a'7c15;
  return mixed >> 48;
}

Block *BlockCache::find(uint64_t pc, uint64_t physical, bool float_enabled) const {
  Block *block = buckets_[bucket(pc, physical)];
  while (block != nullptr && (block->pc != pc || block->physical != physical ||
                              block->float_enabled != float_enabled)) {
    block = block->next_in_bucket;
  }
  return block;
}

Block *BlockCache::add(const Block &block, uint32_t ops, uint64_t dram_page) {
  const size_t bytes = sizeof(Block) + ops * (sizeof(Op) + sizeof(uint16_t));
  if (used_ + bytes > kArenaBytes) reset();
  std::byte *place = arena_.get() + used_;
  used_ += (bytes + 15) & ~size_t{15};
  Block *made = new (place) Block(block);
  made->ops = reinterpret_cast<Op *>(place + sizeof(Block));
  made->offsets = reinterpret_cast<uint16_t *>(made->ops + ops);
  std::memcpy(static_cast<void *>(made->ops), block.ops, ops * sizeof(Op));
  std::memcpy(made->offsets, block.offsets, ops * sizeof(uint16_t));
  made->cached = true;
  Block *&head = buckets_[bucket(made->pc, made->physical)];
  made->next_in_bucket = head;
  head = made;
  Block *&list = made->second_page != 0 ? spanning_ : pages_[dram_page];
  made->next_in_page = list;
  list = made;
  return made;
}

void BlockCache::drop_list(Block *&head) {
  for (Block *block = head; block != nullptr; block = block->next_in_page) {
    Block **link = &buckets_[bucket(block->pc, block->physical)];
    while (*link != block) link = &(*link)->next_in_bucket;
    *link = block->next_in_bucket;
  }
  head = nullptr;
}

bool BlockCache::drop_page(uint64_t dram_page) {
  if (pages_[dram_page] == nullptr && spanning_ == nullptr) return false;
  drop_list(pages_[dram_page]);
  drop_list(spanning_);
  return true;
}

void BlockCache::reset() {
  std::fill(buckets_.begin(), buckets_.end(), nullptr);
  std::fill(pages_.begin(), pages_.end(), nullptr);
  spanning_ = nullptr;
  used_ = 0;
  ++generation_;
}

}  // namespace firesim::functional
