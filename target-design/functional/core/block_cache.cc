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
  FIRESIM_CHECK(bytes % kPageBytes == 0 && bytes >= bytes_of(kMaxOps),
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

size_t BlockCache::bytes_of(uint32_t ops) {
  const size_t bytes = sizeof(Block) + ops * (sizeof(Op) + sizeof(uint16_t));
  return (bytes + 15) & ~size_t{15};
}

Block *&BlockCache::bucket(uint64_t pc, uint64_t physical) {
  const uint64_t mixed = (pc ^ physical << 20) * 0x9e37'79b9'7f4a'7c15;
  return buckets_[(mixed >> 48) & (buckets_.size() - 1)];
}

Block *BlockCache::find(uint64_t pc, uint64_t physical, bool float_enabled) {
  Block *block = bucket(pc, physical);
  while (block != nullptr && (block->pc != pc || block->physical != physical ||
                              block->float_enabled != float_enabled)) {
    block = block->next_in_bucket;
  }
  return block;
}

Block *BlockCache::add(const Block &block, uint32_t ops, uint64_t dram_page) {
  std::byte *place = arena_.get() + used_;
  used_ += bytes_of(ops);
  Block *made = new (place) Block(block);
  made->ops = reinterpret_cast<Op *>(place + sizeof(Block));
  made->offsets = reinterpret_cast<uint16_t *>(made->ops + ops);
  std::memcpy(static_cast<void *>(made->ops), block.ops, ops * sizeof(Op));
  std::memcpy(made->offsets, block.offsets, ops * sizeof(uint16_t));
  made->cached = true;
  if (++blocks_ > buckets_.size() && buckets_.size() < kMostBuckets) grow();
  Block *&head = bucket(made->pc, made->physical);
  made->next_in_bucket = head;
  head = made;
  Block *&list = made->second_page != 0 ? spanning_ : pages_[dram_page];
  made->next_in_page = list;
  list = made;
  return made;
}

void BlockCache::grow() {
  const std::vector<Block *> before = std::exchange(buckets_, {});
  buckets_.resize(2 * before.size());
  for (Block *block : before) {
    while (block != nullptr) {
      Block *const next = block->next_in_bucket;
      Block *&head = bucket(block->pc, block->physical);
      block->next_in_bucket = head;
      head = block;
      block = next;
    }
  }
}

void BlockCache::drop_list(Block *head) {
  for (Block *block = head; block != nullptr; block = block->next_in_page) {
    Block **link = &bucket(block->pc, block->physical);
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
