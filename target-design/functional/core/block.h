// SPDX-License-Identifier: BSD-3-Clause
// Decoded code: blocks of instructions in the form the interpreter runs, and a hart's own cache of
// them. Those that many harts share are in code_store.h.
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
class CodePage;

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
// Of a Link within a page that is shared: it leads there for every hart.
inline constexpr uint64_t kAnyTag = ~uint64_t{0};
static_assert(sizeof(Link) == sizeof(Op), "a Link takes the place of an Op");

// The largest number of Ops: an instruction makes at most three (a link register, a jump, a Link),
// a block one at its begin that tells and two at its end; where caches are followed, two for each
// of the lines it may lie in.
inline constexpr uint32_t kMaxOps = 3 * kMaxInstructions + 3 + 2 * 5;

// What it runs depends not on where it lies: addresses are relative to its first instruction.
struct Block {
  Op *ops;
  uint16_t *offsets;      // of the Ops from the first instruction, in bytes
  CodePage *page;         // of a shared one, else null
  uint32_t instructions;  // how many it has
  uint32_t bytes;
  bool cached;  // may be linked to
  // How often it is still interpreted before it is translated. Other threads may look at it.
  int32_t heat;
  const void *code;  // the host's, or nullptr; see translation/
  // Where it was decoded, for the loop that follows caches; of a shared one, where one hart has it.
  uint64_t physical;
  uint64_t second_page;  // see CodePlace
};

// Counts that a block is entered; true if it has code or is to be given some.
inline bool is_hot(Block &block) {
  const int32_t left = __atomic_load_n(&block.heat, __ATOMIC_RELAXED);
  if (left == 0) [[unlikely]]
    return true;
  __atomic_store_n(&block.heat, left - 1, __ATOMIC_RELAXED);
  return false;
}

// Where a block of a hart's own cache comes from.
struct CodePlace {
  uint64_t pc;           // virtual address of the first instruction
  uint64_t physical;     // its physical address
  uint64_t second_page;  // physical page of its last 2 bytes when it spans pages, else 0

  bool operator==(const CodePlace &) const = default;
};

struct OwnBlock : Block {
  CodePlace place;
  OwnBlock *next_in_bucket;
  OwnBlock *next_in_page;
};

// What a block with so many Ops takes, its own size included.
constexpr size_t block_bytes(size_t block, uint32_t ops) {
  return (block + ops * (sizeof(Op) + sizeof(uint16_t)) + 15) & ~size_t{15};
}
// Puts a copy of the block's Ops behind `made`, which has room for them there.
void copy_ops(const Block &block, uint32_t ops, Block &made, std::byte *behind);

// Owns the blocks of a hart, in so many bytes at most. Blocks stay in memory until reset(), also
// when they are dropped. Takes little memory for little code: thousands of clones have one each.
class BlockCache {
 public:
  explicit BlockCache(size_t bytes);

  // The block from there, or nullptr.
  Block *find(const CodePlace &place);

  // Whether a block of so many Ops can be added.
  bool has_room(uint32_t ops) const { return used_ + block_bytes(sizeof(OwnBlock), ops) <= bytes_; }

  // Copies a block with its ops into the cache, which has room; `dram_page` is the DRAM page it
  // begins in.
  Block *add(const Block &block, uint32_t ops, const CodePlace &place, uint64_t dram_page);

  // Drops all blocks that begin in a page, and those that span pages; false if there were none.
  bool drop_page(uint64_t dram_page);
  void reset();
  bool empty() const { return used_ == 0; }

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
  size_t fewest_buckets() const;
  OwnBlock *&bucket(const CodePlace &place);
  void grow();
  void drop_list(OwnBlock *head);

  const size_t bytes_;
  std::vector<OwnBlock *> buckets_;
  std::unordered_map<uint64_t, OwnBlock *> pages_;  // by DRAM page
  OwnBlock *spanning_ = nullptr;
  Arena arena_;
  size_t used_ = 0;    // bytes of the arena
  size_t blocks_ = 0;  // in it
  uint64_t generation_ = 0;
};

}  // namespace firesim::functional
