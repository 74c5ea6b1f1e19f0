# SPDX-License-Identifier: BSD-3-Clause
# A routine the assembler's DWARF knows, and a label only the symbol table has.
  .globl _start
  .type _start, @function
_start:
  call main
  call middle
  .size _start, . - _start
hang:
  j hang
