# SPDX-License-Identifier: BSD-3-Clause
# First instructions of every hart: enter DRAM with a0 = hart, a1 = device tree address.

.section .text
.option norvc
.globl _start
_start:
    csrr a0, mhartid
    li a1, 0x801f0000
    li t0, 0x80000000
    jr t0
