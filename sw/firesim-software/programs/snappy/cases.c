// SPDX-License-Identifier: BSD-3-Clause
// Operations of an experiment: their outputs as hashes, their cycles, and what changed beside them.
#include "digest.h"
#include "program.h"
#include "runtime.h"

enum { MARGIN = 128, MOST_ROOM = 1 << 20 };

static unsigned char *output, *other;
static uint32_t *table;

// Cycles of the same in software; the blade fails when it comes to another result.
static uint64_t in_software(const struct snappy_case *one, const unsigned char *source,
                            const unsigned char *made, struct near_core_result result) {
  const uint64_t begin = cycles();
  if (one->operation & 1) {
    snappy_compress(source, one->bytes, other, table);
    const uint64_t taken = cycles() - begin;
    const int64_t back = snappy_decompress(made, result.bytes, other, one->bytes);
    if (back != (int64_t)one->bytes) fail("software refuses what the unit has compressed");
    for (uint64_t i = 0; i < one->bytes; i++) {
      if (other[i] != source[i]) fail("byte %lu is another one after compression", i);
    }
    return taken;
  }
  const int64_t bytes = snappy_decompress(source, one->bytes, other, one->room);
  const uint64_t taken = cycles() - begin;
  const bool good = result.status == NEAR_CORE_OKAY;
  if (bytes != (good ? (int64_t)result.bytes : -1)) fail("software has %ld bytes", bytes);
  return taken;
}

static void run_case(unsigned index, const struct snappy_case *one) {
  const unsigned char *const source = (const unsigned char *)&snappy_cases + one->offset;
  unsigned char *const to = output + MARGIN + index * 13 % 64;
  unsigned char *const end = to + one->room + MARGIN;
  if (one->room > MOST_ROOM) fail("case %u has room for %u bytes", index, one->room);
  lay_canaries(output, end);
  near_core_latency(one->latency);
  struct snappy_run run;
  for (unsigned i = 0; i <= one->warm; i++) {
    run = run_operation(one->operation, (uintptr_t)source, one->bytes, (uintptr_t)to, one->room);
  }
  const bool good = run.result.status == NEAR_CORE_OKAY;
  const uint64_t kept = good ? run.result.bytes : one->room;
  const uint64_t stray = changed(output, to) + changed(to + kept, end);
  const uint64_t hash = good ? digest(to, run.result.bytes) : 0;
  const uint64_t software = one->software ? in_software(one, source, to, run.result) : 0;
  print("case=%u status=%u bytes=%u cycles=%lu software=%lu stray=%lu digest=%016lx\n", index,
        (unsigned)run.result.status, run.result.bytes, run.cycles, software, stray, hash);
}

void run_cases(void) {
  output = firesim_heap(MOST_ROOM + 4 * MARGIN);
  other = firesim_heap(2 * MOST_ROOM);
  table = firesim_heap(sizeof(uint32_t) << 14);
  for (unsigned i = 0; i < snappy_cases.count; i++) run_case(i, &snappy_cases.cases[i]);
}
