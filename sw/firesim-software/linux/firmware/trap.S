# SPDX-License-Identifier: BSD-3-Clause
# Traps into M mode. The three frequent ones are answered in a few instructions with two registers
# saved: `rdtime`, the timer interrupt, and the SBI call that sets the timer. All others save every
# register in the hart's frame and go on in C.

#include "firmware.h"

#define RDTIME_MASK 0xfffff07f
#define RDTIME 0xc0102073
#define CAUSE_S_CALL 9

  .section .text.trap, "ax"
  .balign 4
  .globl trap_entry
trap_entry:
  csrrw sp, mscratch, sp
  sd t0, 8*5(sp)
  sd t1, 8*6(sp)
  csrr t0, mcause
  bltz t0, interrupt
  addi t1, t0, -CAUSE_S_CALL
  beqz t1, supervisor_call
  addi t1, t0, -2 /* illegal instruction */
  bnez t1, any_trap

  csrr t0, mtval /* the instruction, or 0 */
  li t1, RDTIME_MASK
  and t1, t0, t1
  li t0, RDTIME
  bne t0, t1, any_trap
  csrr t0, mepc
  addi t0, t0, 4
  csrw mepc, t0
  csrr t1, mtval
  srli t1, t1, 7 /* the destination, in the low five bits */
  andi t1, t1, 31
  slli t1, t1, 3
  la t0, set_register
  add t1, t0, t1
  li t0, CLINT_MTIME
  ld t0, 0(t0)
  jr t1

  .option push
  .option norvc
  .macro set_one number
  mv x\number, t0
  j fast_exit
  .endm
set_register:
  nop
  j fast_exit
  set_one 1
  csrw mscratch, t0
  j fast_exit
  .irp number, 3, 4
  set_one \number
  .endr
  sd t0, 8*5(sp)
  j fast_exit
  sd t0, 8*6(sp)
  j fast_exit
  .irp number, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28
  set_one \number
  .endr
  .irp number, 29, 30, 31
  set_one \number
  .endr
  .option pop

fast_exit:
  ld t0, 8*5(sp)
  ld t1, 8*6(sp)
  csrrw sp, mscratch, sp
  mret

# The timer interrupt is passed on to S mode; the next SBI call that sets the timer takes it back.
interrupt:
  slli t0, t0, 1
  addi t0, t0, -(7 << 1)
  bnez t0, any_trap
  li t0, MIP_MTIP
  csrc mie, t0
  li t0, MIP_STIP
  csrs mip, t0
  j fast_exit

supervisor_call:
  li t0, SBI_TIME
  bne a7, t0, any_trap
  bnez a6, any_trap
  csrr t0, mepc
  addi t0, t0, 4
  csrw mepc, t0
  ld t0, FRAME_HART(sp)
  slli t0, t0, 3
  li t1, CLINT_MTIMECMP
  add t0, t0, t1
  sd a0, 0(t0)
  li t0, MIP_STIP
  csrc mip, t0
  li t0, MIP_MTIP
  csrs mie, t0
  li a0, 0
  li a1, 0
  j fast_exit

any_trap:
  sd x1, 8*1(sp)
  .irp number, 3, 4, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27
  sd x\number, 8*\number(sp)
  .endr
  .irp number, 28, 29, 30, 31
  sd x\number, 8*\number(sp)
  .endr
  csrrw t0, mscratch, sp
  sd t0, 8*2(sp)
  csrr t0, mepc
  sd t0, FRAME_EPC(sp)
  csrr t0, mstatus
  sd t0, FRAME_STATUS(sp)
  sd zero, 0(sp)
  mv a0, sp
  call handle_trap
  ld t0, FRAME_EPC(sp)
  csrw mepc, t0
  ld t0, FRAME_STATUS(sp)
  csrw mstatus, t0
  ld x1, 8*1(sp)
  .irp number, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25
  ld x\number, 8*\number(sp)
  .endr
  .irp number, 26, 27, 28, 29, 30, 31
  ld x\number, 8*\number(sp)
  .endr
  ld sp, 8*2(sp)
  mret
