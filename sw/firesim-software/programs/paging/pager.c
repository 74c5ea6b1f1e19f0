// SPDX-License-Identifier: BSD-3-Clause
// Page tables, frames and books of the pager. The oldest page is evicted first, in batches: while
// the frames of one batch are in use again, the pages of the next one are on their way out.
#include "pager.h"

#include "device_tree.h"
#include "pfa.h"
#include "runtime.h"

enum { ENTRIES = 512, TABLE_COVERS_BITS = 21, ROOT_COVERS_BITS = 30 };
enum { PTE_ALL_OF_DRAM = 0xcf };  // valid, readable, writable, executable, accessed, dirty
enum { CAUSE_CALL = 9, CAUSE_LOAD = 13, CAUSE_STORE = 15 };
enum { MPP_MACHINE = 3 << 11, MPP_SUPERVISOR = 1 << 11 };

// What the books have of a frame, a line of memory as in kernels.
struct record {
  struct record *newer;
  uint64_t *entry;
  uint64_t page, frame;
  uint64_t arrived;  // pages that came before it
  uint64_t rest[3];
};

static struct pager {
  uintptr_t unit;
  struct pager_settings settings;
  uint64_t *root, *entries;
  struct record *records;  // by frame
  uint64_t first_frame;
  struct record *oldest, *newest;  // of the pages that are here
  uint64_t resident;
  uint64_t *spare;  // frames that are neither used nor in the accelerator's queue
  uint64_t spares;
  uint64_t leaving[PFA_EVICTIONS];  // frames of pages on their way out
  uint64_t leaves;
  uint64_t evictions;
  struct pager_counts counts;
} pager;

static uint64_t get(unsigned offset) { return read64(pager.unit + offset); }
static void put(unsigned offset, uint64_t value) { write64(pager.unit + offset, value); }

static void *aligned_pages(uint64_t count) {
  // The heap aligns to 64 bytes.
  const uintptr_t free = (uintptr_t)firesim_heap((count + 1) << PAGE_BITS);
  return (void *)((free + PAGE_BYTES - 1) & ~(uintptr_t)(PAGE_BYTES - 1));
}

static uint64_t table_entry(uintptr_t address) {
  return address >> PAGE_BITS << PTE_NUMBER_SHIFT | PTE_VALID;
}

// The walker reads the last level through the accelerator's window, if that is to handle faults.
static uintptr_t as_walked(uintptr_t table) {
  return pager.settings.hardware ? pager.unit + PFA_WINDOW + (table - FIRESIM_DRAM) : table;
}

static void make_tables(void) {
  const uint64_t tables = (pager.settings.pages + ENTRIES - 1) / ENTRIES;
  pager.root = aligned_pages(2 + tables);
  uint64_t *const middle = pager.root + ENTRIES;
  pager.entries = middle + ENTRIES;
  if ((uintptr_t)(pager.entries + tables * ENTRIES) - FIRESIM_DRAM > PFA_WINDOW_BYTES) {
    fail("pages: found %lu, expected fewer: their tables are beyond the window",
         pager.settings.pages);
  }
  pager.root[FIRESIM_DRAM >> ROOT_COVERS_BITS] =
      FIRESIM_DRAM >> PAGE_BITS << PTE_NUMBER_SHIFT | PTE_ALL_OF_DRAM;
  pager.root[PAGED_BASE >> ROOT_COVERS_BITS] = table_entry((uintptr_t)middle);
  for (uint64_t i = 0; i < tables; i++) {
    middle[i] = table_entry(as_walked((uintptr_t)(pager.entries + i * ENTRIES)));
  }
  for (uint64_t page = 0; page < pager.settings.pages; page++) {
    pager.entries[page] = pte_remote(page);
  }
}

// Fills the accelerator's queue, which is empty, with frames.
static void offer_frames(void) {
  for (int room = PFA_QUEUE_DEPTH; room && pager.spares; room--) {
    put(PFA_FREE, pager.spare[--pager.spares]);
  }
}

void pager_start(const struct pager_settings *settings, const struct net *net) {
  struct device device;
  if (!find_device("firesim,pfa", &device)) fail("this blade has no page-fault accelerator");
  pager = (struct pager){.unit = device.address, .settings = *settings};
  make_tables();
  const uint64_t frames = settings->frames;
  pager.first_frame = (uintptr_t)aligned_pages(frames) >> PAGE_BITS;
  pager.records = firesim_heap(frames * sizeof *pager.records);
  pager.spare = firesim_heap(frames * sizeof *pager.spare);
  while (pager.spares < frames) {
    pager.spare[pager.spares] = pager.first_frame + pager.spares;
    pager.spares++;
  }
  put(PFA_OWN, net->own);
  put(PFA_PEER, net->peer);
  write32(pager.unit + PFA_TIMEOUT, (uint32_t)settings->timeout_cycles);
  write32(pager.unit + PFA_TRIES, (uint32_t)settings->tries);
  put(PFA_MEMORY, FIRESIM_DRAM);
  write32(pager.unit + PFA_CONTROL, 1);
  if (settings->hardware) offer_frames();
  // Supervisor mode may use all of memory, and there is one address space.
  write_csr(pmpaddr0, -1);
  write_csr(pmpcfg0, 0x1f);
  write_csr(satp, 8UL << 60 | (uintptr_t)pager.root >> PAGE_BITS);
  __asm__ volatile("sfence.vma" ::: "memory");
}

__attribute__((noinline)) uint64_t pager_run(uint64_t (*work)(uint64_t), uint64_t argument) {
  clear_csr(mstatus, MPP_MACHINE);
  set_csr(mstatus, MPP_SUPERVISOR);
  __asm__ volatile("la t0, 1f\n csrw mepc, t0\n mret\n1:" ::: "t0", "memory");
  const uint64_t result = work(argument);
  __asm__ volatile("ecall" ::: "memory");  // returns in machine mode: see handle_trap
  return result;
}

// Enters a page that has come.
static void enter(uint64_t page, uint64_t frame) {
  struct record *const record = &pager.records[frame - pager.first_frame];
  *record = (struct record){.entry = &pager.entries[page],
                            .page = page,
                            .frame = frame,
                            .arrived = pager.counts.managed++};
  if (pager.newest) {
    pager.newest->newer = record;
  } else {
    pager.oldest = record;
  }
  pager.newest = record;
  pager.resident++;
}

// Enters the pages that the accelerator has fetched.
static void enter_new(uint64_t count) {
  const uint64_t begin = cycles();
  for (; count; count--) {
    const uint64_t pair = get(PFA_NEW);
    enter(pfa_page(pair), pfa_frame(pair));
  }
  pager.counts.management_cycles += cycles() - begin;
}

void pager_settle(void) { enter_new(pfa_new_pages(get(PFA_STATUS))); }

// Rocket's TLB keeps entries that are not valid, too.
static void forget_translation(uint64_t page) {
  __asm__ volatile("sfence.vma %0" ::"r"(PAGED_BASE + (page << PAGE_BITS)) : "memory");
}

// Takes the oldest page out of the books and makes it remote; returns its record.
static struct record *take_oldest(void) {
  struct record *const record = pager.oldest;
  pager.oldest = record->newer;
  if (!pager.oldest) pager.newest = 0;
  pager.resident--;
  *record->entry = pte_remote(record->page);
  forget_translation(record->page);
  return record;
}

static void evict_batch(void) {
  struct record *taken[PFA_EVICTIONS];
  uint64_t count = 0;
  while (count < pager.settings.batch && pager.resident) taken[count++] = take_oldest();
  full_fence();
  for (uint64_t i = 0; i < count; i++) {
    if (pager.settings.hardware) put(PFA_FORGET, (uintptr_t)taken[i]->entry);
    put(PFA_EVICT, pfa_pair(taken[i]->page, taken[i]->frame));
    pager.leaving[pager.leaves++] = taken[i]->frame;
  }
  pager.evictions += count;
}

// Waits until the batch on its way out has arrived; its frames are free then.
static void collect_batch(void) {
  for (uint64_t polls = 0; get(PFA_EVICTED) != pager.evictions;) {
    if (++polls > pager.settings.polls) fail("the memory blade takes no pages");
  }
  while (pager.leaves) pager.spare[pager.spares++] = pager.leaving[--pager.leaves];
}

static void reclaim(void) {
  if (!pager.leaves) evict_batch();
  collect_batch();
  evict_batch();
}

static void fetch(uint64_t page, uint64_t frame) {
  const uint64_t begin = cycles();
  put(PFA_FETCH, pfa_pair(page, frame));
  uint64_t status;
  do status = get(PFA_STATUS);
  while (pfa_fetching(status));
  if (pfa_failed(status)) fail("the memory blade gives no page %lu", page);
  full_fence();
  pager.counts.polling_cycles += cycles() - begin;
}

static void in_software(uint64_t page) {
  if (!pager.spares) reclaim();
  const uint64_t frame = pager.spare[--pager.spares];
  fetch(page, frame);
  pager.entries[page] = pte_local(frame);
  const uint64_t begin = cycles();
  enter(page, frame);
  pager.counts.management_cycles += cycles() - begin;
}

// The accelerator had no frame, or the memory blade did not answer it.
static void in_hardware(uint64_t page) {
  const uint64_t status = get(PFA_STATUS);
  if (pfa_free_frames(status)) fail("the memory blade gives no page %lu", page);
  enter_new(pfa_new_pages(status));
  if (!pager.spares) reclaim();
  offer_frames();
}

static bool handle_fault(uint64_t address) {
  const uint64_t page = (address - PAGED_BASE) >> PAGE_BITS;
  if (page >= pager.settings.pages || !pte_is_remote(pager.entries[page])) return false;
  const uint64_t begin = cycles();
  pager.counts.traps++;
  if (pager.settings.hardware) {
    in_hardware(page);
  } else {
    in_software(page);
  }
  forget_translation(page);
  pager.counts.handling_cycles += cycles() - begin;
  return true;
}

bool handle_trap(uint64_t cause, uint64_t *epc, uint64_t tval) {
  if (cause == CAUSE_CALL) {
    set_csr(mstatus, MPP_MACHINE);
    *epc += 4;
    return true;
  }
  return (cause == CAUSE_LOAD || cause == CAUSE_STORE) && handle_fault(tval);
}

struct pager_counts pager_counts(void) {
  struct pager_counts counts = pager.counts;
  counts.fetched = get(PFA_FETCHED);
  counts.evicted = pager.evictions;
  counts.repeated = read32(pager.unit + PFA_REPEATED);
  counts.walks = get(PFA_READS);
  counts.walks_missed = get(PFA_MISSES);
  counts.walk_wait_cycles = get(PFA_WAITED);
  return counts;
}
