// SPDX-License-Identifier: BSD-3-Clause
// Page tables (Sv39) for the unit: the core itself stays in machine mode and does not use them.
#include "pages.h"

enum { ENTRIES = 512, TABLES = 8 };
enum { VALID = 1, READ_WRITE = 0xc7 };  // valid, readable, writable, accessed, dirty

struct pages make_pages(void) {
  // The heap aligns to 64 bytes, tables to 4,096.
  const uintptr_t free = (uintptr_t)firesim_heap((TABLES + 3) * 4096);
  uint64_t *const root = (uint64_t *)((free + 4095) & ~4095UL);
  uint64_t *const middle = root + ENTRIES, *const last = middle + ENTRIES;
  const uintptr_t first = PAGES_OFFSET + FIRESIM_DRAM;
  for (unsigned i = 0; i < 2 * ENTRIES; i++) root[i] = 0;
  root[first >> 30 & 511] = (uintptr_t)middle >> 12 << 10 | VALID;
  for (uintptr_t i = 0; i < TABLES; i++) {
    middle[i + (first >> 21 & 511)] = (uintptr_t)(last + i * ENTRIES) >> 12 << 10 | VALID;
  }
  for (uintptr_t i = 0; i < TABLES * ENTRIES; i++) {
    last[i] = (FIRESIM_DRAM + (i << 12)) >> 12 << 10 | READ_WRITE;
  }
  return (struct pages){8UL << 60 | (uintptr_t)root >> 12, last};
}

uint64_t *page_entry(const struct pages *pages, uintptr_t physical) {
  return &pages->entries[(physical - FIRESIM_DRAM) >> 12];
}
