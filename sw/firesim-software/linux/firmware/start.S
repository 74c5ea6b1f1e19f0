# SPDX-License-Identifier: BSD-3-Clause
# From reset to the kernel. Every hart comes here in M mode with a0 = hart and a1 = device tree.
# Memory starts as zeros in every simulated blade, so .bss is not cleared; a warm start puts its
# own instructions over the first ones here and puts them back, so nothing reads them as data.

#include "firmware.h"

#define DELEGATED_EXCEPTIONS 0xb1ab /* all but illegal instructions, misaligned accesses, S calls */
#define DELEGATED_INTERRUPTS 0x222
#define ALL_COUNTERS_BUT_TIME 0xfffffffd

  .section .text.start, "ax"
  .globl _start
_start:
  li t0, MAX_HARTS
  bgeu a0, t0, park_for_good
  la t0, trap_entry
  csrw mtvec, t0
  la sp, stacks_end - FRAME_BYTES
  slli t0, a0, STACK_SHIFT
  sub sp, sp, t0
  csrw mscratch, sp
  sd a0, FRAME_HART(sp)
  li t0, -1
  csrw pmpaddr0, t0 /* all of memory for every mode */
  li t0, 0x1f
  csrw pmpcfg0, t0
  li t0, DELEGATED_EXCEPTIONS
  csrw medeleg, t0
  li t0, DELEGATED_INTERRUPTS
  csrw mideleg, t0
  li t0, ALL_COUNTERS_BUT_TIME /* `rdtime` traps on every engine, as Rocket has no such CSR */
  csrw mcounteren, t0
  csrwi scounteren, 7
  csrwi mie, MIP_MSIP
  la t0, hart_states
  slli t1, a0, 2
  add t0, t0, t1
  snez t1, a0
  addi t1, t1, 1 /* hart 0 is started, the others are stopped */
  sw t1, 0(t0)
  bnez a0, wait_for_start
#ifndef FIRESIM_QEMU_VIRT
  li t0, UART
  li t1, 0x10001 /* on, with the interrupt pending when it is empty: see console_drain */
  sw t1, 8(t0)
#endif
  la t0, kernel_entry

# Enters S mode at t0 with a0 = hart and a1 as it is, with address translation off.
enter_supervisor:
  csrw mepc, t0
  csrw satp, zero
  li t0, MSTATUS_MPP_S
  csrw mstatus, t0
  mret

# A hart waits here until hart_call gives it an address; also where a stopped one comes back to.
# Wanted: mscratch = its frame.
  .globl wait_for_start
wait_for_start:
  csrr s0, mscratch
  ld s1, FRAME_HART(s0)
  mv sp, s0
1:wfi
  mv a0, s1
  call software_interrupt
  slli t1, s1, 4
  la t0, start_requests
  add t1, t0, t1
  ld t0, 0(t1)
  beqz t0, 1b
  fence rw, rw
  ld a1, 8(t1)
  sd zero, 0(t1)
  la t2, hart_states
  slli t3, s1, 2
  add t2, t2, t3
  li t3, 1
  sw t3, 0(t2)
  mv a0, s1
  j enter_supervisor

park_for_good:
  csrw mie, zero
1:wfi
  j 1b
