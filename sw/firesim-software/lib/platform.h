// SPDX-License-Identifier: BSD-3-Clause
// The machine a bare-metal program runs on: addresses, register access, counters, its end.
#ifndef FIRESIM_PLATFORM_H_
#define FIRESIM_PLATFORM_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "address_map.h"

#ifdef FIRESIM_QEMU_VIRT  // QEMU's machine `virt`: a quick check of a program without a blade
#undef FIRESIM_UART
#undef FIRESIM_FINISHER
#define FIRESIM_UART 0x10000000UL
#define FIRESIM_FINISHER 0x00100000UL
#endif

// Where all else is comes from the parts of a blade: address_map.h, and as a table
// docs/reference/interfaces.md, section 1.

// The first byte above program and device tree: a kernel would begin there.
#define FIRESIM_HEAP FIRESIM_KERNEL

// The words that start and stop a trace whose trigger is {"kind": "instruction"} (TraceRV): two
// moves to the zero register, so they have no effect on the program.
#define FIRESIM_TRACE_START() __asm__ volatile(".word 0x00008013" ::: "memory")
#define FIRESIM_TRACE_END() __asm__ volatile(".word 0x00010013" ::: "memory")

static inline uint32_t read32(uintptr_t address) { return *(volatile uint32_t *)address; }
static inline uint64_t read64(uintptr_t address) { return *(volatile uint64_t *)address; }
static inline void write32(uintptr_t address, uint32_t value) {
  *(volatile uint32_t *)address = value;
}
static inline void write64(uintptr_t address, uint64_t value) {
  *(volatile uint64_t *)address = value;
}

#define read_csr(name)                                  \
  ({                                                    \
    uint64_t value_;                                    \
    __asm__ volatile("csrr %0, " #name : "=r"(value_)); \
    value_;                                             \
  })
#define write_csr(name, value) __asm__ volatile("csrw " #name ", %0" ::"rK"((uint64_t)(value)))
#define set_csr(name, bits) __asm__ volatile("csrs " #name ", %0" ::"rK"((uint64_t)(bits)))
#define clear_csr(name, bits) __asm__ volatile("csrc " #name ", %0" ::"rK"((uint64_t)(bits)))

// Cycles since reset outside of WFI, and instructions retired, of this hart.
static inline uint64_t cycles(void) { return read_csr(mcycle); }
static inline uint64_t instructions(void) { return read_csr(minstret); }

// Orders memory and device accesses before against those after.
static inline void full_fence(void) { __asm__ volatile("fence iorw, iorw" ::: "memory"); }

// Ends the blade: 0 passes, 1 to 65,535 is a failure code. Waits for the console to be empty.
void finish(int code) __attribute__((noreturn));

// Prints a message and ends the blade with code 1.
void fail(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

// Memory above the program, of any size, aligned to 64 bytes; never given back. Uncleared memory of
// a simulated blade is zero.
void *firesim_heap(size_t bytes);

#endif  // FIRESIM_PLATFORM_H_
