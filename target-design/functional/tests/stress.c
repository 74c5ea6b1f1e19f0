// SPDX-License-Identifier: BSD-3-Clause
// Guest of the blade's tests: hart 0 uses every device in a random order, with its interrupts and
// waiting for them; the other harts answer software interrupts and use their timers. All of it ends
// in a sum that the console shows.
#include <stdint.h>

#include "address_map.h"

#define READ32(address) (*(volatile uint32_t *)(uintptr_t)(address))
#define READ64(address) (*(volatile uint64_t *)(uintptr_t)(address))
#define UART FIRESIM_UART
#define BLOCK FIRESIM_BLOCK_DEVICE
#define NIC FIRESIM_NIC
#define FINISHER FIRESIM_FINISHER
#define CLINT FIRESIM_CLINT
#define PLIC FIRESIM_PLIC

enum { ROUNDS = 300, BUFFER_BYTES = 16384, SECTORS = 64 };

static uint64_t state, sum;
static uint8_t packets[8][BUFFER_BYTES] __attribute__((aligned(64)));
static uint8_t sent[BUFFER_BYTES], sectors[4096] __attribute__((aligned(8)));
static uint32_t next_packet, taken_packet;
static volatile uint64_t answers[8];

static uint64_t random_number(void) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return state;
}

static void add(uint64_t value) { sum = (sum ^ value) * 0x9e3779b97f4a7c15; }

static void print(char c) {
  while (READ32(UART) >> 31) {
  }
  READ32(UART) = (uint8_t)c;
}

static void take_packets(void) {
  for (uint64_t done; (done = READ64(NIC + 0x18)) >> 63;) {
    const uint64_t *words = (const uint64_t *)packets[taken_packet++ % 8];
    for (uint64_t i = 0; i < (done & 0xffff) / 8; i += 16) add(words[i]);
    add(done);
  }
  while (taken_packet + 8 > next_packet) {
    READ64(NIC + 8) = (uintptr_t)packets[next_packet++ % 8];
  }
}

static void take_interrupts(void) {
  uint64_t pending;
  __asm__ volatile("csrr %0, mip" : "=r"(pending));
  if (pending & 0x80) READ64(CLINT + 0x4000) = ~0ull;
  for (uint32_t source; (source = READ32(PLIC + 0x200004));) {
    add(source);
    if (source == FIRESIM_UART_INTERRUPT) add(READ32(UART + 4)), READ32(UART + 0x10) = 0;
    while (source == FIRESIM_BLOCK_DEVICE_INTERRUPT && READ64(BLOCK + 0x30) >> 63) {
      add(sectors[random_number() % 4096]);
    }
    if (source == FIRESIM_NIC_INTERRUPT) take_packets();
    while (source == FIRESIM_NIC_INTERRUPT && READ64(NIC + 0x10) >> 63) add(1);
    READ32(PLIC + 0x200004) = source;
  }
}

static void wait(uint64_t ticks) {
  READ64(CLINT + 0x4000) = READ64(CLINT + 0xbff8) + ticks;
  __asm__ volatile("wfi" ::: "memory");
  take_interrupts();
}

static void send(void) {
  const uint64_t length = 1 + random_number() % 3000, first = random_number() % length;
  for (int i = 0; i < 16; i++) sent[random_number() % 3100] = (uint8_t)random_number();
  if ((READ32(NIC + 0x20) & 0xff) < 2) return;
  READ64(NIC) = (uintptr_t)(sent + random_number() % 64) | first << 48 | 1ull << 63;
  READ64(NIC) = (uintptr_t)(sent + random_number() % 64) | (length - first) << 48;
}

static void use_disk(void) {
  READ64(BLOCK) = (uintptr_t)sectors;
  READ32(BLOCK + 8) = (uint32_t)(random_number() % SECTORS);
  READ32(BLOCK + 0x10) = (uint32_t)(1 + random_number() % 8);
  READ32(BLOCK + 0x18) = (uint32_t)(random_number() & 1);
  add(READ32(BLOCK + 0x20));
}

static void work(void) {
  switch (random_number() % 8) {
    case 0:
    case 1:
      return send();
    case 2:
      return use_disk();
    case 3:
      return wait(random_number() % 100);
    case 4:
      READ32(CLINT + 4 * (1 + random_number() % 2)) = 1;  // hart 1, or 2 where there is one
      add(answers[1]);
      return;
    case 5:
      READ32(NIC + 0x38) = (uint32_t)((1 + random_number() % 3) << 16 | (1 + random_number() % 2));
      return;
    case 6:
      print((char)('a' + random_number() % 26));
      READ32(UART + 0x10) = 3;
      return;
    default:
      for (uint64_t i = random_number() % 500; i; i--) add(i);
      take_packets();
  }
}

static void other_hart(uint64_t hart) {
  for (;;) {
    READ64(CLINT + 0x4000 + 8 * hart) = READ64(CLINT + 0xbff8) + 7 * hart;
    __asm__ volatile("wfi" ::: "memory");
    READ32(CLINT + 4 * hart) = 0;
    __atomic_fetch_add(&answers[hart % 8], 1, __ATOMIC_RELAXED);
  }
}

void start(uint64_t hart) {
  __asm__ volatile("csrw mie, %0" ::"r"(hart == 0 ? 0x880ul : 0x88ul));
  if (hart != 0) other_hart(hart);
  state = READ64(NIC + 0x28) * 0x9e3779b97f4a7c15 | 1;
  READ32(UART + 8) = 1 | 1 << 16;
  READ32(UART + 0xc) = 1;
  for (int source = 1; source < 4; source++) READ32(PLIC + 4 * source) = (uint32_t)source;
  READ32(PLIC + 0x2000) = 0xe;
  READ32(NIC + 0x30) = 3;
  READ32(BLOCK + 0x50) = 1;
  take_packets();
  for (int round = 0; round < ROUNDS; round++) work(), take_interrupts();
  for (int i = 0; i < 20; i++) wait(200);
  for (int shift = 60; shift >= 0; shift -= 4) print("0123456789abcdef"[sum >> shift & 15]);
  print('\n');
  for (int i = 0; i < 100; i++) add(i);
  READ32(FINISHER) = 0x5555;
  for (;;) {
  }
}
