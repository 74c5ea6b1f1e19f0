// SPDX-License-Identifier: BSD-3-Clause
// The page-fault accelerator (part `pfa`; docs/how-to/page-faults.md): its registers, entries of
// remote pages, and the messages to and from a memory blade.
#ifndef FIRESIM_PFA_H_
#define FIRESIM_PFA_H_

#include "platform.h"

enum {
  PFA_CONTROL = 0x00,
  PFA_OWN = 0x08,
  PFA_PEER = 0x10,
  PFA_TIMEOUT = 0x18,
  PFA_TRIES = 0x20,
  PFA_MEMORY = 0x28,
  PFA_FREE = 0x30,
  PFA_NEW = 0x38,
  PFA_FETCH = 0x40,
  PFA_EVICT = 0x48,
  PFA_FORGET = 0x50,
  PFA_STATUS = 0x58,
  PFA_FETCHED = 0x60,
  PFA_EVICTED = 0x68,
  PFA_REPEATED = 0x70,
  PFA_READS = 0x78,
  PFA_MISSES = 0x80,
  PFA_WAITED = 0x88
};
// The queues of free frames and of new pages; pages that may wait to be evicted.
enum { PFA_QUEUE_DEPTH = 64, PFA_EVICTIONS = 16 };
// The walker's window, from the first register on: it shows so many bytes of memory.
#define PFA_WINDOW 0x08000000UL
#define PFA_WINDOW_BYTES 0x08000000UL

enum { PAGE_BITS = 12, PAGE_BYTES = 1 << PAGE_BITS, PAGE_WORDS = PAGE_BYTES / 8 };
enum { PFA_NUMBER_BITS = 28 };
#define PFA_NUMBERS (1UL << PFA_NUMBER_BITS)

// Bits of a page-table entry (Sv39). A remote page has PTE_REMOTE and not PTE_VALID, and its number
// at the memory blade where a local one has that of its frame.
enum { PTE_VALID = 1, PTE_READ_WRITE = 0xc6, PTE_REMOTE = 0x100, PTE_NUMBER_SHIFT = 10 };

static inline uint64_t pte_remote(uint64_t page) {
  return page << PTE_NUMBER_SHIFT | PTE_READ_WRITE | PTE_REMOTE;
}
static inline uint64_t pte_local(uint64_t frame) {
  return frame << PTE_NUMBER_SHIFT | PTE_READ_WRITE | PTE_VALID;
}
static inline bool pte_is_remote(uint64_t entry) {
  return (entry & (PTE_REMOTE | PTE_VALID)) == PTE_REMOTE;
}

// Page and frame as the registers FETCH, EVICT and NEW have them.
static inline uint64_t pfa_pair(uint64_t page, uint64_t frame) {
  return page << PFA_NUMBER_BITS | frame;
}
static inline uint64_t pfa_page(uint64_t pair) {
  return pair >> PFA_NUMBER_BITS & (PFA_NUMBERS - 1);
}
static inline uint64_t pfa_frame(uint64_t pair) { return pair & (PFA_NUMBERS - 1); }

static inline unsigned pfa_free_frames(uint64_t status) { return status & 0xff; }
static inline unsigned pfa_new_pages(uint64_t status) { return status >> 8 & 0xff; }
static inline bool pfa_fetching(uint64_t status) { return status >> 24 & 1; }
static inline bool pfa_failed(uint64_t status) { return status >> 25 & 1; }

// Messages: pages go between the accelerator and a memory blade.
enum { ETHERTYPE_PAGES = 0xb688 };  // 0x88b6, big-endian
enum page_message_kind { PAGES_READ = 1, PAGES_DATA = 2, PAGES_WRITE = 3, PAGES_WRITTEN = 4 };
struct page_message {
  uint64_t to;    // destination address << 16
  uint64_t from;  // type in bits 63:48, source address below
  uint64_t kind;
  uint64_t tag;  // an answer has that of its question; those of WRITEs rise
  uint64_t page;
  uint64_t words[];  // of DATA and WRITE
};
enum { PAGES_HEAD_BYTES = 40, PAGES_SHORT_BYTES = 64 };

#endif  // FIRESIM_PFA_H_
