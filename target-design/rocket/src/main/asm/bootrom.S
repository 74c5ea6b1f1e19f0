# SPDX-License-Identifier: BSD-3-Clause
# First instructions of every hart: enter DRAM with a0 = hart, a1 = device tree address.

#include "address_map.h"

.section .text
.option norvc
.globl _start
_start:
    csrr a0, mhartid
    li a1, FIRESIM_DEVICE_TREE
    li t0, FIRESIM_DRAM
    jr t0
