// SPDX-License-Identifier: BSD-3-Clause
// Messages of an experiment: their objects as hashes, their cycles, and what changed beside them.
#include "digest.h"
#include "program.h"
#include "runtime.h"

enum { MARGIN = 128, MOST_ROOM = 1 << 20 };

static unsigned char *arena, *buffer, *output;

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

// What came of serialising the object in the arena.
struct written {
  int64_t size;
  uint64_t hash, cycles, software, stray;
};

// Into a buffer that is one byte too small.
static uint64_t must_not_fit(const struct pb_message *message, unsigned char *end, uint64_t size) {
  const uint64_t room = size - 1;
  lay_canaries(end - size - MARGIN, end + MARGIN);
  const struct pb_work work = {message, arena, 0, end - room, room, true};
  const struct near_core_result result = run_operations(1, &work).result;
  if ((unsigned)result.status != PB_NO_ROOM) fail("%lu bytes fit into %lu", size, room);
  if (pb_write(message, arena, buffer, room) != -PB_NO_ROOM) fail("software finds room");
  return changed(end - size - MARGIN, end - room) + changed(end, end + MARGIN);
}

// By the unit, to any alignment, in every second case with no room to spare; and in software.
static struct written write_back(unsigned index, const struct pb_case *one) {
  const struct pb_message *const message = pb_messages[one->message];
  struct written made = {.size = pb_write(message, arena, buffer, MOST_ROOM)};
  if (made.size < 0) fail("case %u has no room for what is serialised", index);
  const uint64_t size = (uint64_t)made.size, room = size + index % 2 * MARGIN;
  unsigned char *const end = output + MOST_ROOM - (one->batch > 1 ? 0 : index * 5 % 64);
  if (size && index % 4 == 1) made.stray += must_not_fit(message, end, size);
  lay_canaries(end - size - MARGIN, end + MARGIN);
  const struct pb_work work = {message, arena, 0, end - room, room, true};
  if (one->batch > 1) run_operations(1, &work);
  const struct pb_run run = run_operations(one->batch, &work);
  if (run.result.status != NEAR_CORE_OKAY || run.result.bytes != size) {
    fail("case %u: status %u, %u bytes", index, (unsigned)run.result.status, run.result.bytes);
  }
  made.cycles = run.cycles;
  made.stray += changed(end - size - MARGIN, end - size) + changed(end, end + MARGIN);
  made.hash = digest(end - size, size);
  if (!one->software) return made;
  lay_canaries(end - size, end);
  const uint64_t begin = cycles();
  for (uint32_t i = 0; i < one->batch; i++) pb_write(message, arena, end - size, size);
  made.software = cycles() - begin;
  if (digest(end - size, size) != made.hash) fail("case %u: software has other bytes", index);
  return made;
}

static void run_case(unsigned index, const struct pb_case *one) {
  const unsigned char *const source = (const unsigned char *)&pb_cases + one->offset;
  const struct pb_message *const message = pb_messages[one->message];
  if (one->room > MOST_ROOM) fail("case %u has room for %u bytes", index, one->room);
  unsigned char *const end = arena + lines(one->room);
  uint64_t soiled = 512 + 16UL * one->bytes;
  if (soiled > one->room) soiled = one->room;
  lay_canaries(arena - MARGIN, arena + soiled + MARGIN);
  lay_canaries(end, end + MARGIN);
  near_core_latency(one->latency);
  const struct pb_work work = {message, source, one->bytes, arena, one->room, false};
  if (one->batch > 1) run_operations(1, &work);
  const struct pb_run run = run_operations(one->batch, &work);
  uint64_t stray = changed(arena - MARGIN, arena) + changed(end, end + MARGIN);
  struct written back = {0};
  if (run.result.status == NEAR_CORE_OKAY) {
    const uint64_t used = lines(run.result.bytes);
    if (used + MARGIN <= soiled) stray += changed(arena + used, arena + soiled);
    back = write_back(index, one);
  }
  const uint64_t software = one->software ? in_software(one, source, run.result) : 0;
  print("case=%u status=%u bytes=%u cycles=%lu software=%lu stray=%lu ", index,
        (unsigned)run.result.status, run.result.bytes, run.cycles, software, stray + back.stray);
  print("size=%ld digest=%016lx back=%lu back_software=%lu\n", back.size, back.hash, back.cycles,
        back.software);
}

void run_cases(void) {
  arena = (unsigned char *)firesim_heap(MOST_ROOM + 4 * MARGIN) + MARGIN;
  buffer = firesim_heap(MOST_ROOM);
  output = (unsigned char *)firesim_heap(MOST_ROOM + 4 * MARGIN) + 2 * MARGIN;
  if ((uintptr_t)arena % PB_ARENA_ALIGNMENT) fail("the heap is not aligned");
  for (unsigned i = 0; i < pb_cases.count; i++) run_case(i, &pb_cases.cases[i]);
}
