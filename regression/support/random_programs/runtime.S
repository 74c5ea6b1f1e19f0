# SPDX-License-Identifier: BSD-3-Clause
# What every random program of rtl-oracle is wrapped in: start, trap handlers, page tables, data,
# and the dump of the final state. Compared instruction by instruction from _start to oracle_end;
# what follows oracle_end only prints, and is the one place that touches platform devices.
#
# Register use: sp = middle of the random data, gp = signature; x31 = where to go on after a fault
# of instruction fetch; a7 = LEAVE asks the trap handlers to go on in M-mode. All others are random.

#include "address_map.h"

#ifdef FIRESIM_QEMU_VIRT
#define UART_DATA 0x10000000
#define UART_CONTROL oracle_scratch
#define UART_PENDING oracle_one
#define FINISHER 0x00100000
#else
#define UART_DATA FIRESIM_UART
#define UART_CONTROL (FIRESIM_UART + 0x08)
#define UART_PENDING (FIRESIM_UART + 0x14)
#define FINISHER FIRESIM_FINISHER
#endif

#define ALIAS 0x40000000 /* user-mode addresses of code and data lie this far above */
#define LEAVE 0x5ca1ab1e
#define LEAVE_FROM_S (LEAVE + 1)
#define FRAME_HASH 24
#define FRAME_COUNT 32
#define CLINT FIRESIM_CLINT

  .option norelax
  .section .text.start, "ax"
  .globl _start
_start:
  /* QEMU decides AMO faults as the standard says only with two harts; the second one waits */
  csrr t0, mhartid
  beqz t0, 1f
  csrw mie, zero
0:
  wfi
  j 0b
1:
  la t0, oracle_m_trap
  csrw mtvec, t0
  la t0, oracle_m_frame
  csrw mscratch, t0
  /* what a core with M mode alone, or without floating point, has not traps from here on */
  la t0, oracle_s_trap
  csrw stvec, t0
  la t0, oracle_s_frame
  csrw sscratch, t0
  li t0, CLINT
  sw zero, 0(t0)
  li t0, CLINT + 0x4000
  li t1, -1
  sd t1, 0(t0)
  ld t1, 0(t0)
  fence
  csrw mie, zero
  csrw mip, zero
  csrw medeleg, zero
  csrw mideleg, zero
  csrw satp, zero
  csrw mcause, zero
  csrw mepc, zero
  csrw mtval, zero
  csrw scause, zero
  csrw sepc, zero
  csrw stval, zero
  csrw mcounteren, zero
  csrw scounteren, zero
  li t0, 0x7e19aa /* all that can be cleared: modes, stacks of enables, traps, SUM, MXR, MPRV */
  csrc mstatus, t0
  li t0, 0x6000
  csrs mstatus, t0
  fscsr zero
  /* PMP 0: nothing in S and U for the page oracle_denied; PMP 1: everything everywhere */
  la t0, oracle_denied
  srli t0, t0, 2
  ori t0, t0, 511
  csrw pmpaddr0, t0
  li t0, 0x3fffffff
  csrw pmpaddr1, t0
  li t0, 0x1f18
  csrw pmpcfg0, t0
  sfence.vma
  la sp, oracle_data + 2048
  la gp, oracle_signature
  j oracle_body

# --- machine-mode traps ------------------------------------------------------------------------
  .macro fold csr
  csrr t0, \csr
  xor t1, t1, t0
  mul t1, t1, t2
  .endm

  .balign 64
oracle_m_trap:
  csrrw sp, mscratch, sp
  sd t0, 0(sp)
  sd t1, 8(sp)
  sd t2, 16(sp)
  ld t1, FRAME_HASH(sp)
  li t2, 0x9e3779b97f4a7c15
  fold mcause
  fold mepc
  fold mtval
  fold mstatus
  sd t1, FRAME_HASH(sp)
  ld t1, FRAME_COUNT(sp)
  addi t1, t1, 1
  sd t1, FRAME_COUNT(sp)
  csrr t0, mcause
  bltz t0, 5f
  li t1, 1
  beq t0, t1, 3f
  li t1, 12
  beq t0, t1, 3f
  li t1, 8
  bltu t0, t1, 1f
  li t1, 12
  bltu t0, t1, 2f
1: /* go on after the instruction, 2 or 4 bytes long */
  csrr t0, mepc
  li t1, ALIAS
  not t1, t1
  and t0, t0, t1
  lhu t1, 0(t0)
  csrr t0, mepc
  andi t1, t1, 3
  addi t1, t1, -3
  seqz t1, t1
  slli t1, t1, 1
  addi t1, t1, 2
  add t0, t0, t1
  csrw mepc, t0
  j 9f
2: /* a call: go on in the same mode, or in M-mode when asked to leave */
  csrr t0, mepc
  li t1, LEAVE_FROM_S
  bne a7, t1, 4f
  csrr t0, sepc
  j 6f
4:
  li t1, LEAVE
  bne a7, t1, 1b
6:
  addi t0, t0, 4
  li t1, ALIAS
  not t1, t1
  and t0, t0, t1
  csrw mepc, t0
  li t0, 0x1800
  csrs mstatus, t0
  j 9f
3: /* the fetch itself failed: x31 says where to go on */
  csrw mepc, x31
  j 9f
5: /* interrupts are disabled again, and their source is quietened */
  andi t0, t0, 15
  li t1, 3
  beq t0, t1, 7f
  li t1, 7
  beq t0, t1, 8f
  csrci mip, 2
  li t1, 2
  csrc mie, t1
  j 9f
7:
  li t0, CLINT
  sw zero, 0(t0)
  lw t1, 0(t0)
  li t1, 8
  csrc mie, t1
  j 9f
8:
  li t0, CLINT + 0x4000
  li t1, -1
  sd t1, 0(t0)
  ld t1, 0(t0)
  li t1, 128
  csrc mie, t1
9:
  ld t0, 0(sp)
  ld t1, 8(sp)
  ld t2, 16(sp)
  csrrw sp, mscratch, sp
  mret

# --- supervisor-mode traps, for what is delegated ----------------------------------------------
  .balign 64
oracle_s_trap:
  csrrw sp, sscratch, sp
  sd t0, 0(sp)
  sd t1, 8(sp)
  sd t2, 16(sp)
  ld t1, FRAME_HASH(sp)
  li t2, 0xd1342543de82ef95
  fold scause
  fold sepc
  fold stval
  fold sstatus
  sd t1, FRAME_HASH(sp)
  ld t1, FRAME_COUNT(sp)
  addi t1, t1, 1
  sd t1, FRAME_COUNT(sp)
  csrr t0, scause
  bltz t0, 5f
  li t1, 12
  beq t0, t1, 3f
  li t1, 8
  bne t0, t1, 1f
  li t1, LEAVE
  beq a7, t1, 2f
1:
  csrr t0, sepc
  li t1, ALIAS
  not t1, t1
  and t0, t0, t1
  lhu t1, 0(t0)
  csrr t0, sepc
  andi t1, t1, 3
  addi t1, t1, -3
  seqz t1, t1
  slli t1, t1, 1
  addi t1, t1, 2
  add t0, t0, t1
  csrw sepc, t0
  j 9f
2:
  ld t0, 0(sp)
  ld t1, 8(sp)
  ld t2, 16(sp)
  csrrw sp, sscratch, sp
  addi a7, a7, 1
  ecall
3:
  csrw sepc, x31
  j 9f
5:
  csrci sip, 2
9:
  ld t0, 0(sp)
  ld t1, 8(sp)
  ld t2, 16(sp)
  csrrw sp, sscratch, sp
  sret

# --- the end -----------------------------------------------------------------------------------
  .globl oracle_end
  .balign 64
oracle_end:
  la sp, oracle_registers
  .irp n, 1, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
  sd x\n, 8 * \n(sp)
  .endr
  la t0, oracle_signature
  sub gp, gp, t0
  sd gp, 24(sp)
  .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
  fsd f\n, 256 + 8 * \n(sp)
  .endr
  addi s0, sp, 512
  .irp name, fcsr, mstatus, mcause, mepc, mtval, mie, medeleg, mideleg, mcounteren, scause, sepc, stval, satp, pmpcfg0, pmpaddr0, pmpaddr1
  csrr t0, \name
  sd t0, 0(s0)
  addi s0, s0, 8
  .endr
  la s1, UART_CONTROL
  li t0, 0x10001
  sw t0, 0(s1)
  la s1, UART_DATA
  /* registers and CSRs, a line each */
  la s2, oracle_registers
  li s3, 80
1:
  ld a0, 0(s2)
  call print_hexadecimal
  addi s2, s2, 8
  addi s3, s3, -1
  bnez s3, 1b
  /* memory: one sum for every 256 bytes of leaf table, pages, data, signature, trap frames */
  la s2, oracle_leaves
  la s3, oracle_data_end
2:
  addi s4, s2, 256
  li a0, 0
  li t1, 0x9e3779b97f4a7c15
3:
  ld t0, 0(s2)
  xor a0, a0, t0
  mul a0, a0, t1
  srli t0, a0, 29
  xor a0, a0, t0
  addi s2, s2, 8
  bltu s2, s4, 3b
  call print_hexadecimal
  bltu s2, s3, 2b
  la t0, UART_PENDING
4:
  lw t1, 0(t0)
  andi t1, t1, 1
  beqz t1, 4b
  li t0, FINISHER
  li t1, 0x5555
  sw t1, 0(t0)
5:
  j 5b

print_hexadecimal: /* of a0, and a new line; changes t0 to t3 */
  li t2, 60
1:
  srl t0, a0, t2
  andi t0, t0, 15
  addi t0, t0, 48
  li t1, 58
  bltu t0, t1, 2f
  addi t0, t0, 39
2:
  lw t3, 0(s1)
  bltz t3, 2b
  sw t0, 0(s1)
  addi t2, t2, -4
  bgez t2, 1b
3:
  lw t3, 0(s1)
  bltz t3, 3b
  li t0, 10
  sw t0, 0(s1)
  ret
