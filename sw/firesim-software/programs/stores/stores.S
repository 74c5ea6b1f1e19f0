# SPDX-License-Identifier: BSD-3-Clause
# void store_rounds(uint64_t *memory, uint64_t chosen, uint64_t own, uint64_t state, uint64_t rounds)
#
# A round takes the next state (xorshift), by which it chooses an offset among the bits `chosen`,
# with `own` in the others, and what it does there. The labels of stores are what a trace is
# searched for.
  .text
  .balign 4
  .globl store_rounds, store_d, store_first, store_second, store_w, store_h, store_b, store_add
  .globl store_swap
  .type store_rounds, @function
store_rounds:
  slli t0, a3, 13
  xor a3, a3, t0
  srli t0, a3, 7
  xor a3, a3, t0
  slli t0, a3, 17
  xor a3, a3, t0
  srli t1, a3, 20
  and t1, t1, a1
  or t1, t1, a2
  xori t2, t1, 0x40 # the line beside it
  add t1, t1, a0
  add t2, t2, a0
  srli t3, a3, 3 # which part of the word
  andi t4, a3, 7
  li t5, 1
  blt t4, t5, .Ldouble
  beq t4, t5, .Lpair
  li t5, 3
  blt t4, t5, .Lword
  beq t4, t5, .Lhalf
  li t5, 5
  blt t4, t5, .Lbyte
  beq t4, t5, .Ladd
  li t5, 7
  blt t4, t5, .Lload
store_swap:
  amoswap.w zero, a3, (t1)
  j .Lnext
.Ldouble:
store_d:
  sd a3, 0(t1)
  j .Lnext
.Lpair:
store_first:
  sd a3, 0(t1)
store_second:
  sd t4, 0(t2)
  ld t0, 0(t1)
  j .Lnext
.Lword:
  andi t3, t3, 4
  add t1, t1, t3
store_w:
  sw a3, 0(t1)
  j .Lnext
.Lhalf:
  andi t3, t3, 6
  add t1, t1, t3
store_h:
  sh a3, 0(t1)
  j .Lnext
.Lbyte:
  andi t3, t3, 7
  add t1, t1, t3
store_b:
  sb a3, 0(t1)
  j .Lnext
.Ladd:
store_add:
  amoadd.d zero, a3, (t1)
  j .Lnext
.Lload:
  ld t0, 0(t1)
.Lnext:
  addi a4, a4, -1
  bnez a4, store_rounds
  ret
  .size store_rounds, . - store_rounds
