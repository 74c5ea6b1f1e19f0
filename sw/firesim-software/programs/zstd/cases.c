// SPDX-License-Identifier: BSD-3-Clause
// Operations of an experiment: their outputs as hashes, their cycles, and what changed beside them.
#include "digest.h"
#include "program.h"
#include "runtime.h"

enum { MARGIN = 128, MOST_ROOM = 1 << 20 };

static unsigned char *output, *other;
static struct zstd_encoder *encoder;

// Cycles of the same in software; the blade fails when it comes to another result.
static uint64_t in_software(const struct zstd_case *one, const unsigned char *source,
                            const unsigned char *made, struct near_core_result result) {
  const uint64_t begin = cycles();
  if (one->operation & 1) {
    const int64_t size = zstd_compress(encoder, source, one->bytes, other, one->room,
                                       one->operation >> 8 & 0xff, one->operation >> 16);
    const uint64_t taken = cycles() - begin;
    bool same = size == (result.status == NEAR_CORE_OKAY ? (int64_t)result.bytes : -ZSTD_NO_ROOM);
    for (int64_t i = 0; same && i < size; i++) same = other[i] == made[i];
    if (!same) fail("software makes another frame, of %ld bytes", size);
    return taken;
  }
  const int64_t bytes = zstd_decompress(source, one->bytes, other, one->room);
  const uint64_t taken = cycles() - begin;
  const bool good = result.status == NEAR_CORE_OKAY;
  if (good ? bytes != (int64_t)result.bytes : bytes >= 0) fail("software has %ld bytes", bytes);
  return taken;
}

static void run_case(unsigned index, const struct zstd_case *one) {
  const unsigned char *const source = (const unsigned char *)&zstd_cases + one->offset;
  unsigned char *const to = output + MARGIN + index * 13 % 64;
  unsigned char *const end = to + one->room + MARGIN;
  if (one->room > MOST_ROOM) fail("case %u has room for %u bytes", index, one->room);
  lay_canaries(output, end);
  near_core_latency(one->latency);
  struct zstd_run run;
  for (unsigned i = 0; i <= one->warm; i++) {
    run = run_operation(one->operation, source, one->bytes, to, one->room);
  }
  const bool good = run.result.status == NEAR_CORE_OKAY;
  const uint64_t kept = good ? run.result.bytes : one->room;
  const uint64_t stray = changed(output, to) + changed(to + kept, end);
  const uint64_t hash = good ? digest(to, run.result.bytes) : 0;
  const uint64_t software = one->software ? in_software(one, source, to, run.result) : 0;
  unsigned status = (unsigned)run.result.status;
  if (good && one->checksum && !zstd_checksum_right(source, one->bytes, to, run.result.bytes)) {
    status = ZSTD_BAD_CHECKSUM;
  }
  print("case=%u status=%u bytes=%u cycles=%lu software=%lu stray=%lu digest=%016lx\n", index,
        status, run.result.bytes, run.cycles, software, stray, hash);
}

void run_cases(void) {
  output = firesim_heap(MOST_ROOM + 4 * MARGIN);
  other = firesim_heap(MOST_ROOM);
  encoder = firesim_heap(zstd_encoder_bytes);
  zstd_make_ready(encoder);
  for (unsigned i = 0; i < zstd_cases.count; i++) run_case(i, &zstd_cases.cases[i]);
}
