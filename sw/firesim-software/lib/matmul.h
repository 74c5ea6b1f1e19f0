// SPDX-License-Identifier: BSD-3-Clause
// The matrix multiplier in a lookaside socket (part `matmul`; docs/how-to/matmul.md).
#ifndef FIRESIM_MATMUL_H_
#define FIRESIM_MATMUL_H_

#include <stdbool.h>
#include <stdint.h>

enum { MATMUL_MOST = 16, MATMUL_QUEUE = 16 };

// C = A B, of int32 modulo 2^32. Matrices lie row by row without gaps, aligned to 8 bytes; C is
// written in whole words of 8 bytes.
struct matmul_product {
  const int32_t *a, *b;
  int32_t *c;
  unsigned rows, inner, columns;  // 1 to MATMUL_MOST
};

struct matmul_completion {
  uint16_t tag;
  uint64_t cycles;
};

// Finds the multiplier; fails when the blade has none. Returns the address of its registers.
uintptr_t matmul_start(void);
// Pushes a command; fails when MATMUL_QUEUE commands wait.
void matmul_push(uintptr_t matmul, const struct matmul_product *product, uint16_t tag);
// Takes the oldest completion, if there is one: `cycles` are those from the command to the last
// word of C. Fails when the multiplier has refused the command.
bool matmul_take(uintptr_t matmul, struct matmul_completion *completion);

#endif  // FIRESIM_MATMUL_H_
