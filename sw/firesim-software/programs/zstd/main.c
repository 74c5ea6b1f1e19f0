// SPDX-License-Identifier: BSD-3-Clause
// Decompresses by the unit beside the core and in software, and compares.
#include "program.h"
#include "runtime.h"

enum { MOST_REPEATS = 64 };

struct zstd_run run_operation(const unsigned char *source, uint64_t bytes, unsigned char *to,
                              uint64_t room) {
  const uint64_t begin = cycles();
  near_core_go(ZSTD_DECOMPRESS, (uintptr_t)source, bytes, (uintptr_t)to, room);
  const struct near_core_result result = near_core_wait();
  return (struct zstd_run){result, cycles() - begin};
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
  near_core_latency(number_argument(arguments, "latency"));
  const uint64_t bytes = repeats * sample_bytes, room = repeats * sample_content;
  unsigned char *const source = firesim_heap(bytes), *const to = firesim_heap(room);
  unsigned char *const other = firesim_heap(room);
  for (uint64_t i = 0; i < bytes; i++) source[i] = sample_frame[i % sample_bytes];
  for (uint64_t i = 0; i < room; i++) to[i] = 0;

  const struct zstd_run unit = run_operation(source, bytes, to, room);
  if (unit.result.status != NEAR_CORE_OKAY || unit.result.bytes != room) {
    fail("the unit ended with status %u and %u bytes, fault at %lx", (unsigned)unit.result.status,
         unit.result.bytes, near_core_fault_address());
  }
  if (!zstd_checksum_right(source, sample_bytes, to, sample_content)) fail("a wrong checksum");
  const uint64_t begin = cycles();
  const int64_t made = zstd_decompress(source, bytes, other, room);
  const uint64_t software = cycles() - begin;
  if (made != (int64_t)room) fail("software has %ld bytes", made);
  for (uint64_t i = 0; i < room; i++) {
    if (to[i] != other[i]) fail("byte %lu is %x, expected %x", i, to[i], other[i]);
  }
  // The kind of the first block, behind a header of 7 bytes, becomes one that there is not.
  source[7] |= 6;
  const struct zstd_run bad = run_operation(source, bytes, to, room);
  print("zstd bytes=%lu compressed=%lu bad=%u\n", room, bytes, (unsigned)bad.result.status);
  print("cycles decompress=%lu by_software=%lu\n", unit.cycles, software);
  return 0;
}
