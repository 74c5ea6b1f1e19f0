// SPDX-License-Identifier: BSD-3-Clause
// What a form with a scan chain holds (sim/goldengate/scan_layout.py), and an image of it here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/firesim_engine.h"

namespace firesim::hostlib {

struct ScanLayout {
  struct Memory {
    std::string name;
    uint32_t rows, width_bits, point;

    uint32_t row_words() const { return (width_bits + 63) / 64; }
  };
  // A register in the block memory of number `memory`, which a row fetched at `point` goes to.
  struct Latch {
    uint32_t memory, point;
  };

  uint32_t chain_words = 0;
  uint32_t bits = 0;  // of all registers
  std::vector<Memory> memories;
  std::vector<Latch> latches;

  const Memory &memory_of(const Latch &latch) const { return memories[latch.memory]; }
  // Of the registers in the chain.
  uint64_t chain_bits() const;
  // Throws std::invalid_argument with what does not fit.
  void check() const;
};

// Words of registers: those of the chain, then of latches. Each memory is columns of a word.
class ScanImage {
 public:
  explicit ScanImage(ScanLayout layout);

  const ScanLayout &layout() const { return layout_; }
  // In the order of deploy/firesim/build/scan_map.py.
  std::vector<FiresimSignal> signals();
  std::vector<uint64_t> &chain() { return chain_; }
  std::vector<uint64_t> &latch(size_t index) { return latches_[index]; }
  // All rows of a memory as words, row by row.
  std::vector<uint64_t> rows(size_t memory) const;
  void set_rows(size_t memory, const std::vector<uint64_t> &words);

 private:
  // Up to 64 bits of each row, in the type that a signal of that width has.
  struct Column {
    uint32_t low_bit, width_bits;
    std::vector<uint8_t> content;
  };

  ScanLayout layout_;
  std::vector<uint64_t> chain_;
  std::vector<std::vector<uint64_t>> latches_;
  std::vector<std::vector<Column>> memories_;
};

}  // namespace firesim::hostlib
