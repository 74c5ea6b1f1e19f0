// SPDX-License-Identifier: BSD-3-Clause
// Copies by the engine beside the core, by words and by bytes: compared, and cycles of each.
#include "digest.h"
#include "near_core.h"
#include "pages.h"
#include "routines.h"
#include "runtime.h"
#include "splitmix.h"

enum { LEAST = 64, MOST = 65536, LINE = 64, MARGIN = 128 };
enum { USER = 16 };  // of a page-table entry

static unsigned char *source, *target;
static struct pages pages;
static uint32_t generation = 1;

struct spent {
  uint64_t cycles, instructions;
};

static struct near_core_result engine(uintptr_t to, uintptr_t from, uint64_t bytes) {
  near_core_renew(pages.satp, generation);
  near_core_go(0, from + PAGES_OFFSET, bytes, to + PAGES_OFFSET, bytes);
  return near_core_wait();
}

static void copy_by_engine(unsigned char *to, const unsigned char *from, uint64_t bytes) {
  const struct near_core_result result = engine((uintptr_t)to, (uintptr_t)from, bytes);
  if (result.status != NEAR_CORE_OKAY || result.bytes != bytes) {
    fail("the engine ended with status %u and %u bytes, fault at %lx", (unsigned)result.status,
         result.bytes, near_core_fault_address());
  }
}

typedef void (*routine)(unsigned char *to, const unsigned char *from, uint64_t bytes);

// Copies between canaries, twice: what the second one takes.
static struct spent copy(routine with, uint64_t to, uint64_t from, uint64_t bytes) {
  unsigned char *const begin = target + MARGIN + to, *const end = begin + bytes;
  const unsigned char *const last = end + MARGIN;
  struct spent spent = {0};
  for (unsigned i = 0; i < 2; i++) {
    lay_canaries(target, last);
    const uint64_t cycle = cycles(), instruction = instructions();
    with(begin, source + from, bytes);
    spent = (struct spent){cycles() - cycle, instructions() - instruction};
    for (uint64_t j = 0; j < bytes; j++) {
      if (begin[j] != source[from + j]) fail("byte %lu of %lu is another one", j, bytes);
    }
    if (changed(target, begin) || changed(end, last)) fail("a stray byte");
  }
  return spent;
}

// Half of the pages are a program's, as a kernel copies: the source's or the destination's.
static void give_to_program(const unsigned char *from, uint64_t bytes, bool program) {
  for (uintptr_t at = (uintptr_t)from & ~4095UL; at < (uintptr_t)from + bytes; at += 4096) {
    uint64_t *const entry = page_entry(&pages, at);
    *entry = program ? *entry | USER : *entry & ~(uint64_t)USER;
  }
  generation++;
}

// A page is taken away: the engine says which, and is right when it is back.
static void faults(void) {
  const unsigned char *const places[] = {source, target};
  for (unsigned i = 0; i < 2; i++) {
    uint64_t *const entry = page_entry(&pages, (uintptr_t)places[i] + 4096);
    const uint64_t kept = *entry;
    *entry = 0;
    generation++;
    const struct near_core_result result = engine((uintptr_t)target, (uintptr_t)source, 8192);
    const uintptr_t at = near_core_fault_address() - PAGES_OFFSET;
    *entry = kept;
    generation++;
    print("fault of=%s status=%u page=%d\n", i ? "destination" : "source", (unsigned)result.status,
          (int)(at >> 12) - (int)((uintptr_t)places[i] >> 12));
    copy_by_engine(target, source, 8192);
  }
}

// More than there is room for, and an operation that there is not.
static void refusals(void) {
  const uintptr_t at = (uintptr_t)target + PAGES_OFFSET;
  near_core_go(0, at, 2, at, 1);
  near_core_go(1, at, 1, at, 1);
  const struct near_core_result room = near_core_wait(), operation = near_core_wait();
  print("refused room=%u operation=%u\n", (unsigned)room.status, (unsigned)operation.status);
}

static uint64_t place(const struct arguments *arguments, const char *name) {
  const uint64_t found = number_argument(arguments, name);
  if (found >= LINE) fail("%s: found %lu, expected at most %u", name, found, LINE - 1);
  return found;
}

int main(int hart, const struct arguments *arguments) {
  (void)hart;
  const uint64_t bytes = number_argument(arguments, "bytes");
  if (bytes < LEAST || bytes > MOST) {
    fail("bytes: found %lu, expected %u to %u", bytes, LEAST, MOST);
  }
  const uint64_t from = place(arguments, "from"), to = place(arguments, "to");
  uint64_t seed = number_argument(arguments, "seed");
  const uint64_t room = MOST + 4096 + 2 * MARGIN;
  source = firesim_heap(room);
  target = firesim_heap(room);
  pages = make_pages();
  near_core_latency(number_between(arguments, "latency", 0, UINT16_MAX));
  for (uint64_t i = 0; i < (bytes + 4096) / 8; i++) ((uint64_t *)source)[i] = splitmix64(&seed);

  for (uint64_t i = number_argument(arguments, "random"); i; i--) {
    give_to_program(source, room, splitmix64(&seed) & 1);
    give_to_program(target, room, splitmix64(&seed) & 1);
    copy(copy_by_engine, splitmix64(&seed) % LINE, splitmix64(&seed) % LINE,
         splitmix64(&seed) % LEAST << i % 4);
  }
  faults();
  refusals();
  for (uint64_t size = LEAST; size <= bytes; size *= 2) {
    const struct spent unit = copy(copy_by_engine, to, from, size);
    const struct spent words = copy(copy_words, to, from, size);
    const struct spent plain = copy(copy_bytes, to, from, size);
    print(
        "copy bytes=%lu engine=%lu words=%lu by_bytes=%lu words_instructions=%lu "
        "by_bytes_instructions=%lu\n",
        size, unit.cycles, words.cycles, plain.cycles, words.instructions, plain.instructions);
  }
  return 0;
}
