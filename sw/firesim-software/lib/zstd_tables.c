// SPDX-License-Identifier: BSD-3-Clause
// ZStd in software: bits that are read backwards, and tables of finite state entropy.
#include "zstd_internal.h"

const uint8_t zstd_most_logs[] = {9, 8, 9, 6}, zstd_most_symbols[] = {35, 31, 52, 11};
const uint8_t zstd_literal_bits[] = {1, 1, 1, 1,  2,  2,  3,  3,  4,  6,
                                     7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
const uint8_t zstd_match_bits[] = {1, 1, 1, 1,  2,  2,  3,  3,  4,  4, 5,
                                   7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

bool zstd_open(struct zstd_bits *bits, const unsigned char *begin, const unsigned char *end) {
  if (begin >= end || !end[-1]) return false;
  bits->begin = begin;
  bits->left = (end - begin) * 8 - 1;
  for (unsigned char mark = end[-1]; !(mark & 0x80); mark = (unsigned char)(mark << 1)) {
    bits->left--;
  }
  return true;
}

uint32_t zstd_look(const struct zstd_bits *bits, unsigned count) {
  if (!count || bits->left <= 0) return 0;
  int64_t low = bits->left - count;
  unsigned missing = 0;
  if (low < 0) {
    missing = (unsigned)-low;
    low = 0;
  }
  uint64_t value = 0;
  for (int64_t i = (bits->left - 1) >> 3; i >= low >> 3; i--) value = value << 8 | bits->begin[i];
  value = value >> (low & 7) << missing;
  return (uint32_t)(value & ((1UL << count) - 1));
}

void zstd_spread(uint8_t *owners, const int16_t *counts, unsigned symbols, unsigned log) {
  const unsigned size = 1U << log, step = (size >> 1) + (size >> 3) + 3;
  unsigned high = size - 1, at = 0;
  for (unsigned s = 0; s < symbols; s++) {
    if (counts[s] < 0) owners[high--] = (uint8_t)s;
  }
  for (unsigned s = 0; s < symbols; s++) {
    for (int i = 0; i < counts[s]; i++) {
      owners[at] = (uint8_t)s;
      do {
        at = (at + step) & (size - 1);
      } while (at > high);
    }
  }
}

static void make(struct zstd_states *made, const int16_t *counts, unsigned symbols, unsigned log) {
  const unsigned size = 1U << log;
  uint8_t owners[512];
  uint16_t numbers[64];
  made->log = log;
  zstd_spread(owners, counts, symbols, log);
  for (unsigned s = 0; s < symbols; s++) numbers[s] = (uint16_t)(counts[s] < 0 ? 1 : counts[s]);
  for (unsigned i = 0; i < size; i++) {
    struct zstd_state *const state = &made->states[i];
    state->symbol = owners[i];
    const unsigned number = numbers[state->symbol]++;
    unsigned bits = log;
    while (number >> (log - bits + 1)) bits--;
    state->bits = (uint8_t)bits;
    state->base = (uint16_t)((number << bits) - size);
  }
}

// Bits that are read forwards.
static uint32_t forwards(const struct zstd_bytes *in, uint64_t at, unsigned count) {
  uint32_t value = 0;
  const uint64_t bytes = (uint64_t)(in->end - in->at);
  for (unsigned i = 0; i < 3; i++) {
    if ((at >> 3) + i < bytes) value |= (uint32_t)in->at[(at >> 3) + i] << (8 * i);
  }
  return value >> (at & 7) & ((1U << count) - 1);
}

bool zstd_described_table(struct zstd_states *made, enum zstd_table table, struct zstd_bytes *in) {
  int16_t counts[64];
  const unsigned log = forwards(in, 0, 4) + 5;
  const uint64_t limit = (uint64_t)(in->end - in->at) * 8;
  uint64_t at = 4;
  unsigned symbols = 0;
  int remaining = (1 << log) + 1;
  if (at > limit || log > zstd_most_logs[table]) return false;
  while (remaining > 1) {
    unsigned width = 0;
    while (remaining >> (width + 1)) width++;
    const uint32_t threshold = 1U << width, most = 2 * threshold - 1 - (uint32_t)remaining;
    uint32_t value = forwards(in, at, width);
    if (value < most) {
      at += width;
    } else {
      value = forwards(in, at, width + 1);
      if (value >= threshold) value -= most;
      at += width + 1;
    }
    if (symbols > zstd_most_symbols[table] || at > limit) return false;
    counts[symbols++] = (int16_t)((int)value - 1);
    remaining -= value ? (int)value - 1 : 1;
    if (remaining < 1) return false;
    for (uint32_t zeros = value == 1 ? 3 : 0; zeros == 3;) {
      zeros = forwards(in, at, 2);
      at += 2;
      if (at > limit || symbols + zeros > zstd_most_symbols[table] + 1U) return false;
      for (uint32_t i = 0; i < zeros; i++) counts[symbols++] = 0;
    }
  }
  in->at += (at + 7) >> 3;
  make(made, counts, symbols, log);
  return true;
}

unsigned zstd_default_counts(int16_t *counts, enum zstd_table table) {
  // Runs of symbols with as many states: how many, and how long the run is.
  static const int8_t runs[3][18] = {
      {4, 1, 3, 1, 2, 11, 1, 3, 2, 9, 3, 1, 2, 1, 1, 5, -1, 4},
      {1, 6, 2, 3, 1, 15, -1, 5},
      {1, 1, 4, 1, 3, 1, 2, 6, 1, 37, -1, 7},
  };
  unsigned symbols = 0;
  for (unsigned i = 0; i < 18 && runs[table][i]; i += 2) {
    for (int j = 0; j < runs[table][i + 1]; j++) counts[symbols++] = runs[table][i];
  }
  return symbols;
}

void zstd_default_table(struct zstd_states *made, enum zstd_table table) {
  int16_t counts[64];
  const unsigned symbols = zstd_default_counts(counts, table);
  make(made, counts, symbols, ZSTD_DEFAULT_LOG(table));
}

bool zstd_single_table(struct zstd_states *made, enum zstd_table table, struct zstd_bytes *in) {
  if (in->at == in->end || *in->at > zstd_most_symbols[table]) return false;
  made->log = 0;
  made->states[0] = (struct zstd_state){0, *in->at++, 0};
  return true;
}
