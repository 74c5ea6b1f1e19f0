// SPDX-License-Identifier: BSD-3-Clause
// A near-core unit beside the core (instructions: docs/how-to/snappy.md): operations on memory.
#ifndef FIRESIM_NEAR_CORE_H_
#define FIRESIM_NEAR_CORE_H_

#include "platform.h"

enum near_core_status {
  NEAR_CORE_OKAY = 0,
  NEAR_CORE_LOAD_PAGE_FAULT = 1,
  NEAR_CORE_STORE_PAGE_FAULT = 2,
  NEAR_CORE_LOAD_ACCESS_FAULT = 3,
  NEAR_CORE_STORE_ACCESS_FAULT = 4,
  NEAR_CORE_NOTHING_TO_WAIT_FOR = 5
};

struct near_core_result {
  enum near_core_status status;  // what a unit adds to these begins at 16
  uint32_t bytes;                // that were written
};

// The opcode of the unit that a source file uses, as its blade has it: a file that begins with
// #define NEAR_CORE_OPCODE CUSTOM_1 uses the one behind custom1.
#ifndef NEAR_CORE_OPCODE
#define NEAR_CORE_OPCODE CUSTOM_0
#endif
#define NEAR_CORE_TEXT(opcode) #opcode
#define NEAR_CORE_INSN(opcode) ".insn r " NEAR_CORE_TEXT(opcode) ", "
#define NEAR_CORE NEAR_CORE_INSN(NEAR_CORE_OPCODE)

// Addresses from now on are those of the page tables of `satp` (0: physical ones), of user pages or
// of supervisor pages. What the unit had read of page tables is forgotten.
static inline void near_core_translate(uint64_t satp, bool user) {
  full_fence();
  __asm__ volatile(NEAR_CORE "3, 0, x0, %0, %1" ::"r"(satp), "r"((uint64_t)user));
}

// The same for a unit that supervises (the copy engine): pages of both kinds are reached, and what
// the unit has read of page tables is forgotten only when `satp` or `generation` is another one.
static inline void near_core_renew(uint64_t satp, uint32_t generation) {
  full_fence();
  __asm__ volatile(NEAR_CORE "3, 8, x0, %0, %1" ::"r"(satp), "r"((uint64_t)generation));
}

// Added to the cycles of near_core_latency: what the unit reads back takes none of them, as if a
// cache beside it held that.
enum { NEAR_CORE_CACHED = 1 << 16 };

// Cycles that each request to memory takes more, and each response again (0 to 65,535).
static inline void near_core_latency(uint64_t cycles) {
  __asm__ volatile(NEAR_CORE "2, 7, x0, %0, x0" ::"r"(cycles));
}

// Starts an operation, at most 8 before their results are fetched.
static inline void near_core_go(uint64_t operation, uintptr_t source, uint64_t bytes,
                                uintptr_t destination, uint64_t room) {
  full_fence();
  __asm__ volatile(NEAR_CORE "3, 1, x0, %0, %1" ::"r"(source), "r"(bytes));
  __asm__ volatile(NEAR_CORE "3, 2, x0, %0, %1" ::"r"(destination), "r"(room));
  __asm__ volatile(NEAR_CORE "2, 3, x0, %0, x0" ::"r"(operation));
}

// Waits for the oldest operation, and returns how it ended. The core goes on past the instruction
// until its result is used: the move keeps loads of what the unit has written behind it.
static inline struct near_core_result near_core_wait(void) {
  uint64_t result;
  __asm__ volatile(NEAR_CORE "4, 4, %0, x0, x0\n\tmv %0, %0" : "=r"(result)::"memory");
  return (struct near_core_result){(enum near_core_status)(result & 0xff), (uint32_t)(result >> 8)};
}

// Operations whose results can be fetched without waiting.
static inline unsigned near_core_ready(void) {
  uint64_t counts;
  __asm__ volatile(NEAR_CORE "4, 5, %0, x0, x0" : "=r"(counts));
  return counts & 0xff;
}

// Where the fault was that ended the operation whose result was fetched last.
static inline uint64_t near_core_fault_address(void) {
  uint64_t address;
  __asm__ volatile(NEAR_CORE "4, 6, %0, x0, x0" : "=r"(address));
  return address;
}

#endif  // FIRESIM_NEAR_CORE_H_
