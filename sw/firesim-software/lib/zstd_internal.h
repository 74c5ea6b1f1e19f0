// SPDX-License-Identifier: BSD-3-Clause
// What the files of ZStd in software share (RFC 8878).
#ifndef FIRESIM_ZSTD_INTERNAL_H_
#define FIRESIM_ZSTD_INTERNAL_H_

#include "zstd.h"

enum { ZSTD_MOST_WINDOW = 1 << 16, ZSTD_LONGEST_CODE = 11 };
enum zstd_table { LITERAL_LENGTHS, OFFSETS, MATCH_LENGTHS, WEIGHTS };

#define ZSTD_DEFAULT_LOG(table) ((table) == OFFSETS ? 5 : 6)

// By table: log2 of the most states, and the last symbol. Bits that are added to the codes of
// lengths, behind those that have none: 16 of literals, 32 of matches.
extern const uint8_t zstd_most_logs[4], zstd_most_symbols[4];
extern const uint8_t zstd_literal_bits[20], zstd_match_bits[21];

// Bytes that are read forwards, and bits that are read backwards from a stream's end.
struct zstd_bytes {
  const unsigned char *at, *end;
};
struct zstd_bits {
  const unsigned char *begin;
  int64_t left;  // bits; below 0 when more were taken than there are
};

struct zstd_state {
  uint16_t base;
  uint8_t symbol, bits;
};
struct zstd_states {
  unsigned log;
  struct zstd_state states[512];
};
struct zstd_code {
  uint8_t symbol, bits;
};
struct zstd_decoder {
  struct zstd_states tables[4];
  struct zstd_code codes[1 << ZSTD_LONGEST_CODE];
  unsigned longest;  // bits of a code; 0: there is no tree
  bool has_tables;
  uint64_t last[3];  // offsets
  unsigned char literals[ZSTD_MOST_WINDOW];
};

// Opens a stream of bits; false when its last byte has no mark.
bool zstd_open(struct zstd_bits *bits, const unsigned char *begin, const unsigned char *end);
// The next bits, up to 32, without taking them; zeros behind the stream's beginning.
uint32_t zstd_look(const struct zstd_bits *bits, unsigned count);
static inline uint32_t zstd_take(struct zstd_bits *bits, unsigned count) {
  const uint32_t value = zstd_look(bits, count);
  bits->left -= count;
  return value;
}

// Which symbol each state has; `counts` are the states of symbols, -1 is one at the table's end.
void zstd_spread(uint8_t *owners, const int16_t *counts, unsigned symbols, unsigned log);
// States of symbols in a table that needs no description; returns how many symbols there are.
unsigned zstd_default_counts(int16_t *counts, enum zstd_table table);

// Make a table: of a description in front of `in`, by default, or of one symbol. False: it is bad.
bool zstd_described_table(struct zstd_states *made, enum zstd_table table, struct zstd_bytes *in);
void zstd_default_table(struct zstd_states *made, enum zstd_table table);
bool zstd_single_table(struct zstd_states *made, enum zstd_table table, struct zstd_bytes *in);

// Reads the literals of a block; returns how many, or -1.
int64_t zstd_read_literals(struct zstd_decoder *decoder, struct zstd_bytes *in, uint64_t most);

#endif  // FIRESIM_ZSTD_INTERNAL_H_
