# SPDX-License-Identifier: BSD-3-Clause
# Commits the word MARKER, which starts or ends a region of interest, and exits with 0.
  .globl _start
_start:
  .word MARKER
  li a0, 0
  li a7, 94  # exit_group
  ecall
