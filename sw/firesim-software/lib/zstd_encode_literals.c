// SPDX-License-Identifier: BSD-3-Clause
// ZStd in software: Huffman codes by how often bytes come, and literals in them.
#include "zstd_encoder.h"

struct leaf {
  uint32_t count;
  uint8_t byte;
};

// Leaves in ascending order, those alike in the order of their bytes.
static unsigned sorted_leaves(struct leaf *leaves, const uint32_t *counts) {
  struct leaf other[256];
  unsigned count = 0;
  for (unsigned i = 0; i < 256; i++) {
    if (counts[i]) leaves[count++] = (struct leaf){counts[i], (uint8_t)i};
  }
  for (unsigned run = 1; run < count; run *= 2) {
    for (unsigned begin = 0, to = 0; begin < count; begin += 2 * run) {
      const unsigned middle = begin + run < count ? begin + run : count;
      const unsigned end = begin + 2 * run < count ? begin + 2 * run : count;
      for (unsigned left = begin, right = middle; to < end;) {
        const bool takes =
            left < middle && (right >= end || leaves[left].count <= leaves[right].count);
        other[to++] = leaves[takes ? left++ : right++];
      }
    }
    for (unsigned i = 0; i < count; i++) leaves[i] = other[i];
  }
  return count;
}

// How many leaves have each depth; deeper ones than the longest code count as that.
static void find_depths(const struct leaf *leaves, unsigned count, unsigned *found) {
  uint32_t trees[256];
  uint8_t parents[256], children[256], depths[256];
  unsigned leaf = 0, tree = 0;
  for (unsigned made = 0; made + 1 < count; made++) {
    trees[made] = 0;
    children[made] = 0;
    for (unsigned i = 0; i < 2; i++) {
      if (leaf < count && (tree == made || leaves[leaf].count <= trees[tree])) {
        trees[made] += leaves[leaf++].count;
        children[made]++;
      } else {
        trees[made] += trees[tree];
        parents[tree++] = (uint8_t)made;
      }
    }
  }
  for (unsigned i = 0; i <= ZSTD_LONGEST_CODE; i++) found[i] = 0;
  for (unsigned i = count - 1; i--;) {
    const unsigned depth = i == count - 2 ? 0 : depths[parents[i]] + 1U;
    depths[i] = (uint8_t)depth;
    found[depth + 1 < ZSTD_LONGEST_CODE ? depth + 1 : ZSTD_LONGEST_CODE] += children[i];
  }
}

// Leaves that were too deep go below shorter ones, until there is a code for all.
static void repair(unsigned *found) {
  unsigned total = 0;
  for (unsigned i = 1; i <= ZSTD_LONGEST_CODE; i++) total += found[i] << (ZSTD_LONGEST_CODE - i);
  for (; total > 1U << ZSTD_LONGEST_CODE; total--) {
    unsigned at = ZSTD_LONGEST_CODE - 1;
    while (!found[at]) at--;
    found[ZSTD_LONGEST_CODE]--;
    found[at]--;
    found[at + 1] += 2;
  }
}

static void make_code(struct zstd_huffman *made, const uint32_t *counts) {
  struct leaf leaves[256];
  unsigned found[ZSTD_LONGEST_CODE + 1], next[ZSTD_LONGEST_CODE + 1], first = 0;
  const unsigned count = sorted_leaves(leaves, counts);
  find_depths(leaves, count, found);
  repair(found);
  made->longest = ZSTD_LONGEST_CODE;
  while (!found[made->longest]) made->longest--;
  for (unsigned i = made->longest; i; i--) {
    next[i] = first;
    first = (first + found[i]) >> 1;
  }
  for (unsigned i = 0; i < 256; i++) made->widths[i] = 0;
  for (unsigned i = 0, width = made->longest; i < count; i++) {
    while (!found[width]) width--;
    found[width]--;
    made->widths[leaves[i].byte] = (uint8_t)width;
  }
  for (unsigned i = 0; i < 256; i++) {
    if (!made->widths[i]) continue;
    made->codes[i] = (uint16_t)next[made->widths[i]]++;
    made->last = i;
  }
}

static unsigned weight_of(const struct zstd_huffman *code, unsigned byte) {
  return code->widths[byte] ? code->longest + 1 - code->widths[byte] : 0;
}

// By finite state entropy, behind `to`; returns the bytes, or 255 when that cannot be.
static unsigned describe_states(const struct zstd_huffman *code, unsigned char *to) {
  uint32_t counts[12] = {0};
  unsigned kinds = 0, states[2] = {0};
  for (unsigned i = 0; i < code->last; i++) kinds += !counts[weight_of(code, i)]++;
  if (code->last < 3 || kinds < 2) return 255;
  struct zstd_fse fse;
  struct zstd_writer out = {to, 0, 0};
  zstd_fse_of(&fse, counts, 12, WEIGHTS);
  zstd_fse_describe(&fse, &out);
  for (unsigned i = code->last; i--;) {
    const unsigned weight = weight_of(code, i);
    const bool opens = i + 2 >= code->last;
    states[i & 1] =
        opens ? zstd_fse_first(&fse, weight) : zstd_fse_step(&fse, states[i & 1], weight, &out);
  }
  for (unsigned i = 2; i--;) zstd_put(&out, states[i] - (1U << fse.log), fse.log);
  zstd_mark(&out);
  return out.at - to < 255 ? (unsigned)(out.at - to) : 255;
}

// Returns the bytes of the description; 0: there is none.
static unsigned describe(const struct zstd_huffman *code, unsigned char *to) {
  const unsigned states = describe_states(code, to + 1), plain = (code->last + 1) / 2;
  if (code->last <= 128 && states >= plain) {
    to[0] = (unsigned char)(127 + code->last);
    for (unsigned i = 0; i < code->last; i += 2) {
      const unsigned second = i + 1 < code->last ? weight_of(code, i + 1) : 0;
      to[1 + i / 2] = (unsigned char)(weight_of(code, i) << 4 | second);
    }
    return 1 + plain;
  }
  to[0] = (unsigned char)states;
  return states > 127 ? 0 : 1 + states;
}

static void put_stream(const struct zstd_huffman *code, const unsigned char *begin,
                       const unsigned char *end, struct zstd_writer *to) {
  while (end != begin) {
    const unsigned byte = *--end;
    zstd_put(to, code->codes[byte], code->widths[byte]);
  }
  zstd_mark(to);
}

// One stream, or the sizes of three and four streams.
static void put_streams(const struct zstd_huffman *code, const unsigned char *literals,
                        unsigned count, struct zstd_writer *to) {
  if (count < ZSTD_LEAST_FOUR) {
    put_stream(code, literals, literals + count, to);
    return;
  }
  const unsigned share = (count + 3) / 4;
  unsigned char *const sizes = to->at;
  to->at += 6;
  for (unsigned i = 0; i < 4; i++) {
    const unsigned char *const before = to->at;
    put_stream(code, literals + i * share, literals + (i < 3 ? (i + 1) * share : count), to);
    const unsigned size = (unsigned)(to->at - before);
    if (i == 3) break;
    sizes[2 * i] = (unsigned char)size;
    sizes[2 * i + 1] = (unsigned char)(size >> 8);
  }
}

static void put_plain(unsigned kind, const struct zstd_block *block, struct zstd_writer *to) {
  const unsigned count = block->literal_count;
  if (count < 32) {
    zstd_put(to, kind | count << 3, 8);
  } else if (count < 4096) {
    zstd_put(to, kind | 1 << 2 | count << 4, 16);
  } else {
    zstd_put(to, kind | 3 << 2 | count << 4, 24);
  }
  const unsigned stored = kind ? 1 : count;
  for (unsigned i = 0; i < stored; i++) *to->at++ = block->literals[i];
}

static void put_coded(const struct zstd_huffman *code, const unsigned char *tree,
                      unsigned tree_bytes, const struct zstd_block *block, struct zstd_writer *to) {
  const unsigned count = block->literal_count, large = (count >= 1024) + (count >= 16384);
  unsigned char *const header = to->at;
  to->at += 3 + large;
  unsigned char *const begin = to->at;
  for (unsigned i = 0; i < tree_bytes; i++) *to->at++ = tree[i];
  put_streams(code, block->literals, count, to);
  const unsigned kind = tree_bytes ? 2 : 3, form = count < ZSTD_LEAST_FOUR ? 0 : large + 1;
  const uint64_t stored = (uint64_t)(to->at - begin);
  uint64_t fields = kind | form << 2 | (uint64_t)count << 4 | stored << (14 + 4 * large);
  for (unsigned i = 0; i < 3 + large; i++, fields >>= 8) header[i] = (unsigned char)fields;
}

static uint32_t code_bits(const struct zstd_huffman *code, const uint32_t *counts) {
  uint32_t bits = 0;
  for (unsigned i = 0; i < 256; i++) bits += counts[i] * code->widths[i];
  return bits;
}

bool zstd_write_literals(struct zstd_encoder *encoder, struct zstd_writer *to) {
  const struct zstd_block *const block = &encoder->block;
  const struct zstd_huffman *const old = &encoder->codes[encoder->current];
  struct zstd_huffman *const made = &encoder->codes[!encoder->current];
  uint32_t counts[256] = {0}, most = 0, kinds = 0;
  bool fits = encoder->has_tree && block->literal_count >= ZSTD_LEAST_REPEATED;
  for (unsigned i = 0; i < block->literal_count; i++) counts[block->literals[i]]++;
  for (unsigned i = 0; i < 256; i++) {
    if (counts[i] > most) most = counts[i];
    kinds += counts[i] != 0;
    if (counts[i] && encoder->has_tree && !old->widths[i]) fits = false;
  }
  if (kinds == 1) {
    put_plain(1, block, to);
    return false;
  }
  const unsigned around = block->literal_count >= ZSTD_LEAST_FOUR ? 10 : 1;
  unsigned char tree[260];
  unsigned tree_bytes = 0, own = 0;
  if (block->literal_count >= ZSTD_LEAST_LITERALS && most > (block->literal_count >> 7) + 4) {
    make_code(made, counts);
    tree_bytes = describe(made, tree);
    own = tree_bytes + code_bits(made, counts) / 8 + around;
  }
  const unsigned before = fits ? code_bits(old, counts) / 8 + around : 0;
  const bool repeats = fits && (!tree_bytes || before <= own);
  if (repeats && before < block->literal_count) {
    put_coded(old, tree, 0, block, to);
    return false;
  }
  if (!repeats && tree_bytes && own < block->literal_count) {
    put_coded(made, tree, tree_bytes, block, to);
    return true;
  }
  put_plain(0, block, to);
  return false;
}
