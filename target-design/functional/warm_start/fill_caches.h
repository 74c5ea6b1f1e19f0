// SPDX-License-Identifier: BSD-3-Clause
// The part of a restore program that fills the first-level caches of a hart, by nothing but what
// software can do: docs/explanation/warm-start.md.
#pragma once

#include <cstdint>
#include <vector>

#include "functional/core/l1_caches.h"
#include "functional/warm_start/encoder.h"

namespace firesim::functional {

struct HeldLine {
  uint64_t address = 0;  // of its first byte
  bool dirty = false;
};

// What a cache holds, in the order of its sets.
struct HeldCache {
  CacheShape shape;
  std::vector<HeldLine> lines;
};

struct HeldLines {
  HeldCache instructions, data;
};

// The lines of the first-level caches of a hart. Those of a memory from `dram_base` on, without the
// ones within [left_out, left_out + left_out_bytes).
HeldLines held_lines(L1Caches &caches, uint64_t dram_base, uint64_t left_out,
                     uint64_t left_out_bytes);

// The tables of a hart's lines, to be put into memory at an address that is a multiple of 64.
class FillTables {
 public:
  // Of each cache `most_lines` at most, a multiple of 8; what does not fit is left out.
  FillTables(const HeldLines &held, uint64_t address, uint32_t most_lines);

  // Whole lines of memory.
  const std::vector<uint64_t> &words() const { return words_; }
  uint64_t bytes() const { return words_.size() * sizeof(uint64_t); }

  // The code that fills the caches. It runs in M mode with interrupts off, changes x6 to x31,
  // mstatus, mie, mtvec, mepc, mcause and mtval, and leaves the software interrupt of the hart,
  // whose word in the CLINT is at `software_interrupt`, at `interrupt_value`. Memory must be as it
  // is to be. What follows should load as little as it can.
  void fill(Section &section, uint64_t software_interrupt, uint64_t interrupt_value) const;

 private:
  void add_instructions(const HeldCache &cache, uint32_t most_lines);
  void add_data(const HeldCache &cache, uint32_t most_lines);
  void fill_instructions(Section &section) const;
  void fill_data(Section &section) const;

  const uint64_t address_;
  std::vector<uint64_t> words_;
  uint64_t instruction_words_ = 0;  // the table of the instruction cache, at the beginning
  uint64_t data_at_ = 0;            // where that of the data cache begins, in words
};

}  // namespace firesim::functional
