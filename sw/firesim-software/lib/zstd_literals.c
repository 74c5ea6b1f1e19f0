// SPDX-License-Identifier: BSD-3-Clause
// ZStd in software: the literals of a block, and the Huffman code they are in.
#include "zstd_internal.h"

// Weights by finite state entropy: two states in turn, as long as there are bits.
static int read_states(struct zstd_states *table, uint8_t *weights, struct zstd_bytes in) {
  struct zstd_bits bits;
  unsigned states[2];
  if (!zstd_described_table(table, WEIGHTS, &in) || !zstd_open(&bits, in.at, in.end)) return -1;
  for (unsigned i = 0; i < 2; i++) states[i] = zstd_take(&bits, table->log);
  if (bits.left < 0) return -1;
  for (int count = 0; count < 254; count++) {
    const struct zstd_state state = table->states[states[count & 1]];
    weights[count] = state.symbol;
    states[count & 1] = state.base + zstd_take(&bits, state.bits);
    if (bits.left < 0) {
      weights[count + 1] = table->states[states[~count & 1]].symbol;
      return count + 2;
    }
  }
  return -1;
}

static int read_weights(struct zstd_states *table, uint8_t *weights, struct zstd_bytes *in) {
  if (in->at == in->end) return -1;
  const unsigned first = *in->at++, count = first - 127;
  const unsigned bytes = first < 128 ? first : (count + 1) / 2;
  const unsigned char *const at = in->at;
  if (bytes > (uint64_t)(in->end - at)) return -1;
  in->at += bytes;
  if (first < 128) return read_states(table, weights, (struct zstd_bytes){at, at + bytes});
  for (unsigned i = 0; i < count; i++) weights[i] = i & 1 ? at[i / 2] & 15 : at[i / 2] >> 4;
  return (int)count;
}

static bool read_tree(struct zstd_decoder *decoder, struct zstd_bytes *in) {
  uint8_t weights[256];
  int count = read_weights(&decoder->tables[WEIGHTS], weights, in);
  unsigned sum = 0, longest = 0, pairs = 0, at = 0;
  decoder->longest = 0;
  if (count < 0) return false;
  for (int i = 0; i < count; i++) {
    if (weights[i] > ZSTD_LONGEST_CODE) return false;
    sum += weights[i] ? 1U << (weights[i] - 1) : 0;
  }
  if (!sum) return false;
  while (sum >> longest) longest++;
  const unsigned rest = (1U << longest) - sum;
  if (longest > ZSTD_LONGEST_CODE || rest & (rest - 1)) return false;
  uint8_t last = 1;
  while (rest >> last) last++;
  weights[count++] = last;
  for (unsigned weight = 1; weight <= longest; weight++) {
    for (int i = 0; i < count; i++) {
      if (weights[i] != weight) continue;
      pairs += weight == 1;
      const struct zstd_code code = {(uint8_t)i, (uint8_t)(longest + 1 - weight)};
      for (unsigned j = 0; j < 1U << (weight - 1); j++) decoder->codes[at++] = code;
    }
  }
  if (pairs < 2 || pairs & 1) return false;
  decoder->longest = longest;
  return true;
}

// A stream of Huffman codes.
static bool read_stream(const struct zstd_decoder *decoder, const unsigned char *begin,
                        const unsigned char *end, unsigned char *to, uint64_t count) {
  struct zstd_bits bits;
  if (!zstd_open(&bits, begin, end)) return false;
  const unsigned longest = decoder->longest;
  while (count && bits.left >= 56) {  // seven bytes of bits at least: no look past the beginning
    uint64_t word = 0;
    const unsigned char *const from = begin + ((bits.left - 56) >> 3);
    for (unsigned i = 0; i < 8 && from + i < end; i++) word |= (uint64_t)from[i] << (8 * i);
    word <<= 8 - (bits.left & 7);
    unsigned used = 0;
    for (; count && used <= 56 - ZSTD_LONGEST_CODE; count--) {
      const struct zstd_code code = decoder->codes[word << used >> (64 - longest)];
      *to++ = code.symbol;
      used += code.bits;
    }
    bits.left -= used;
  }
  for (; count; count--) {
    const struct zstd_code code = decoder->codes[zstd_look(&bits, longest)];
    *to++ = code.symbol;
    bits.left -= code.bits;
    if (bits.left < 0) return false;
  }
  return bits.left == 0;
}

static bool read_streams(struct zstd_decoder *decoder, struct zstd_bytes in, bool four,
                         uint64_t count) {
  if (!four) return read_stream(decoder, in.at, in.end, decoder->literals, count);
  if (in.end - in.at < 6 || count < 6) return false;
  const unsigned char *const sizes = in.at, *at = in.at + 6;
  const uint64_t share = (count + 3) / 4;
  unsigned char *to = decoder->literals;
  for (unsigned i = 0; i < 3; i++) {
    const unsigned size = sizes[2 * i] | (unsigned)sizes[2 * i + 1] << 8;
    if (size > (uint64_t)(in.end - at)) return false;
    if (!read_stream(decoder, at, at + size, to, share)) return false;
    at += size;
    to += share;
  }
  return read_stream(decoder, at, in.end, to, count - 3 * share);
}

static int64_t read_coded(struct zstd_decoder *decoder, struct zstd_bytes *in, uint64_t most) {
  static const uint8_t sizes[] = {10, 10, 14, 18};
  const unsigned kind = *in->at & 3, form = *in->at >> 2 & 3, width = sizes[form];
  const unsigned header = (4 + 2 * width + 7) / 8;
  uint64_t fields = 0;
  if ((uint64_t)(in->end - in->at) < header) return -1;
  for (unsigned i = 0; i < header; i++) fields |= (uint64_t)in->at[i] << (8 * i);
  const uint64_t mask = (1UL << width) - 1, count = fields >> 4 & mask;
  const uint64_t stored = fields >> (4 + width) & mask;
  in->at += header;
  if (count > most || stored > (uint64_t)(in->end - in->at)) return -1;
  struct zstd_bytes coded = {in->at, in->at + stored};
  in->at += stored;
  if (kind == 2 && !read_tree(decoder, &coded)) return -1;
  if (!decoder->longest || !read_streams(decoder, coded, form != 0, count)) return -1;
  return (int64_t)count;
}

int64_t zstd_read_literals(struct zstd_decoder *decoder, struct zstd_bytes *in, uint64_t most) {
  if (in->at == in->end) return -1;
  const unsigned kind = *in->at & 3, form = *in->at >> 2 & 3;
  if (kind >= 2) return read_coded(decoder, in, most);
  const unsigned header = !(form & 1) ? 1 : form == 1 ? 2 : 3;
  uint64_t fields = 0;
  if ((uint64_t)(in->end - in->at) < header) return -1;
  for (unsigned i = 0; i < header; i++) fields |= (uint64_t)in->at[i] << (8 * i);
  const uint64_t count = fields >> (header == 1 ? 3 : 4), stored = kind == 1 ? 1 : count;
  in->at += header;
  if (count > most || stored > (uint64_t)(in->end - in->at)) return -1;
  for (uint64_t i = 0; i < count; i++) decoder->literals[i] = in->at[kind == 1 ? 0 : i];
  in->at += stored;
  return (int64_t)count;
}
