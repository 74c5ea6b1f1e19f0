// SPDX-License-Identifier: BSD-3-Clause
// Messages of an experiment: their objects as hashes, their cycles, and what changed beside them.
#include "digest.h"
#include "program.h"
#include "runtime.h"

enum { MARGIN = 128, MOST_ROOM = 1 << 20 };

static unsigned char *arena, *buffer;

static uint64_t lines(uint64_t bytes) {
  return (bytes + PB_ARENA_ALIGNMENT - 1) & ~(PB_ARENA_ALIGNMENT - 1UL);
}

// Cycles of the same in software; the blade fails when it comes to another arena.
static uint64_t in_software(const struct pb_case *one, const void *source,
                            struct near_core_result result) {
  const bool good = result.status == NEAR_CORE_OKAY;
  const uint64_t expected = good ? digest(arena, result.bytes) : 0;
  for (uint64_t i = 0; i < result.bytes / 8; i++) ((uint64_t *)arena)[i] = 0;
  const struct pb_message *const message = pb_messages[one->message];
  uint64_t used = 0;
  enum pb_status status = PB_OKAY;
  if (one->batch > 1) pb_read(message, source, one->bytes, arena, one->room, &used);
  const uint64_t begin = cycles();
  for (uint32_t i = 0; i < one->batch; i++) {
    status = pb_read(message, source, one->bytes, arena, one->room, &used);
  }
  const uint64_t taken = cycles() - begin;
  if ((unsigned)status != (unsigned)result.status) fail("software has status %u", status);
  if (!good) return taken;
  if (used != result.bytes) fail("software uses %lu bytes, the unit %u", used, result.bytes);
  if (digest(arena, used) != expected) fail("software has another arena");
  return taken;
}

static void run_case(unsigned index, const struct pb_case *one) {
  const unsigned char *const source = (const unsigned char *)&pb_cases + one->offset;
  const struct pb_message *const message = pb_messages[one->message];
  if (one->room > MOST_ROOM) fail("case %u has room for %u bytes", index, one->room);
  unsigned char *const end = arena + lines(one->room);
  uint64_t soiled = 512 + 16UL * one->bytes;
  if (soiled > one->room) soiled = one->room;
  for (uint64_t *at = (uint64_t *)(arena - MARGIN); at < (uint64_t *)(arena + soiled + MARGIN);) {
    *at++ = CANARIES;
  }
  for (uint64_t *at = (uint64_t *)end; at < (uint64_t *)(end + MARGIN);) *at++ = CANARIES;
  near_core_latency(one->latency);
  if (one->batch > 1) run_operations(1, message, source, one->bytes, arena, one->room);
  const struct pb_run run =
      run_operations(one->batch, message, source, one->bytes, arena, one->room);
  uint64_t stray = changed(arena - MARGIN, arena) + changed(end, end + MARGIN);
  int64_t size = 0;
  uint64_t hash = 0;
  if (run.result.status == NEAR_CORE_OKAY) {
    const uint64_t used = lines(run.result.bytes);
    if (used + MARGIN <= soiled) stray += changed(arena + used, arena + soiled);
    size = pb_write(message, arena, buffer, MOST_ROOM);
    if (size < 0) fail("case %u has no room for what is serialised", index);
    hash = digest(buffer + MOST_ROOM - size, (uint64_t)size);
  }
  const uint64_t software = one->software ? in_software(one, source, run.result) : 0;
  print("case=%u status=%u bytes=%u cycles=%lu software=%lu stray=%lu size=%ld digest=%016lx\n",
        index, (unsigned)run.result.status, run.result.bytes, run.cycles, software, stray, size,
        hash);
}

void run_cases(void) {
  arena = (unsigned char *)firesim_heap(MOST_ROOM + 4 * MARGIN) + MARGIN;
  buffer = firesim_heap(MOST_ROOM);
  if ((uintptr_t)arena % PB_ARENA_ALIGNMENT) fail("the heap is not aligned");
  for (unsigned i = 0; i < pb_cases.count; i++) run_case(i, &pb_cases.cases[i]);
}
