// SPDX-License-Identifier: BSD-3-Clause
// Memory for the RDMA NIC in pages whose order is another one than that of their addresses.
#ifndef FIRESIM_PROGRAMS_RDMA_PAGES_H_
#define FIRESIM_PROGRAMS_RDMA_PAGES_H_

#include "rdma.h"

// Copies memory into pages of the heap, the last one first, and tells the NIC, for which it begins
// at RDMA_PAGED from then on. Returns where the pages are.
unsigned char *pages_scatter(const struct rdma *rdma, const unsigned char *memory, uint64_t bytes);
// Copies it back.
void pages_gather(const unsigned char *pages, unsigned char *memory, uint64_t bytes);

#endif  // FIRESIM_PROGRAMS_RDMA_PAGES_H_
