// SPDX-License-Identifier: BSD-3-Clause
// Drives the matrix multiplier by the registers of its lookaside socket.
#include "matmul.h"

#include "console.h"
#include "device_tree.h"
#include "platform.h"

enum { ARGUMENTS = 0x00, PUSH = 0x20, COUNTS = 0x28, RESULT = 0x30, MULTIPLY = 1 };

uintptr_t matmul_start(void) {
  struct device found;
  if (!find_device("firesim,matmul", &found)) fail("this blade has no matrix multiplier");
  return found.address;
}

void matmul_push(uintptr_t matmul, const struct matmul_product *product, uint16_t tag) {
  if (!(read32(matmul + COUNTS) & 0xff)) fail("matmul: found a full queue");
  const uint64_t dimensions =
      product->rows | (uint64_t)product->inner << 16 | (uint64_t)product->columns << 32;
  write64(matmul + ARGUMENTS, (uintptr_t)product->a);
  write64(matmul + ARGUMENTS + 8, (uintptr_t)product->b);
  write64(matmul + ARGUMENTS + 16, (uintptr_t)product->c);
  write64(matmul + ARGUMENTS + 24, dimensions);
  full_fence();
  write32(matmul + PUSH, MULTIPLY << 16 | tag);
}

bool matmul_take(uintptr_t matmul, struct matmul_completion *completion) {
  const uint32_t counts = read32(matmul + COUNTS);
  if (!(counts >> 8 & 0xff)) return false;
  completion->tag = (uint16_t)(counts >> 16);
  completion->cycles = read64(matmul + RESULT);
  full_fence();
  if (completion->cycles == ~0UL) fail("matmul: command %u was refused", completion->tag);
  return true;
}
