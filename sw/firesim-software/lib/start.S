# SPDX-License-Identifier: BSD-3-Clause
# First instructions of a bare-metal program, and its trap entry. The boot ROM jumps to _start in
# M-mode on every hart, with a0 = hart and a1 = address of the device tree. Memory starts as zeros
# in every simulated blade, so .bss is not cleared: that would cost target cycles.

#define STACK_SHIFT 14 /* 16 KiB a hart, as link.ld reserves */
#define MAX_HARTS 8

  .file "start.S"  /* Without, the linker names its own temporary file. */
  .section .text.start, "ax"
  .globl _start
  .type _start, @function
_start:
  .cfi_startproc
  .cfi_undefined ra
  .option push
  .option norelax
  la gp, __global_pointer$
  .option pop
  la t0, firesim_trap_entry
  csrw mtvec, t0
  csrw mie, zero
  li t0, 0x1e000 /* floating-point unit and coprocessors on, where there are any */
  csrs mstatus, t0
#ifdef __riscv_flen
  fscsr zero
#endif
  li t0, MAX_HARTS
  bgeu a0, t0, .Lpark
  slli t0, a0, STACK_SHIFT
  la sp, firesim_stacks_end
  sub sp, sp, t0
  call firesim_start
.Lpark:
  wfi
  j .Lpark
  .cfi_endproc
  .size _start, . - _start

# A trap saves the integer registers that C code may change, and calls
# firesim_trap(cause, epc, tval), which returns where to go on.
  .text
  .balign 4
  .globl firesim_trap_entry
  .type firesim_trap_entry, @function
firesim_trap_entry:
  .cfi_startproc
  addi sp, sp, -128
  .cfi_def_cfa_offset 128
  sd ra, 0(sp)
  .cfi_offset ra, -128
  sd t0, 8(sp)
  sd t1, 16(sp)
  sd t2, 24(sp)
  sd a0, 32(sp)
  sd a1, 40(sp)
  sd a2, 48(sp)
  sd a3, 56(sp)
  sd a4, 64(sp)
  sd a5, 72(sp)
  sd a6, 80(sp)
  sd a7, 88(sp)
  sd t3, 96(sp)
  sd t4, 104(sp)
  sd t5, 112(sp)
  sd t6, 120(sp)
  csrr a0, mcause
  csrr a1, mepc
  csrr a2, mtval
  call firesim_trap
  csrw mepc, a0
  ld ra, 0(sp)
  ld t0, 8(sp)
  ld t1, 16(sp)
  ld t2, 24(sp)
  ld a0, 32(sp)
  ld a1, 40(sp)
  ld a2, 48(sp)
  ld a3, 56(sp)
  ld a4, 64(sp)
  ld a5, 72(sp)
  ld a6, 80(sp)
  ld a7, 88(sp)
  ld t3, 96(sp)
  ld t4, 104(sp)
  ld t5, 112(sp)
  ld t6, 120(sp)
  addi sp, sp, 128
  mret
  .cfi_endproc
  .size firesim_trap_entry, . - firesim_trap_entry
