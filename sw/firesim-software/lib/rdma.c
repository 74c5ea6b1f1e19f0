// SPDX-License-Identifier: BSD-3-Clause
// Sets up the RDMA NIC by its registers and mailbox, and posts work into queues in memory.
#include "rdma.h"

#include "console.h"
#include "device_tree.h"
#include "nic.h"
#include "runtime.h"

enum {
  REGISTER_ENABLE = 0x00,
  REGISTER_MAC = 0x08,
  REGISTER_IP = 0x10,
  REGISTER_COMMAND = 0x18,
  REGISTER_SEND_DOORBELL = 0x20,
  REGISTER_RECEIVE_DOORBELL = 0x28,
  REGISTER_PENDING = 0x30,
  REGISTER_MASK = 0x38,
  REGISTER_SIZES = 0x40,
  REGISTER_TABLE = 0x50,
  REGISTER_PAGES = 0x58,
  REGISTER_MAILBOX = 0x80,
  REGISTER_COUNTERS = 0xc0,
  REGISTER_CONGESTION = 0x140,
  REGISTER_SHOWN_QP = 0x1a0,
  REGISTER_RATE = 0x1a8,
  REGISTER_TARGET = 0x1b0,
  REGISTER_ALPHA = 0x1b8,
  REGISTER_STEPS = 0x1c0
};
enum { SIZES_REDUCES = 1 << 24, SIZES_PAGES = 1 << 25 };
enum { COMMAND_QP = 1, COMMAND_REGION = 2, COMMAND_FORGET = 3, COMMAND_CQ = 4 };
enum { QP_ENABLED = 1, QP_PHYSICAL = 2, LEAST_MTU_SHIFT = 8, UDP_SOURCE_PORT = 0xc000 };
enum { NOT_READY_WITHOUT_END = 7, NOT_READY_TIMER_10_US = 1, DEFAULT_PARTITION = 0xffff };

static unsigned log2_of(unsigned value) {
  unsigned log = 0;
  while (1U << log < value) log++;
  if (1U << log != value) fail("rdma: found %u, expected a power of two", value);
  return log;
}

static void command(const struct rdma *rdma, unsigned code, unsigned index, const uint64_t *words,
                    unsigned count) {
  while (read32(rdma->registers + REGISTER_COMMAND)) continue;
  for (unsigned i = 0; i < count; i++)
    write64(rdma->registers + REGISTER_MAILBOX + 8 * i, words[i]);
  full_fence();
  write32(rdma->registers + REGISTER_COMMAND, index << 16 | code);
  while (read32(rdma->registers + REGISTER_COMMAND)) continue;
}

struct rdma rdma_start(uint32_t ip) {
  struct device found;
  if (!find_device("firesim,rdma", &found)) fail("this blade has no RDMA NIC");
  const struct rdma rdma = {found.address, found.interrupt};
  write64(rdma.registers + REGISTER_MAC, nic_mac());
  write32(rdma.registers + REGISTER_IP, ip);
  write32(rdma.registers + REGISTER_ENABLE, 1);
  return rdma;
}

bool rdma_reduces(const struct rdma *rdma) {
  return read32(rdma->registers + REGISTER_SIZES) & SIZES_REDUCES;
}

bool rdma_has_pages(const struct rdma *rdma) {
  return read32(rdma->registers + REGISTER_SIZES) & SIZES_PAGES;
}

void rdma_set_pages(const struct rdma *rdma, const uint64_t *table, uint32_t count) {
  full_fence();
  write64(rdma->registers + REGISTER_TABLE, (uintptr_t)table);
  write32(rdma->registers + REGISTER_PAGES, count);
}

uint32_t rdma_counter(const struct rdma *rdma, unsigned index) {
  return read32(rdma->registers + REGISTER_COUNTERS + 8 * (uintptr_t)index);
}

// A queue of the heap, whose entries are 0 and which begins at a multiple of a cache line.
static void *queue(uint64_t bytes) {
  uint64_t *memory = firesim_heap(bytes);
  for (uint64_t i = 0; i < bytes / 8; i++) memory[i] = 0;
  return memory;
}

static struct rdma_ring ring(const struct rdma *rdma, unsigned cq, unsigned depth) {
  struct rdma_ring made = {queue(depth * sizeof *made.entries), depth, 0};
  full_fence();
  const uint64_t word = (uintptr_t)made.entries | (uint64_t)log2_of(depth) << 56;
  command(rdma, COMMAND_CQ, cq, &word, 1);
  return made;
}

struct rdma_qp rdma_connect(struct rdma rdma, unsigned number,
                            const struct rdma_settings *settings) {
  struct rdma_qp qp = {.rdma = rdma, .number = number, .settings = *settings};
  qp.work = queue(settings->send_depth * sizeof *qp.work);
  qp.buffers = queue(settings->receive_depth * sizeof *qp.buffers);
  const unsigned cq = 2 * number % 64;
  qp.sent = ring(&rdma, cq, settings->send_depth);
  qp.received = ring(&rdma, cq + 1, settings->receive_depth);
  const uint64_t behaviour = (settings->timeout_code & 31) << 16 | (settings->retries & 7) << 21 |
                             NOT_READY_WITHOUT_END << 24 | NOT_READY_TIMER_10_US << 27;
  const uint64_t words[] = {
      QP_ENABLED | QP_PHYSICAL | (log2_of(settings->mtu) - LEAST_MTU_SHIFT) << 8 | behaviour |
          (uint64_t)settings->domain << 32 | (uint64_t)DEFAULT_PARTITION << 48,
      settings->peer.mac | (uint64_t)UDP_SOURCE_PORT << 48,
      settings->peer.ip | (uint64_t)settings->peer.qp << 32,
      settings->psn | (uint64_t)settings->peer_psn << 32,
      (uintptr_t)qp.work | (uint64_t)log2_of(settings->send_depth) << 56,
      (uintptr_t)qp.buffers | (uint64_t)log2_of(settings->receive_depth) << 56,
      cq | (cq + 1) << 8,
  };
  command(&rdma, COMMAND_QP, number, words, sizeof words / sizeof *words);
  return qp;
}

uint32_t rdma_register(const struct rdma *rdma, const struct rdma_region *region) {
  const uint64_t words[] = {
      region->variant | (uint64_t)region->access << 8 | (uint64_t)region->domain << 32,
      region->virtual_address,
      region->bytes,
      (uintptr_t)region->memory,
  };
  command(rdma, COMMAND_REGION, region->number, words, sizeof words / sizeof *words);
  return region->number << 8 | region->variant;
}

void rdma_forget(const struct rdma *rdma, uint32_t key) {
  command(rdma, COMMAND_FORGET, key >> 8, NULL, 0);
}

void rdma_set_congestion(const struct rdma *rdma, enum rdma_congestion setting, uint32_t value) {
  write32(rdma->registers + REGISTER_CONGESTION + 8 * (uintptr_t)setting, value);
}

struct rdma_rate rdma_read_rate(const struct rdma *rdma, unsigned qp) {
  write32(rdma->registers + REGISTER_SHOWN_QP, qp);
  full_fence();
  const uint32_t steps = read32(rdma->registers + REGISTER_STEPS);
  return (struct rdma_rate){.rate_mbps = read32(rdma->registers + REGISTER_RATE),
                            .target_mbps = read32(rdma->registers + REGISTER_TARGET),
                            .alpha = read32(rdma->registers + REGISTER_ALPHA),
                            .timer_steps = steps & 0xffff,
                            .byte_steps = steps >> 16};
}

void rdma_post(struct rdma_qp *qp, const struct rdma_work *work) {
  qp->work[qp->posted++ % qp->settings.send_depth] = *work;
  full_fence();
  write32(qp->rdma.registers + REGISTER_SEND_DOORBELL, qp->posted << 16 | qp->number);
}

void rdma_post_buffer(struct rdma_qp *qp, uint32_t id, const void *memory, uint32_t bytes) {
  const struct rdma_buffer buffer = {
      .id = id, .local_key = 0, .address = (uintptr_t)memory, .bytes = bytes};
  qp->buffers[qp->offered++ % qp->settings.receive_depth] = buffer;
  full_fence();
  write32(qp->rdma.registers + REGISTER_RECEIVE_DOORBELL, qp->offered << 16 | qp->number);
}

const struct rdma_completion *rdma_take(struct rdma_ring *ring) {
  const struct rdma_completion *entry = &ring->entries[ring->taken % ring->depth];
  const uint64_t phase = ring->taken / ring->depth % 2 == 0;
  if (*(const volatile uint64_t *)&entry->phase_and_index >> 63 != phase) return NULL;
  full_fence();
  ring->taken++;
  return entry;
}

const struct rdma_completion *rdma_wait(struct rdma_ring *ring, uint64_t polls) {
  while (polls--) {
    const struct rdma_completion *entry = rdma_take(ring);
    if (entry) return entry;
  }
  fail("rdma: no completion within the polls that were allowed");
}

void rdma_wake_by_interrupts(const struct rdma *rdma) {
  nic_interrupts(NIC_INTERRUPT_RECEIVED);
  write64(rdma->registers + REGISTER_MASK, ~0UL);
  plic_enable(INTERRUPT_NIC);
  plic_enable(rdma->interrupt);
  set_csr(mie, MIE_EXTERNAL);
}

// What came before the last look has raised its interrupt, so it is not slept through.
static void sleep(const struct rdma *rdma) {
  while (!(read_csr(mip) & MIE_EXTERNAL)) wait_for_interrupt();
  const unsigned interrupt = plic_claim();
  if (interrupt == rdma->interrupt) write64(rdma->registers + REGISTER_PENDING, ~0UL);
  plic_complete(interrupt);
}

const struct rdma_completion *rdma_sleep_for(const struct rdma *rdma, struct rdma_ring *ring) {
  const struct rdma_completion *entry;
  while (!(entry = rdma_take(ring))) sleep(rdma);
  return entry;
}

const struct frame *rdma_sleep_for_frame(const struct rdma *rdma, const struct net *net) {
  for (;;) {
    nic_post_receive(net->inbox);
    while (!nic_pop_received()) sleep(rdma);
    if (net->inbox->from >> 48 == ETHERTYPE_EXPERIMENTAL) return net->inbox;
  }
}
