// SPDX-License-Identifier: BSD-3-Clause
// Quicksort of 64-bit numbers; assembly of a genome from its k-mers; and touching pages in turn.
#include "work.h"

#include "digest.h"
#include "pager.h"
#include "pfa.h"
#include "splitmix.h"

static struct settings { uint64_t pages, seed, kmers, rounds; } settings;

static uint64_t *const data = (uint64_t *)PAGED_BASE;

static uint64_t digest_of_pages(uint64_t unused) {
  (void)unused;
  return digest((const unsigned char *)data, settings.pages << PAGE_BITS);
}

// Quicksort. Numbers of 8 bytes fill all pages.

enum { SHORT = 16 };  // numbers that are sorted by insertion

static uint64_t draw_numbers(uint64_t unused) {
  (void)unused;
  uint64_t state = settings.seed;
  for (uint64_t i = 0; i < settings.pages * PAGE_WORDS; i++) data[i] = splitmix64(&state);
  return 0;
}

static void sort_short(uint64_t *from, const uint64_t *to) {
  for (uint64_t *at = from + 1; at < to; at++) {
    const uint64_t value = *at;
    uint64_t *hole = at;
    for (; hole > from && hole[-1] > value; hole--) *hole = hole[-1];
    *hole = value;
  }
}

static uint64_t median(uint64_t a, uint64_t b, uint64_t c) {
  const uint64_t low = a < b ? a : b, high = a < b ? b : a;
  return c < low ? low : c > high ? high : c;
}

static void sort(uint64_t *from, uint64_t *to) {
  while (to - from > SHORT) {
    const uint64_t pivot = median(*from, from[(to - from) / 2], to[-1]);
    uint64_t *left = from, *right = to - 1;
    for (;;) {
      while (*left < pivot) left++;
      while (*right > pivot) right--;
      if (left >= right) break;
      const uint64_t kept = *left;
      *left++ = *right;
      *right-- = kept;
    }
    // The shorter side first, so that the stack stays small.
    uint64_t *const middle = right + 1;
    if (middle - from < to - middle) {
      sort(from, middle);
      from = middle;
    } else {
      sort(middle, to);
      to = middle;
    }
  }
  if (from < to) sort_short(from, to);
}

static uint64_t run_sort(uint64_t unused) {
  (void)unused;
  sort(data, data + settings.pages * PAGE_WORDS);
  return 0;
}

// Assembly: a table has, for each k-mer of the genome, the base behind it. It is filled in the
// order of the genome, then the genome is read out of it from its first k-mer on.

enum { BASES = 24, BASES_A_DRAW = 32, SLOT_WORDS = 2, NO_BASE = 4 };
#define KMER_MASK ((1UL << 2 * BASES) - 1)

struct genome {
  uint64_t state, drawn, left;
};

static uint64_t next_base(struct genome *genome) {
  if (!genome->left) {
    genome->drawn = splitmix64(&genome->state);
    genome->left = BASES_A_DRAW;
  }
  const uint64_t base = genome->drawn & 3;
  genome->drawn >>= 2;
  genome->left--;
  return base;
}

static uint64_t first_kmer(struct genome *genome) {
  *genome = (struct genome){.state = settings.seed};
  uint64_t kmer = 0;
  for (int i = 0; i < BASES; i++) kmer = kmer << 2 | next_base(genome);
  return kmer;
}

// The slot of a k-mer, or the empty one where it would be. Word 0 is the k-mer plus 1, word 1 the
// base behind it.
static uint64_t *find(uint64_t kmer) {
  const uint64_t slots = settings.pages * PAGE_WORDS / SLOT_WORDS;
  uint64_t slot = (kmer * 0x9e3779b97f4a7c15 >> 32) * slots >> 32;
  while (data[SLOT_WORDS * slot] && data[SLOT_WORDS * slot] != kmer + 1) {
    slot = slot + 1 == slots ? 0 : slot + 1;
  }
  return data + SLOT_WORDS * slot;
}

static uint64_t empty_table(uint64_t unused) {
  (void)unused;
  for (uint64_t i = 0; i < settings.pages * PAGE_WORDS; i++) data[i] = 0;
  return 0;
}

static uint64_t assemble(uint64_t unused) {
  (void)unused;
  struct genome genome;
  uint64_t kmer = first_kmer(&genome), wrong = 0;
  for (uint64_t i = 0; i < settings.kmers; i++) {
    uint64_t *const slot = find(kmer);
    const uint64_t base = i + 1 < settings.kmers ? next_base(&genome) : NO_BASE;
    slot[0] = kmer + 1;
    slot[1] = base;
    kmer = (kmer << 2 | (base & 3)) & KMER_MASK;
  }
  kmer = first_kmer(&genome);
  for (uint64_t i = 0; i < settings.kmers; i++) {
    const uint64_t *const slot = find(kmer);
    const uint64_t base = i + 1 < settings.kmers ? next_base(&genome) : NO_BASE;
    wrong += slot[0] != kmer + 1 || slot[1] != base;
    kmer = (kmer << 2 | (base & 3)) & KMER_MASK;
  }
  return wrong;
}

// Touch: a word of each page in turn, which shows what a walk costs.

static uint64_t number_pages(uint64_t unused) {
  (void)unused;
  for (uint64_t page = 0; page < settings.pages; page++) data[page * PAGE_WORDS] = page;
  return 0;
}

static uint64_t touch(uint64_t unused) {
  (void)unused;
  uint64_t wrong = 0;
  for (uint64_t round = 0; round < settings.rounds; round++) {
    for (uint64_t page = 0; page < settings.pages; page++) {
      wrong += ((volatile uint64_t *)data)[page * PAGE_WORDS] != page;
    }
  }
  return wrong;
}

static const struct work works[] = {
    {"quicksort", draw_numbers, run_sort, digest_of_pages},
    {"genome", empty_table, assemble, digest_of_pages},
    {"touch", number_pages, touch, digest_of_pages},
};

const struct work *chosen_work(const struct arguments *arguments, uint64_t pages) {
  require_choice(arguments, "work", "quicksort genome touch");
  settings = (struct settings){
      .pages = pages,
      .seed = number_argument(arguments, "seed"),
      .rounds = number_argument(arguments, "rounds"),
  };
  if (argument_is(arguments, "work", "genome")) {
    // The table is at most half full.
    settings.kmers = number_between(arguments, "kmers", 1, pages * PAGE_WORDS / SLOT_WORDS / 2);
  }
  const struct work *found = works;
  while (!argument_is(arguments, "work", found->name)) found++;
  return found;
}
