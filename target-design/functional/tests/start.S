# SPDX-License-Identifier: BSD-3-Clause
# Gives each hart a stack and enters the guest.
.section .text.start, "ax"
.globl _start
_start:
    la sp, stacks
    addi t0, a0, 1
    slli t0, t0, 12
    add sp, sp, t0
    call start
.bss
.balign 16
stacks:
    .space 8 * 4096
