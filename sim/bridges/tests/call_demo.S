# SPDX-License-Identifier: BSD-3-Clause
# Assembly routines without DWARF entries, found through the symbol table.
  .globl _start
_start:
  call main
hang:
  j hang
