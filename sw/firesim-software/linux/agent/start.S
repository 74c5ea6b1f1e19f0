# SPDX-License-Identifier: BSD-3-Clause
# Entry of a program without a C library: int main(int argc, char **argv).
  .globl _start
_start:
  .option push
  .option norelax
  la gp, __global_pointer$
  .option pop
  ld a0, 0(sp)
  addi a1, sp, 8
  andi sp, sp, -16
  call main
  li a7, 94  # exit_group
  ecall
