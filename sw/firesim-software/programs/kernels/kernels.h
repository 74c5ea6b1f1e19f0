// SPDX-License-Identifier: BSD-3-Clause
// What the loops share: random numbers, and the memory that each works in.
#ifndef KERNELS_H_
#define KERNELS_H_

#include <stdint.h>

enum { MEMORY_BYTES = 256 << 10 };

// Works in MEMORY_BYTES of `memory`; returns a result that all engines must agree on.
typedef uint64_t kernel(uint64_t *memory, uint64_t rounds);

// The next of one series for all loops.
uint64_t next_random(void);

// numeric.c
kernel fourier, bodies, mandelbrot, decompose, digest;
// structures.c
kernel quicksort, heap, tree, grid, life;
// text.c
kernel compress, huffman, interpreter, automaton, requests;

#endif  // KERNELS_H_
