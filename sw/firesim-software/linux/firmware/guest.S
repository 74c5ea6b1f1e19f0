# SPDX-License-Identifier: BSD-3-Clause
# Accesses to memory as the mode below M would do them (mstatus.MPRV, with the MPP of the trap), a
# byte at a time, so that they are never misaligned. A fault in one comes back as a result: mtvec
# points into the function meanwhile. Callers keep mepc and mstatus in the trap frame.

#include "firmware.h"

  .text

# guest_load(a0 = address, a1 = bytes) -> a0 = value, a1 = cause
  .globl guest_load
guest_load:
  li t6, MSTATUS_MPRV
load_with_t6:
  csrr t5, mtvec
  la t0, load_fault
  csrw mtvec, t0
  li t1, 0 /* value */
  li t2, 0 /* its bits */
  csrs mstatus, t6
1:lbu t3, 0(a0)
  sll t3, t3, t2
  or t1, t1, t3
  addi t2, t2, 8
  addi a0, a0, 1
  addi a1, a1, -1
  bnez a1, 1b
  csrc mstatus, t6
  csrw mtvec, t5
  mv a0, t1
  li a1, -1
  ret

  .balign 4
load_fault:
  csrc mstatus, t6
  csrw mtvec, t5
  csrr a1, mcause
  ret

# guest_store(a0 = address, a1 = bytes, a2 = value) -> a0 = cause
  .globl guest_store
guest_store:
  csrr t5, mtvec
  la t0, store_fault
  csrw mtvec, t0
  li t6, MSTATUS_MPRV
  csrs mstatus, t6
1:sb a2, 0(a0)
  srli a2, a2, 8
  addi a0, a0, 1
  addi a1, a1, -1
  bnez a1, 1b
  csrc mstatus, t6
  csrw mtvec, t5
  li a0, -1
  ret

  .balign 4
store_fault:
  csrc mstatus, t6
  csrw mtvec, t5
  csrr a0, mcause
  ret

# guest_fetch(a0 = address) -> a0 = instruction, a1 = cause: 2 or 4 bytes of executable memory.
  .globl guest_fetch
guest_fetch:
  addi sp, sp, -16
  sd ra, 8(sp)
  sd a0, 0(sp)
  li a1, 2
  li t6, MSTATUS_MPRV | MSTATUS_MXR
  call load_with_t6
  bgez a1, 2f
  andi t0, a0, 3
  li t1, 3
  bne t0, t1, 2f
  ld a0, 0(sp)
  li a1, 4
  li t6, MSTATUS_MPRV | MSTATUS_MXR
  call load_with_t6
2:ld ra, 8(sp)
  addi sp, sp, 16
  ret

# Floating-point register a0: its bits to a0, or set to a1. The caller turns the unit on.
  .globl read_float_register
read_float_register:
  la t0, 1f
  slli a0, a0, 3
  add t0, t0, a0
  jr t0
  .option push
  .option norvc
1:
  .irp number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23
  fmv.x.d a0, f\number
  ret
  .endr
  .irp number, 24, 25, 26, 27, 28, 29, 30, 31
  fmv.x.d a0, f\number
  ret
  .endr

  .globl write_float_register
write_float_register:
  la t0, 1f
  slli a0, a0, 3
  add t0, t0, a0
  jr t0
1:
  .irp number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23
  fmv.d.x f\number, a1
  ret
  .endr
  .irp number, 24, 25, 26, 27, 28, 29, 30, 31
  fmv.d.x f\number, a1
  ret
  .endr
  .option pop
