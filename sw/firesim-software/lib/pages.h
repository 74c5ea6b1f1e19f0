// SPDX-License-Identifier: BSD-3-Clause
// Page tables (Sv39) for a unit beside the core; the core itself does not use them.
#ifndef FIRESIM_PAGES_H_
#define FIRESIM_PAGES_H_

#include "platform.h"

// For the first 16 MiB of memory in pages of 4 KiB, at PAGES_OFFSET more.
#define PAGES_OFFSET 0x1000000000UL
struct pages {
  uint64_t satp;
  uint64_t *entries;  // of the pages, in order
};
struct pages make_pages(void);
// The entry of the page of a physical address.
uint64_t *page_entry(const struct pages *pages, uintptr_t physical);

#endif  // FIRESIM_PAGES_H_
