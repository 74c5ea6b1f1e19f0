# SPDX-License-Identifier: BSD-3-Clause
# Entry of the PicoRV32 computer: a stack at the end of its 16 KiB, then main.
  .section .text.start
  .globl _start
_start:
  li sp, 0x4000
  call main
1:
  j 1b
