// SPDX-License-Identifier: BSD-3-Clause
// ZStd in software: matches in blocks of sequences, and the frame around them, as the unit makes
// it.
#include "zstd_encoder.h"

const size_t zstd_encoder_bytes = sizeof(struct zstd_encoder);

// A compression that is under way; the output has room for `room` more bytes.
struct frame {
  struct zstd_encoder *encoder;
  const unsigned char *source;
  uint64_t bytes;
  unsigned char *to;
  uint64_t room;
  bool fits;
};

static uint32_t word_at(const unsigned char *p) {
  return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void give(struct frame *frame, const unsigned char *from, uint64_t bytes) {
  if (bytes > frame->room) frame->fits = false;
  if (!frame->fits) return;
  for (uint64_t i = 0; i < bytes; i++) frame->to[i] = from[i];
  frame->to += bytes;
  frame->room -= bytes;
}

static void give_number(struct frame *frame, uint64_t value, unsigned bytes) {
  unsigned char digits[8];
  for (unsigned i = 0; i < bytes; i++) digits[i] = (unsigned char)(value >> (8 * i));
  give(frame, digits, bytes);
}

// A code, and what is added to it.
struct code {
  uint8_t code, bits;
  uint16_t extra;
};

static struct code length_code(enum zstd_table table, unsigned value) {
  const bool literals = table == LITERAL_LENGTHS;
  const uint8_t *const widths = literals ? zstd_literal_bits : zstd_match_bits;
  const unsigned plain = literals ? 16 : 32;
  if (!literals) value -= 3;
  if (value < plain) return (struct code){(uint8_t)value, 0, 0};
  unsigned base = plain, i = 0;
  while (value >= base + (1U << widths[i])) base += 1U << widths[i++];
  return (struct code){(uint8_t)(plain + i), widths[i], (uint16_t)(value - base)};
}

static void sequence_codes(const struct zstd_sequence *one, struct code codes[3]) {
  const unsigned width = zstd_log2(one->offset);
  codes[LITERAL_LENGTHS] = length_code(LITERAL_LENGTHS, one->literals);
  codes[MATCH_LENGTHS] = length_code(MATCH_LENGTHS, one->length);
  codes[OFFSETS] =
      (struct code){(uint8_t)width, (uint8_t)width, (uint16_t)(one->offset - (1U << width))};
}

// Chooses the tables and describes them; a kind of 1 has no states.
static void put_tables(const struct zstd_block *block, struct zstd_fse tables[3], uint8_t kinds[3],
                       struct zstd_writer *to) {
  static uint32_t counts[3][64];
  struct code codes[3];
  for (unsigned t = 0; t < 3; t++) {
    for (unsigned i = 0; i < 64; i++) counts[t][i] = 0;
  }
  for (unsigned i = 0; i < block->count; i++) {
    sequence_codes(&block->sequences[i], codes);
    for (unsigned t = 0; t < 3; t++) counts[t][codes[t].code]++;
  }
  unsigned char *const modes = to->at++;
  *modes = 0;
  for (unsigned t = 0; t < 3; t++) {
    const bool single = counts[t][codes[t].code] == block->count;
    kinds[t] = single && block->count > 2                      ? 1
               : single || block->count < ZSTD_LEAST_SEQUENCES ? 0
                                                               : 2;
    *modes = (unsigned char)(*modes | kinds[t] << (6 - 2 * t));
    if (kinds[t] == 0) zstd_fse_default(&tables[t], (enum zstd_table)t);
    if (kinds[t] == 1) *to->at++ = codes[t].code;
    if (kinds[t] != 2) continue;
    zstd_fse_of(&tables[t], counts[t], zstd_most_symbols[t] + 1U, (enum zstd_table)t);
    zstd_fse_describe(&tables[t], to);
  }
}

static void put_sequences(const struct zstd_block *block, struct zstd_writer *to) {
  static struct zstd_fse tables[3];
  static const uint8_t steps[] = {OFFSETS, MATCH_LENGTHS, LITERAL_LENGTHS};
  static const uint8_t ends[] = {MATCH_LENGTHS, OFFSETS, LITERAL_LENGTHS};
  uint8_t kinds[3];
  unsigned states[3] = {0};
  if (block->count >= 128) *to->at++ = (unsigned char)((block->count >> 8) + 128);
  *to->at++ = (unsigned char)block->count;
  if (!block->count) return;
  put_tables(block, tables, kinds, to);
  for (unsigned i = block->count; i--;) {
    struct code codes[3];
    sequence_codes(&block->sequences[i], codes);
    for (unsigned j = 0; j < 3; j++) {
      const unsigned t = steps[j], symbol = codes[t].code;
      if (kinds[t] == 1) continue;
      states[t] = i + 1 == block->count ? zstd_fse_first(&tables[t], symbol)
                                        : zstd_fse_step(&tables[t], states[t], symbol, to);
    }
    for (unsigned j = 3; j--;) zstd_put(to, codes[steps[j]].extra, codes[steps[j]].bits);
  }
  for (unsigned j = 0; j < 3; j++) {
    const unsigned t = ends[j];
    if (kinds[t] != 1) zstd_put(to, states[t] - (1U << tables[t].log), tables[t].log);
  }
  zstd_mark(to);
}

// Gives out the block and begins the next one.
static void close_block(struct frame *frame) {
  struct zstd_encoder *const encoder = frame->encoder;
  struct zstd_block *const block = &encoder->block;
  const uint64_t bytes = block->at - block->begin, last = block->at == frame->bytes;
  if (block->alike && bytes) {
    give_number(frame, last | 1 << 1 | bytes << 3 | (uint64_t)block->byte << 24, 4);
  } else {
    struct zstd_writer to = {encoder->staging, 0, 0};
    const bool changes = zstd_write_literals(encoder, &to);
    put_sequences(block, &to);
    const uint64_t size = (uint64_t)(to.at - encoder->staging);
    if (size < bytes) {
      if (changes) encoder->current = !encoder->current;
      encoder->has_tree |= changes;
      give_number(frame, last | 2 << 1 | size << 3, 3);
      give(frame, encoder->staging, size);
    } else {
      give_number(frame, last | bytes << 3, 3);
      give(frame, frame->source + block->begin, bytes);
    }
  }
  if (!block->alike) block->has_byte = false;
  block->alike = true;
  block->literal_count = block->count = block->pending = block->shown = 0;
  block->begin = block->at;
}

static bool is_full(const struct frame *frame) {
  const struct zstd_block *const block = &frame->encoder->block;
  return block->at == frame->bytes || block->at - block->begin >= ZSTD_BLOCK_BYTES ||
         block->count == ZSTD_MOST_SEQUENCES;
}

static void add_literals(struct frame *frame, uint64_t count) {
  struct zstd_block *const block = &frame->encoder->block;
  for (uint64_t i = 0; i < count; i++) {
    const unsigned char byte = frame->source[block->at++];
    block->literals[block->literal_count++] = byte;
    if (!block->has_byte) block->byte = byte;
    block->has_byte = true;
    block->alike &= byte == block->byte;
  }
  block->pending += (uint32_t)count;
}

// The value of an offset, by its place among the last ones of the block, if it is there.
static uint32_t offset_value(struct zstd_block *block, uint32_t distance) {
  const bool bare = !block->pending;
  unsigned which = bare;
  while (which < block->shown && block->last[which] != distance) which++;
  uint32_t value = which + 1 - bare;
  if (which >= block->shown) {
    value = bare && block->shown && distance == block->last[0] - 1 ? 3 : distance + 3;
    which = 3;
    if (block->shown < 3) block->shown++;
  }
  if (which >= 2) block->last[2] = block->last[1];
  if (which >= 1) block->last[1] = block->last[0];
  block->last[0] = distance;
  return value;
}

static void add_match(struct frame *frame, uint64_t length, uint32_t distance) {
  struct zstd_block *const block = &frame->encoder->block;
  while (length) {
    const uint64_t piece = length >= ZSTD_PIECE + 3 ? ZSTD_PIECE : length;
    block->alike &= distance == 1 && block->has_byte;
    const uint32_t value = offset_value(block, distance);
    block->sequences[block->count++] =
        (struct zstd_sequence){(uint16_t)block->pending, (uint16_t)piece, value};
    block->pending = 0;
    block->at += piece;
    length -= piece;
    if (is_full(frame)) close_block(frame);
  }
}

static struct zstd_seen *seen(struct zstd_encoder *encoder, uint32_t word, unsigned hash_log) {
  return &encoder->seen[(word * 0x1e35a7bdU) >> 18 & ((1U << hash_log) - 1)];
}

void zstd_make_ready(struct zstd_encoder *encoder) {
  encoder->reached = 0;
  for (unsigned i = 0; i < 1 << 14; i++) encoder->seen[i] = (struct zstd_seen){0};
}

// Greedy matches, as the unit finds them. Places are numbered from one compression to the next.
static void find_matches(struct frame *frame, unsigned window_log, unsigned hash_log) {
  struct zstd_encoder *const encoder = frame->encoder;
  const unsigned char *const source = frame->source;
  const uint64_t bytes = frame->bytes, limit = window_log < 16 ? 1U << window_log : 65535;
  uint64_t at = 0, told = 0, skip = 32;
  if (encoder->reached + bytes > UINT32_MAX) zstd_make_ready(encoder);
  const uint32_t first = encoder->reached + 1;
  encoder->reached += (uint32_t)bytes;
  while (at + 4 <= bytes) {
    const uint32_t word = word_at(source + at);
    struct zstd_seen *const entry = seen(encoder, word, hash_log);
    const struct zstd_seen before = *entry;
    *entry = (struct zstd_seen){first + (uint32_t)at, word};
    const uint64_t distance = first + at - before.position;
    if (before.position >= first && before.word == word && distance <= limit) {
      uint64_t length = 4;
      while (at + length < bytes && source[at + length] == source[at + length - distance]) length++;
      add_literals(frame, at - told);
      add_match(frame, length, (uint32_t)distance);
      at = told = at + length;
      skip = 32;
      if (at + 4 <= bytes) {
        const uint32_t behind = word_at(source + at - 1);
        *seen(encoder, behind, hash_log) = (struct zstd_seen){first + (uint32_t)at - 1, behind};
      }
      continue;
    }
    const uint64_t step = skip >> 5 < 8 ? skip >> 5 : 8;
    at += step < bytes - at ? step : bytes - at;
    if (skip < 256) skip++;
    if (at - told < 240) continue;
    add_literals(frame, at - told);
    told = at;
    if (is_full(frame)) close_block(frame);
  }
  if (told == bytes) return;
  add_literals(frame, bytes - told);
  close_block(frame);
}

int64_t zstd_compress(struct zstd_encoder *encoder, const unsigned char *source, size_t bytes,
                      unsigned char *destination, size_t room, unsigned window_log,
                      unsigned hash_log) {
  struct frame frame = {encoder, source, bytes, destination, room, true};
  struct zstd_block *const block = &encoder->block;
  encoder->has_tree = false;
  block->literal_count = block->count = block->pending = block->shown = 0;
  block->begin = block->at = 0;
  block->alike = true;
  block->has_byte = false;
  give_number(&frame, 0xfd2fb528, 4);
  if (bytes > ZSTD_MOST_WINDOW) {
    give_number(&frame, 0x3080 | (uint64_t)bytes << 16, 6);
  } else if (bytes >= 256) {
    give_number(&frame, 0x60 | (uint64_t)(bytes - 256) << 8, 3);
  } else {
    give_number(&frame, 0x20 | (uint64_t)bytes << 8, 2);
  }
  find_matches(&frame, window_log, hash_log);
  if (!bytes) give_number(&frame, 1, 3);
  return frame.fits ? frame.to - destination : -ZSTD_NO_ROOM;
}
