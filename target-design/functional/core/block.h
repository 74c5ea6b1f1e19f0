// SPDX-License-Identifier: BSD-3-Clause
// Decoded code: blocks of instructions in the form the interpreter runs, and the cache of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <unordered_map>
#include <vector>

#include "instruction.h"

namespace firesim::functional {

inline constexpr uint64_t kPageBytes = 4096;
inline constexpr uint32_t kMaxInstructions = 48;  // in one block; Op::rest must hold it
inline constexpr uint32_t kZeroSink = 32;         // where a result for x0 goes

// Which of the interpreter's loops a block is made for.
enum class Loop : uint8_t {
  kPlain,
  kTold,    // tells where instructions lead
  kCached,  // follows what the first-level caches hold
};
inline constexpr size_t kLoops = 3;

struct Block;

// One step of a block. `rest` is the number of instructions of the block after this one: what the
// budget gets back when the block is left here. Jumps are followed by a Link.
struct Op {
  const void *handler;
  uint8_t rd, rs1, rs2, rest;
  int32_t immediate;
};

// Where a direct jump leads, when it was last taken under `tag` (see Core::tag).
struct Link {
  Block *target;
  uint64_t tag;
};
static_assert(sizeof(Link) == sizeof(Op), "a Link takes the place of an Op");

// The largest number of Ops: an instruction makes at most three (a link register, a jump, a Link),
// a block one at its begin that tells and two at its end; where caches are followed, two for each
// of the lines it may lie in.
inline constexpr uint32_t kMaxOps = 3 * kMaxInstructions + 3 + 2 * 5;

struct Block {
  uint64_t pc;           // virtual address of the first instruction
  uint64_t physical;     // its physical address
  uint64_t second_page;  // physical page of its last 2 bytes when it spans pages, else 0
  Block *next_in_bucket;
  Block *next_in_page;
  uint32_t instructions;  // how many it has
  uint32_t bytes;
  bool float_enabled;  // decoded with mstatus.FS on
  bool cached;         // may be linked to
  uint16_t *offsets;   // of the Ops from pc, in bytes
  Op *ops;
};

// Owns the blocks of a hart, in so many bytes at most. Blocks stay in memory until reset(), also
// when they are dropped. Takes little memory for little code: thousands of clones have one each.
class BlockCache {
 public:
  explicit BlockCache(size_t bytes);

  // The block for these, or nullptr.
  Block *find(uint64_t pc, uint64_t physical, bool float_enabled);

  // Whether a block of so many Ops can be added.
  bool has_room(uint32_t ops) const { return used_ + bytes_of(ops) <= bytes_; }

  // Copies a block with its ops into the cache, which has room; `dram_page` is the DRAM page it
  // begins in.
  Block *add(const Block &block, uint32_t ops, uint64_t dram_page);

  // Drops all blocks that begin in a page, and those that span pages; false if there were none.
  bool drop_page(uint64_t dram_page);
  void reset();

  // Counts resets: an address of an Op from before one is stale.
  uint64_t generation() const { return generation_; }

 private:
  static constexpr size_t kFewestBuckets = 1 << 10;  // powers of two
  static constexpr size_t kMostBuckets = 1 << 16;
  struct Free {
    void operator()(std::byte *place) const { std::free(place); }
  };
  using Arena = std::unique_ptr<std::byte[], Free>;
  static Arena make_arena(size_t bytes);
  static size_t bytes_of(uint32_t ops);
  size_t fewest_buckets() const;
  Block *&bucket(uint64_t pc, uint64_t physical);
  void grow();
  void drop_list(Block *head);

  const size_t bytes_;
  std::vector<Block *> buckets_;
  std::unordered_map<uint64_t, Block *> pages_;  // by DRAM page
  Block *spanning_ = nullptr;
  Arena arena_;
  size_t used_ = 0;    // bytes of the arena
  size_t blocks_ = 0;  // in it
  uint64_t generation_ = 0;
};

}  // namespace firesim::functional
