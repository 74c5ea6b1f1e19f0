// SPDX-License-Identifier: BSD-3-Clause
// What a program defines, and the interrupts it may use.
#ifndef FIRESIM_RUNTIME_H_
#define FIRESIM_RUNTIME_H_

#include "arguments.h"
#include "console.h"
#include "platform.h"

// Runs on hart 0; the blade ends with the value returned (0 passes).
int main(int hart, const struct arguments *arguments);

// Runs on the other harts, when the program defines it; they wait for ever otherwise.
void secondary_main(int hart);

// Called for every trap when the program defines it: return true with *epc set to where to go on,
// or false to have the trap printed and the blade ended with code 255.
bool handle_trap(uint64_t cause, uint64_t *epc, uint64_t tval);

enum { MIE_SOFTWARE = 1 << 3, MIE_TIMER = 1 << 7, MIE_EXTERNAL = 1 << 11 };
enum {
  INTERRUPT_BLOCK = FIRESIM_BLOCK_DEVICE_INTERRUPT,
  INTERRUPT_NIC = FIRESIM_NIC_INTERRUPT,
  INTERRUPT_UART = FIRESIM_UART_INTERRUPT
};

// Ticks of the 32 MHz time base.
static inline uint64_t clint_time(void) { return read64(FIRESIM_CLINT + 0xbff8); }
static inline void clint_timer(int hart, uint64_t at) {
  write64(FIRESIM_CLINT + 0x4000 + 8 * (uintptr_t)hart, at);
}
static inline void clint_software_interrupt(int hart, bool raised) {
  write32(FIRESIM_CLINT + 4 * (uintptr_t)hart, raised);
}

// Lets a device's interrupt through to hart 0 in machine mode.
void plic_enable(unsigned interrupt);
// Takes the pending interrupt (0: none) and gives it back when it has been served.
unsigned plic_claim(void);
void plic_complete(unsigned interrupt);

// Stops until an interrupt enabled in mie is pending; without mstatus.MIE it is not taken. Rocket's
// cycle counter stands still meanwhile.
static inline void wait_for_interrupt(void) { __asm__ volatile("wfi" ::: "memory"); }

#endif  // FIRESIM_RUNTIME_H_
