# SPDX-License-Identifier: BSD-3-Clause
# The functions that cross the wire, each as an archive with two variants: RV64I, and RV64I with
# compressed instructions. They are called with a0 = payload and a1 = struct target, and use no
# address of their own, so they run wherever they are copied to. Active messages call the compressed
# variant in place: the same instructions as those that are injected.

#include "target.h"

  .section .text.injected, "ax"
  .option norelax

# NAME_archive … NAME_end as in frame.h, and NAME_compressed, the code of the last variant.
  .macro archive name
  .balign 8
  .globl \name\()_archive
\name\()_archive:
  .ascii "RVFA"
  .half 2, 0
  .word ISA_I, \name\()_plain - \name\()_archive, \name\()_plain_end - \name\()_plain, 0
  .word ISA_I | ISA_C, \name\()_compressed - \name\()_archive, \name\()_end - \name\()_compressed, 0
  .option norvc
\name\()_plain:
  \name
\name\()_plain_end:
  .balign 4
  .option rvc
  .globl \name\()_compressed
\name\()_compressed:
  \name
  .globl \name\()_end
\name\()_end:
  .endm

# Reads entries for as long as they are this server's; then goes on to another one, or is done.
  .macro chaser
  ld a3, CHASER_DEPTH(a0)
  ld a4, CHASER_ADDRESS(a0)
  ld a5, TARGET_MOST_DEPTH(a1)
  bltu a5, a3, 4f
  beqz a3, 3f
  ld a5, TARGET_SHARD(a1)
  ld t3, TARGET_SHIFT(a1)
  ld t4, TARGET_SERVER(a1)
  sll t6, t4, t3
1:
  srl a2, a4, t3
  bne a2, t4, 2f
  sub a2, a4, t6
  slli a2, a2, 3
  add a2, a2, a5
  ld a4, 0(a2)
  addi a3, a3, -1
  bnez a3, 1b
  j 3f
2: # a2 is the server that has it
  sd a3, CHASER_DEPTH(a0)
  sd a4, CHASER_ADDRESS(a0)
  ld a3, TARGET_FORWARD(a1)
  jr a3
3:
  sd a3, CHASER_DEPTH(a0)
  sd a4, CHASER_ADDRESS(a0)
  ld a3, TARGET_GIVE_BACK(a1)
  jr a3
4:
  ld a3, TARGET_REFUSE(a1)
  jr a3
  .endm

# At the node that asked: the value is there.
  .macro result
  ld a5, CHASER_ADDRESS(a0)
  sd a5, TARGET_RESULT(a1)
  li a5, 1
  sd a5, TARGET_DONE(a1)
  ret
  .endm

# The target-side increment: adds one to a counter, and does not look at its payload.
  .macro increment
  ld a5, TARGET_COUNTER(a1)
  addi a5, a5, 1
  sd a5, TARGET_COUNTER(a1)
  ret
  .endm

  archive chaser
  archive result
  archive increment
