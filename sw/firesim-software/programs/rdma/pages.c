// SPDX-License-Identifier: BSD-3-Clause
// Scatters memory over pages, for the RDMA NIC's table of pages; see pages.h.
#include "pages.h"

#include "console.h"
#include "runtime.h"

static uint64_t count_of(uint64_t bytes) { return (bytes + RDMA_PAGE_BYTES - 1) / RDMA_PAGE_BYTES; }

// Where byte `at` of memory is in the pages.
static uint64_t place_of(uint64_t at, uint64_t bytes) {
  const uint64_t page = count_of(bytes) - 1 - at / RDMA_PAGE_BYTES;
  return page * RDMA_PAGE_BYTES + at % RDMA_PAGE_BYTES;
}

unsigned char *pages_scatter(const struct rdma *rdma, const unsigned char *memory, uint64_t bytes) {
  if (!rdma_has_pages(rdma)) fail("pages: this blade's RDMA NIC has no table of pages");
  const uint64_t count = count_of(bytes);
  const uintptr_t heap = (uintptr_t)firesim_heap((count + 1) * RDMA_PAGE_BYTES);
  unsigned char *pages =
      (unsigned char *)((heap + RDMA_PAGE_BYTES - 1) / RDMA_PAGE_BYTES * RDMA_PAGE_BYTES);
  uint64_t *table = firesim_heap(count * sizeof *table);
  for (uint64_t i = 0; i < count; i++) {
    table[i] = ((uintptr_t)pages + place_of(i * RDMA_PAGE_BYTES, bytes)) | 1;
  }
  for (uint64_t at = 0; at < bytes; at++) pages[place_of(at, bytes)] = memory[at];
  rdma_set_pages(rdma, table, (uint32_t)count);
  return pages;
}

void pages_gather(const unsigned char *pages, unsigned char *memory, uint64_t bytes) {
  for (uint64_t at = 0; at < bytes; at++) memory[at] = pages[place_of(at, bytes)];
}
