// SPDX-License-Identifier: BSD-3-Clause
// Decompresses and compresses by the unit beside the core and in software, and compares.
#include "program.h"
#include "runtime.h"

enum { MOST_REPEATS = 64 };

struct zstd_run run_operation(uint64_t operation, const unsigned char *source, uint64_t bytes,
                              unsigned char *to, uint64_t room) {
  const uint64_t begin = cycles();
  near_core_go(operation, (uintptr_t)source, bytes, (uintptr_t)to, room);
  const struct near_core_result result = near_core_wait();
  return (struct zstd_run){result, cycles() - begin};
}

static struct zstd_run good_run(uint64_t operation, const unsigned char *source, uint64_t bytes,
                                unsigned char *to, uint64_t room) {
  const struct zstd_run run = run_operation(operation, source, bytes, to, room);
  if (run.result.status == (enum near_core_status)ZSTD_BAD_OPERATION) {
    fail("the unit does not compress with this window and hash table: window=0 leaves it out");
  }
  if (run.result.status != NEAR_CORE_OKAY) {
    fail("the unit ended with status %u and %u bytes, fault at %lx", (unsigned)run.result.status,
         run.result.bytes, near_core_fault_address());
  }
  return run;
}

static void require_same(const unsigned char *one, const unsigned char *other, uint64_t bytes) {
  for (uint64_t i = 0; i < bytes; i++) {
    if (one[i] != other[i]) fail("byte %lu is %x, expected %x", i, one[i], other[i]);
  }
}

// The contents become a frame, the same by the unit and in software, and come back from it.
static void compress(const unsigned char *from, uint64_t bytes, const struct arguments *arguments) {
  const unsigned window = (unsigned)number_argument(arguments, "window");
  const unsigned hash = (unsigned)number_argument(arguments, "hash");
  const uint64_t room = bytes + 64;
  unsigned char *const made = firesim_heap(room), *const back = firesim_heap(room);
  struct zstd_encoder *const encoder = firesim_heap(zstd_encoder_bytes);
  zstd_make_ready(encoder);
  const struct zstd_run unit = good_run(zstd_compression(window, hash), from, bytes, made, room);
  const uint64_t begin = cycles();
  const int64_t size = zstd_compress(encoder, from, bytes, back, room, window, hash);
  const uint64_t software = cycles() - begin;
  if (size != (int64_t)unit.result.bytes) fail("software makes a frame of %ld bytes", size);
  require_same(made, back, (uint64_t)size);
  good_run(ZSTD_DECOMPRESS, made, (uint64_t)size, back, bytes);
  require_same(back, from, bytes);
  print("made bytes=%ld\n", size);
  print("cycles compress=%lu by_software=%lu\n", unit.cycles, software);
}

int main(int hart, const struct arguments *arguments) {
  (void)hart;
  near_core_translate(0, false);
  if (zstd_cases.count) {
    run_cases();
    return 0;
  }
  const uint64_t repeats = number_argument(arguments, "repeats");
  if (!repeats || repeats > MOST_REPEATS) {
    fail("repeats: found %lu, expected 1 to %u", repeats, MOST_REPEATS);
  }
  const uint64_t cache = number_argument(arguments, "cached") ? NEAR_CORE_CACHED : 0;
  near_core_latency(number_between(arguments, "latency", 0, UINT16_MAX) | cache);
  const uint64_t bytes = repeats * sample_bytes, room = repeats * sample_content;
  unsigned char *const source = firesim_heap(bytes), *const to = firesim_heap(room);
  unsigned char *const other = firesim_heap(room);
  for (uint64_t i = 0; i < bytes; i++) source[i] = sample_frame[i % sample_bytes];
  for (uint64_t i = 0; i < room; i++) to[i] = 0;

  const struct zstd_run unit = good_run(ZSTD_DECOMPRESS, source, bytes, to, room);
  if (unit.result.bytes != room) fail("the unit has %u bytes", unit.result.bytes);
  if (!zstd_checksum_right(source, sample_bytes, to, sample_content)) fail("a wrong checksum");
  const uint64_t begin = cycles();
  const int64_t made = zstd_decompress(source, bytes, other, room);
  const uint64_t software = cycles() - begin;
  if (made != (int64_t)room) fail("software has %ld bytes", made);
  require_same(to, other, room);
  // The kind of the first block, behind a header of 7 bytes, becomes one that there is not.
  source[7] |= 6;
  const struct zstd_run bad = run_operation(ZSTD_DECOMPRESS, source, bytes, to, room);
  print("zstd bytes=%lu compressed=%lu bad=%u\n", room, bytes, (unsigned)bad.result.status);
  print("cycles decompress=%lu by_software=%lu\n", unit.cycles, software);
  if (number_argument(arguments, "window")) compress(other, room, arguments);
  return 0;
}
