# SPDX-License-Identifier: BSD-3-Clause
# A loop that keeps every part of a small core busy: loads, stores, multiply, divide, branches and
# calls over a 4 KiB array. Used to compare and to time models.
  .section .text
  .globl _start
_start:
  la   s0, array
  li   s1, 0
outer:
  li   s2, 0
inner:
  slli t0, s2, 3
  add  t0, t0, s0
  ld   t1, 0(t0)
  mul  t2, t1, s2
  add  t2, t2, s1
  xor  t1, t1, t2
  sd   t1, 0(t0)
  lbu  t3, 3(t0)
  andi t4, t3, 7
  beqz t4, skip
  call mix
skip:
  addi s2, s2, 1
  li   t5, 512
  bne  s2, t5, inner
  addi s1, s1, 1
  ori  t6, s1, 1
  divu t1, t2, t6
  sw   t1, 4(s0)
  amoadd.d zero, s1, (s0)
  j    outer
mix:
  srli a0, t1, 5
  sltu a1, a0, t2
  add  s1, s1, a1
  sh   a0, 6(t0)
  ret
  .balign 64
array:
  .fill 512, 8, 0x123456789abcdef
