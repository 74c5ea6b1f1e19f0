// SPDX-License-Identifier: BSD-3-Clause
// ZStd in software: what the unit beside the core is compared with; and content checksums.
#include "zstd_internal.h"

// Output, and what limits it.
struct output {
  unsigned char *frame, *at, *end;
};
struct frame {
  uint64_t content, most;  // bytes; the most of a block
  bool sized, checked;
};

static uint64_t little(const unsigned char *at, unsigned bytes) {
  uint64_t value = 0;
  for (unsigned i = 0; i < bytes; i++) value |= (uint64_t)at[i] << (8 * i);
  return value;
}

static void copy(unsigned char *to, const unsigned char *from, uint64_t bytes) {
  while (bytes--) *to++ = *from++;
}

static uint64_t code_value(enum zstd_table table, unsigned code, struct zstd_bits *bits) {
  const unsigned plain = table == LITERAL_LENGTHS ? 16 : 32;
  const uint8_t *const widths = table == LITERAL_LENGTHS ? zstd_literal_bits : zstd_match_bits;
  uint64_t base = table == LITERAL_LENGTHS ? 0 : 3;
  if (code < plain) return base + code;
  base += plain;
  for (unsigned i = plain; i < code; i++) base += 1UL << widths[i - plain];
  return base + zstd_take(bits, widths[code - plain]);
}

static uint64_t repeated(uint64_t *last, uint64_t value, bool literals) {
  uint64_t offset = value - 3;
  unsigned which = 3;
  if (value <= 3) {
    which = (unsigned)value - literals;
    offset = which == 3 ? last[0] - 1 : last[which];
  }
  if (which >= 2) last[2] = last[1];
  if (which >= 1) last[1] = last[0];
  last[0] = offset;
  return offset;
}

// Reads the header of sequences and their tables; returns how many there are, or -1.
static int64_t read_tables(struct zstd_decoder *decoder, struct zstd_bytes *in) {
  if (in->at == in->end) return -1;
  const unsigned first = *in->at, header = first < 128 ? 1 : first == 255 ? 3 : 2;
  if (in->end - in->at < header) return -1;
  const uint64_t count = first < 128    ? first
                         : first == 255 ? little(in->at + 1, 2) + 0x7f00
                                        : (first - 128) << 8 | in->at[1];
  in->at += header;
  if (!count) return in->at == in->end ? 0 : -1;
  if (in->at == in->end) return -1;
  const unsigned modes = *in->at++;
  if (modes & 3) return -1;
  for (unsigned i = 0; i < 3; i++) {
    struct zstd_states *const table = &decoder->tables[i];
    const enum zstd_table which = (enum zstd_table)i;
    switch (modes >> (6 - 2 * i) & 3) {
      case 0:
        zstd_default_table(table, which);
        break;
      case 1:
        if (!zstd_single_table(table, which, in)) return -1;
        break;
      case 2:
        if (!zstd_described_table(table, which, in)) return -1;
        break;
      default:
        if (!decoder->has_tables) return -1;
    }
  }
  decoder->has_tables = true;
  return (int64_t)count;
}

// A block's output ends at `end` of its own, or of the destination.
static int run_sequences(struct zstd_decoder *decoder, struct zstd_bytes in, uint64_t count,
                         const unsigned char *literals, uint64_t left, struct output *out,
                         uint64_t most) {
  struct zstd_bits bits;
  unsigned states[3];
  if (count && !zstd_open(&bits, in.at, in.end)) return ZSTD_BAD_DATA;
  for (unsigned i = 0; count && i < 3; i++) {
    states[i] = zstd_take(&bits, decoder->tables[i].log);
  }
  while (count--) {
    struct zstd_state now[3];
    for (unsigned i = 0; i < 3; i++) now[i] = decoder->tables[i].states[states[i]];
    const unsigned code = now[OFFSETS].symbol;
    const uint64_t value = (1UL << code) + zstd_take(&bits, code);
    const uint64_t length = code_value(MATCH_LENGTHS, now[MATCH_LENGTHS].symbol, &bits);
    const uint64_t plain = code_value(LITERAL_LENGTHS, now[LITERAL_LENGTHS].symbol, &bits);
    const uint64_t offset = repeated(decoder->last, value, plain != 0);
    if (bits.left < 0 || plain > left || plain + length > most) return ZSTD_BAD_DATA;
    if (plain + length > (uint64_t)(out->end - out->at)) return ZSTD_NO_ROOM;
    copy(out->at, literals, plain);
    out->at += plain;
    if (!offset || offset > (uint64_t)(out->at - out->frame)) return ZSTD_BAD_DATA;
    copy(out->at, out->at - offset, length);
    out->at += length;
    literals += plain;
    left -= plain;
    most -= plain + length;
    if (!count) break;
    static const uint8_t order[] = {LITERAL_LENGTHS, MATCH_LENGTHS, OFFSETS};
    for (unsigned i = 0; i < 3; i++) {
      states[order[i]] = now[order[i]].base + zstd_take(&bits, now[order[i]].bits);
    }
  }
  if (in.at != in.end && bits.left != 0) return ZSTD_BAD_DATA;
  if (left > most) return ZSTD_BAD_DATA;
  if (left > (uint64_t)(out->end - out->at)) return ZSTD_NO_ROOM;
  copy(out->at, literals, left);
  out->at += left;
  return NEAR_CORE_OKAY;
}

static int read_compressed(struct zstd_decoder *decoder, struct zstd_bytes in, struct output *out,
                           uint64_t most) {
  const int64_t literals = zstd_read_literals(decoder, &in, most);
  if (literals < 0) return ZSTD_BAD_DATA;
  const int64_t count = read_tables(decoder, &in);
  if (count < 0) return ZSTD_BAD_DATA;
  return run_sequences(decoder, in, (uint64_t)count, decoder->literals, (uint64_t)literals, out,
                       most);
}

// Reads a block and says whether it is the last one.
static int read_block(struct zstd_decoder *decoder, struct zstd_bytes *in, struct output *out,
                      uint64_t most, bool *last) {
  if (in->end - in->at < 3) return ZSTD_BAD_DATA;
  const uint64_t header = little(in->at, 3), size = header >> 3;
  const unsigned kind = header >> 1 & 3;
  in->at += 3;
  *last = header & 1;
  const uint64_t stored = kind == 1 ? 1 : size;
  if (kind == 3 || size > most || stored > (uint64_t)(in->end - in->at)) return ZSTD_BAD_DATA;
  const unsigned char *const at = in->at;
  in->at += stored;
  if (kind == 2) return read_compressed(decoder, (struct zstd_bytes){at, at + size}, out, most);
  if (size > (uint64_t)(out->end - out->at)) return ZSTD_NO_ROOM;
  for (uint64_t i = 0; i < size; i++) *out->at++ = at[kind == 1 ? 0 : i];
  return NEAR_CORE_OKAY;
}

static int read_header(struct zstd_bytes *in, struct frame *frame) {
  if (in->at == in->end) return ZSTD_BAD_DATA;
  static const uint8_t dictionary_sizes[] = {0, 1, 2, 4};
  const unsigned flags = *in->at++, single = flags >> 5 & 1;
  const unsigned dictionary = dictionary_sizes[flags & 3];
  const unsigned size = flags >> 6 ? 1U << (flags >> 6) : single;
  if (flags & 8 || (uint64_t)(in->end - in->at) < !single + dictionary + size) return ZSTD_BAD_DATA;
  frame->checked = flags & 4;
  frame->sized = size != 0;
  if (!single) {
    const unsigned window = *in->at++, log = 10 + (window >> 3);
    frame->most = (1UL << log) + ((1UL << log) >> 3) * (window & 7);
  }
  if (little(in->at, dictionary)) return ZSTD_NOT_TAKEN;
  frame->content = little(in->at + dictionary, size) + (size == 2 ? 256 : 0);
  in->at += dictionary + size;
  if (single) frame->most = frame->content;
  return frame->most > ZSTD_MOST_WINDOW ? ZSTD_NOT_TAKEN : NEAR_CORE_OKAY;
}

static int read_frame(struct zstd_decoder *decoder, struct zstd_bytes *in, struct output *out) {
  struct frame frame = {0};
  int status = read_header(in, &frame);
  if (status) return status;
  if (frame.sized && frame.content > (uint64_t)(out->end - out->at)) return ZSTD_NO_ROOM;
  out->frame = out->at;
  decoder->longest = 0;
  decoder->has_tables = false;
  for (unsigned i = 0; i < 3; i++) decoder->last[i] = i ? 4 * i : 1;
  for (bool last = false; !last;) {
    status = read_block(decoder, in, out, frame.most, &last);
    if (status) return status;
  }
  if (frame.sized && frame.content != (uint64_t)(out->at - out->frame)) return ZSTD_BAD_DATA;
  if (!frame.checked) return NEAR_CORE_OKAY;
  if (in->end - in->at < 4) return ZSTD_BAD_DATA;
  in->at += 4;
  return NEAR_CORE_OKAY;
}

int64_t zstd_decompress(const unsigned char *source, size_t bytes, unsigned char *destination,
                        size_t room) {
  static struct zstd_decoder decoder;
  struct zstd_bytes in = {source, source + bytes};
  struct output out = {destination, destination, destination + room};
  while (in.at != in.end) {
    if (in.end - in.at < 5) return -ZSTD_BAD_DATA;
    const uint64_t magic = little(in.at, 4);
    in.at += 4;
    if (magic >> 4 == 0x184d2a5) {
      if (in.end - in.at < 4) return -ZSTD_BAD_DATA;
      const uint64_t size = little(in.at, 4);
      if (size > (uint64_t)(in.end - in.at) - 4) return -ZSTD_BAD_DATA;
      in.at += 4 + size;
      continue;
    }
    if (magic != 0xfd2fb528) return -ZSTD_BAD_DATA;
    const int status = read_frame(&decoder, &in, &out);
    if (status) return -status;
  }
  return out.at - destination;
}
