// SPDX-License-Identifier: BSD-3-Clause
// Loops over text and code: compression by repetitions, Huffman's code, an interpreter, a search
// of several words, and requests to a store of keys.
#include "kernels.h"

enum { TEXT = 16384, HASHES = 4096, SYMBOLS = 32, CODED = 4096, KEYS = 1024, LINE = 32 };

// Words out of a small vocabulary, as text has them.
static void write_text(uint8_t *text, unsigned bytes) {
  static const char words[] =
      "the cluster of nodes has a link that is one cycle long and none more ";
  for (unsigned i = 0; i < bytes;) {
    unsigned at = (unsigned)(next_random() % (sizeof words - 8));
    do text[i++] = (uint8_t)words[at];
    while (i < bytes && words[at++] != ' ');
  }
}

// Finds what stands in the text before, by a hash of four bytes, and skips it.
uint64_t compress(uint64_t *memory, uint64_t rounds) {
  uint8_t *text = (uint8_t *)memory, *out = text + TEXT;
  uint16_t *seen = (uint16_t *)(out + 2 * TEXT);
  uint64_t sum = 0;
  while (rounds--) {
    write_text(text, TEXT);
    for (unsigned i = 0; i < HASHES; i++) seen[i] = 0;
    unsigned written = 0;
    for (unsigned at = 4; at + 4 < TEXT;) {
      const uint32_t four = (uint32_t)text[at] | (uint32_t)text[at + 1] << 8 |
                            (uint32_t)text[at + 2] << 16 | (uint32_t)text[at + 3] << 24;
      const unsigned slot = four * 2654435761u >> 20, from = seen[slot];
      seen[slot] = (uint16_t)at;
      unsigned same = 0;
      while (from && at + same < TEXT && text[from + same] == text[at + same]) same++;
      if (same >= 4) {
        out[written++] = (uint8_t)(at - from), out[written++] = (uint8_t)same;
        at += same;
      } else {
        out[written++] = text[at++];
      }
    }
    sum += written;
  }
  return sum;
}

// A code by how often symbols come, made anew in each round; the text is coded and decoded.
uint64_t huffman(uint64_t *memory, uint64_t rounds) {
  uint32_t *count = (uint32_t *)memory, *parent = count + 64, *left = parent + 64,
           *right = left + 64;
  uint8_t *text = (uint8_t *)(right + 64), *bits = text + CODED;
  uint64_t sum = 0;
  while (rounds--) {
    for (unsigned i = 0; i < SYMBOLS; i++) count[i] = 1;
    for (unsigned i = 0; i < CODED; i++) {
      uint8_t half = 0;
      for (uint64_t coins = next_random(); (coins & 1) && half < SYMBOLS / 2 - 1; coins >>= 1)
        half++;
      text[i] = (uint8_t)(2 * half + (next_random() & 1));
      count[text[i]]++;
    }
    unsigned made = SYMBOLS;
    for (unsigned i = 0; i < 2 * SYMBOLS; i++) parent[i] = 0;
    for (; made < 2 * SYMBOLS - 1; made++) {
      unsigned least[2] = {0, 0};
      for (unsigned side = 0; side < 2; side++) {
        unsigned best = ~0U;
        for (unsigned i = 0; i < made; i++) {
          if (!parent[i] && count[i] < best) best = count[i], least[side] = i;
        }
        parent[least[side]] = made;
      }
      left[made] = least[0], right[made] = least[1];
      count[made] = count[least[0]] + count[least[1]];
    }
    unsigned length = 0;
    for (unsigned i = 0; i < CODED; i++) {
      uint8_t path[64];
      unsigned depth = 0;
      for (unsigned at = text[i]; parent[at]; at = parent[at])
        path[depth++] = right[parent[at]] == at;
      while (depth) bits[length++] = path[--depth];
    }
    unsigned same = 0;
    for (unsigned i = 0, bit = 0; i < CODED; i++) {
      unsigned at = made - 1;
      while (at >= SYMBOLS) at = bits[bit++] ? right[at] : left[at];
      same += at == text[i];
    }
    sum += length + same;
  }
  return sum;
}

enum operation { PUSH, ADD, MULTIPLY, DROP_IF, COPY, SWAP, STORE, LOAD, JUMP, OPERATIONS };

// A machine with a stack whose code is random, as far as its stack allows.
uint64_t interpreter(uint64_t *memory, uint64_t rounds) {
  uint64_t *stack = memory, *places = memory + 64;
  uint8_t *code = (uint8_t *)(places + 256);
  const unsigned length = 2048;
  for (unsigned i = 0; i < length; i++) code[i] = (uint8_t)(next_random() % OPERATIONS);
  for (unsigned i = 0; i < 64 + 256; i++) memory[i] = i;
  unsigned at = 0, top = 8;
  for (uint64_t left = rounds * 200; left; left--) {
    if (top < 4) top = 4;
    if (top > 60) top = 40;
    uint64_t *up = stack + top;
    switch ((enum operation)code[at++ % length]) {
      case PUSH:
        *up = left, top++;
        break;
      case ADD:
        up[-2] += up[-1], top--;
        break;
      case MULTIPLY:
        up[-2] *= up[-1] | 1, top--;
        break;
      case DROP_IF:
        top -= up[-1] & 1;
        break;
      case COPY:
        *up = up[-2], top++;
        break;
      case SWAP:
        *up = up[-1], up[-1] = up[-2], up[-2] = *up;
        break;
      case STORE:
        places[up[-1] & 255] = up[-2], top--;
        break;
      case LOAD:
        up[-1] = places[up[-1] & 255];
        break;
      case JUMP:
        at += (unsigned)(up[-1] & 15);
        break;
      case OPERATIONS:
        break;
    }
  }
  return stack[top - 1];
}

// A table of transitions that looks for several words at once, over new text in each round.
uint64_t automaton(uint64_t *memory, uint64_t rounds) {
  static const char *const words[] = {"node", "link", "none", "long", "one cycle", "more"};
  uint8_t(*next)[32] = (uint8_t(*)[32])memory, *found = (uint8_t *)(next + 64), *text = found + 64;
  for (unsigned i = 0; i < 64 * 32 + 64; i++) ((uint8_t *)memory)[i] = 0;
  unsigned states = 1;
  for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
    unsigned at = 0;
    for (const char *c = words[i]; *c; c++) {
      uint8_t *to = &next[at][*c & 31];
      if (!*to) *to = (uint8_t)states++;
      at = *to;
    }
    found[at] = 1;
  }
  uint64_t sum = 0;
  while (rounds--) {
    write_text(text, TEXT);
    unsigned at = 0;
    for (unsigned i = 0; i < TEXT; i++) {
      const unsigned to = next[at][text[i] & 31];
      at = to ? to : next[0][text[i] & 31];
      sum += found[at];
    }
  }
  return sum;
}

struct entry {
  uint64_t key;
  uint8_t value[LINE - 8];
};

static unsigned write_request(uint8_t *line, uint64_t key, unsigned is_set) {
  unsigned length = 0;
  for (const char *c = is_set ? "set " : "get "; *c; c++) line[length++] = (uint8_t)*c;
  for (uint64_t left = key; left; left /= 10) line[length++] = (uint8_t)('0' + left % 10);
  line[length++] = '\n';
  return length;
}

static struct entry *entry_of(struct entry *entries, uint64_t key) {
  unsigned at = (unsigned)(key * 0x9e3779b97f4a7c15UL >> 54) % KEYS;
  while (entries[at].key && entries[at].key != key) at = (at + 1) % KEYS;
  return entries + at;
}

// Lines of text that ask for a key or set one: read, looked up, answered, with a sum of the answer.
uint64_t requests(uint64_t *memory, uint64_t rounds) {
  struct entry *entries = (struct entry *)memory;
  uint8_t *line = (uint8_t *)(entries + KEYS), *answer = line + 64;
  for (unsigned i = 0; i < KEYS * sizeof *entries / 8; i++) memory[i] = 0;
  uint64_t sum = 0;
  for (uint64_t left = rounds * 10; left; left--) {
    const uint64_t random = next_random();
    const unsigned length = write_request(line, 1 + random % (KEYS / 2), (random >> 32 & 7) == 0);
    uint64_t key = 0, scale = 1;
    for (unsigned i = 4; i < length - 1; i++, scale *= 10) key += (line[i] - '0') * scale;
    struct entry *entry = entry_of(entries, key);
    if (line[0] == 's') {
      entry->key = key;
      for (unsigned i = 0; i < sizeof entry->value; i++) entry->value[i] = (uint8_t)(left + i);
    }
    const unsigned bytes = entry->key ? sizeof entry->value : 0;
    for (unsigned i = 0; i < bytes; i++) answer[i] = entry->value[i];
    for (unsigned i = 0; i < bytes; i++) sum = sum * 31 + answer[i];
  }
  return sum;
}
