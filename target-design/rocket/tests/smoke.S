# SPDX-License-Identifier: BSD-3-Clause
# Exercises what the trace must show: commits, an ecall, a timer and an external interrupt,
# compressed code, floating point, and (with several harts) atomic memory operations.

#include "address_map.h"

.option norelax                 # gp is not set up
.section .text
.globl _start
_start:
    bnez a0, second_hart
    la t0, trap
    csrw mtvec, t0
    li t0, 0x2000
    csrs mstatus, t0            # floating point on
    li s0, 0                    # bit per trap seen
ecall_here:
    ecall
    li t0, 0x2004000            # CLINT: mtimecmp of hart 0
    sd zero, 0(t0)
    li t0, 0x80                 # mie.MTIE
    csrs mie, t0
    csrsi mstatus, 8
1:  andi t0, s0, 2
    beqz t0, 1b
    li t0, 0x0c00000c           # PLIC: priority of source 3
    li t1, 1
    sw t1, 0(t0)
    li t0, 0x0c002000           # PLIC: sources enabled for hart 0 in machine mode
    li t1, 8
    sw t1, 0(t0)
    li t0, 0x800                # mie.MEIE
    csrs mie, t0
    li t0, FIRESIM_UART + 8           # test bench: raise interrupt line 2
    li t1, 4
    sd t1, 0(t0)
1:  andi t0, s0, 4
    beqz t0, 1b
    li t0, 3
    fcvt.d.l fa0, t0
    fmul.d fa0, fa0, fa0
    fcvt.l.d t1, fa0
    li t2, 9
    bne t1, t2, fail
    la t0, harts_done           # wait for the other harts
    la t2, harts_expected
    lw t2, 0(t2)
1:  lw t1, 0(t0)
    bne t1, t2, 1b
    li t0, 7
    bne s0, t0, fail
    j spin_or_pass

second_hart:
    la t0, harts_done
    li t1, 1
    amoadd.w zero, t1, (t0)
1:  j 1b

.align 2
trap:
    csrr t3, mcause
    bltz t3, interrupt
    li t4, 11
    bne t3, t4, fail
    ori s0, s0, 1
    csrr t3, mepc
    addi t3, t3, 4
    csrw mepc, t3
    mret
interrupt:
    andi t3, t3, 15
    li t4, 7
    bne t3, t4, external
    li t3, 0x80
    csrc mie, t3
    ori s0, s0, 2
    mret
external:
    li t3, 0x0c200004           # PLIC: claim
    lw t4, 0(t3)
    li t5, 3
    bne t4, t5, fail
    li t5, FIRESIM_UART + 8
    sd zero, 0(t5)
    sw t4, 0(t3)
    ori s0, s0, 4
    mret

spin_or_pass:
    la t0, spin_cycles
    ld t0, 0(t0)
1:  addi t0, t0, -1
    bgtz t0, 1b
    li t0, 0x5555
    j finish
fail:
    slli t0, s0, 16
    li t1, 0x3333
    or t0, t0, t1
finish:
    li t1, FIRESIM_FINISHER
    sw t0, 0(t1)
1:  j 1b

.section .data
.align 3
spin_cycles: .dword SPIN_CYCLES
harts_expected: .word OTHER_HARTS
.section .data.shared, "aw"
.align 6
harts_done: .word 0
.align 6
