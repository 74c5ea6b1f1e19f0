// SPDX-License-Identifier: BSD-3-Clause
// What the files of ZStd's encoder in software share: a block, its codes, and bits that are
// written.
#ifndef FIRESIM_ZSTD_ENCODER_H_
#define FIRESIM_ZSTD_ENCODER_H_

#include "zstd_internal.h"

// The unit's numbers (target-design/parts/zstd/ZstdBlock.scala, BlockEncoder.scala).
enum {
  ZSTD_MOST_LITERALS = 1 << 15,
  ZSTD_MOST_SEQUENCES = 1 << 12,
  ZSTD_BLOCK_BYTES = ZSTD_MOST_LITERALS - 256,
  ZSTD_PIECE = 1 << 14,
  ZSTD_LEAST_LITERALS = 64,
  ZSTD_LEAST_REPEATED = 16,
  ZSTD_LEAST_FOUR = 256,
  ZSTD_LEAST_SEQUENCES = 64,
  ZSTD_STAGING = 1 << 17
};

struct zstd_sequence {
  uint16_t literals, length;
  uint32_t offset;  // the value that stands for it
};
struct zstd_block {
  uint32_t literal_count, count, pending;
  uint64_t begin, at;  // in the source
  uint32_t last[3];    // offsets
  unsigned shown;      // how many of them
  bool alike, has_byte;
  unsigned char byte;
  unsigned char literals[ZSTD_MOST_LITERALS];
  struct zstd_sequence sequences[ZSTD_MOST_SEQUENCES];
};
struct zstd_huffman {
  uint8_t widths[256];
  uint16_t codes[256];
  unsigned longest, last;
};
struct zstd_seen {
  uint32_t position, word;
};
struct zstd_encoder {
  uint32_t reached;  // positions up to this one are those of compressions before
  struct zstd_seen seen[1 << 14];
  struct zstd_block block;
  struct zstd_huffman codes[2];
  unsigned current;  // the code of blocks before; the other one is free
  bool has_tree;
  unsigned char staging[ZSTD_STAGING];
};

// Bits to bytes, the first one lowest.
struct zstd_writer {
  unsigned char *at;
  uint64_t held;
  unsigned count;
};
// Up to 32 bits.
static inline void zstd_put(struct zstd_writer *to, uint32_t bits, unsigned width) {
  to->held |= (uint64_t)bits << to->count;
  for (to->count += width; to->count >= 8; to->count -= 8, to->held >>= 8) {
    *to->at++ = (unsigned char)to->held;
  }
}
// Ends a stream that is read backwards, or one that is read forwards.
static inline void zstd_mark(struct zstd_writer *to) { zstd_put(to, 1, 8 - to->count); }
static inline void zstd_pad(struct zstd_writer *to) {
  if (to->count) zstd_put(to, 0, 8 - to->count);
}
static inline unsigned zstd_log2(uint32_t value) {
  unsigned log = 0;
  for (unsigned step = 16; step; step >>= 1) {
    if (value >> step) {
      value >>= step;
      log += step;
    }
  }
  return log;
}

// A table of finite state entropy, for who writes.
struct zstd_fse {
  unsigned log, symbols;
  int16_t shares[64];
  uint16_t bases[64], states[512];
};
// Make a table of counts of symbols, at least two of which come, or the one without a description.
void zstd_fse_of(struct zstd_fse *made, const uint32_t *counts, unsigned symbols,
                 enum zstd_table table);
void zstd_fse_default(struct zstd_fse *made, enum zstd_table table);
void zstd_fse_describe(const struct zstd_fse *fse, struct zstd_writer *to);
static inline unsigned zstd_fse_first(const struct zstd_fse *fse, unsigned symbol) {
  return fse->states[fse->bases[symbol]];
}
// Writes the bits that bring a reader from `symbol` to `state`; returns the state before.
static inline unsigned zstd_fse_step(const struct zstd_fse *fse, unsigned state, unsigned symbol,
                                     struct zstd_writer *to) {
  const unsigned count = fse->shares[symbol] < 0 ? 1 : (unsigned)fse->shares[symbol];
  unsigned width = fse->log - (count > 1 ? zstd_log2(count - 1) : 0);
  if (state < count << width) width--;
  zstd_put(to, state & ((1U << width) - 1), width);
  return fse->states[fse->bases[symbol] + (state >> width) - count];
}

// Writes the literals of the block; returns whether the code is another one, if the block is used.
bool zstd_write_literals(struct zstd_encoder *encoder, struct zstd_writer *to);

#endif  // FIRESIM_ZSTD_ENCODER_H_
