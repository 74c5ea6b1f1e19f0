// SPDX-License-Identifier: BSD-3-Clause
// Ring all-reduce, as programs with and without a system do it alike: which part of the vector each
// message has, how a core adds, and random vectors.
//
// The vector is cut into as many chunks as there are nodes, a chunk into messages of
// `segment_bytes`. In each of 2 * (nodes - 1) steps a rank sends the chunk that it received in the
// step before. Chunk c begins at rank c and goes round; each rank adds its own:
// ((x[c] + x[c + 1]) + x[c + 2]) + ..., ranks modulo the nodes. This is the order of addition of
// fp32 too, rounded to nearest even each time. Then the sums go round once more.
#ifndef FIRESIM_RING_H_
#define FIRESIM_RING_H_

#include <stdbool.h>
#include <stdint.h>

#include "splitmix.h"

enum ring_type { RING_INT32, RING_FP32 };

// What all ranks know of a reduction.
struct ring_shape {
  unsigned nodes;
  uint64_t bytes;          // of a vector, a multiple of 8 * nodes
  uint64_t segment_bytes;  // most of a message, a multiple of 8
  uint64_t segments;       // messages of a chunk
};

// Where a message of a reduction is from or goes to.
struct ring_place {
  uint64_t step;    // of 2 * (nodes - 1): sums of parts first, then whole sums
  uint64_t offset;  // in the vector
  uint64_t bytes;
};

static inline uint64_t ring_chunk_bytes(const struct ring_shape *shape) {
  return shape->bytes / shape->nodes;
}

static inline struct ring_shape ring_shape(unsigned nodes, uint64_t bytes, uint64_t segment_bytes) {
  return (struct ring_shape){.nodes = nodes,
                             .bytes = bytes,
                             .segment_bytes = segment_bytes,
                             .segments = (bytes / nodes + segment_bytes - 1) / segment_bytes};
}

// Of a rank in a reduction.
static inline uint64_t ring_messages(const struct ring_shape *shape) {
  return 2 * (shape->nodes - 1) * shape->segments;
}

// Message `number` of all reductions, which `rank` sends.
static inline struct ring_place ring_place_of(const struct ring_shape *shape, uint64_t number,
                                              unsigned rank) {
  const uint64_t in_reduction = number % ring_messages(shape);
  const uint64_t step = in_reduction / shape->segments, segment = in_reduction % shape->segments;
  const uint64_t chunk_bytes = ring_chunk_bytes(shape), chunk = rank + 2 * shape->nodes - step;
  const uint64_t left = chunk_bytes - segment * shape->segment_bytes;
  return (struct ring_place){step,
                             chunk % shape->nodes * chunk_bytes + segment * shape->segment_bytes,
                             left < shape->segment_bytes ? left : shape->segment_bytes};
}

// Whether the receiver adds the message to its own, or has the sum with it.
static inline bool ring_is_part(const struct ring_shape *shape, const struct ring_place *place) {
  return place->step < shape->nodes - 1;
}

// Eight numbers are loaded before any is stored: in a direct-mapped cache both may have the same
// line, which would be fetched again for each.
#define RING_DEFINE_ADD(name, number)                                                         \
  static inline void name(number *restrict to, const number *restrict from, uint64_t count) { \
    for (; count >= 8; count -= 8, to += 8, from += 8) {                                      \
      const number a = from[0], b = from[1], c = from[2], d = from[3];                        \
      const number e = from[4], f = from[5], g = from[6], h = from[7];                        \
      __asm__ volatile("" ::: "memory");                                                      \
      to[0] += a, to[1] += b, to[2] += c, to[3] += d;                                         \
      to[4] += e, to[5] += f, to[6] += g, to[7] += h;                                         \
    }                                                                                         \
    for (; count; count--) *to++ += *from++;                                                  \
  }
RING_DEFINE_ADD(ring_add_int32, uint32_t)
RING_DEFINE_ADD(ring_add_fp32, float)

static inline void ring_add(enum ring_type type, void *to, const void *from, uint64_t bytes) {
  if (type == RING_FP32) {
    ring_add_fp32(to, from, bytes / sizeof(float));
  } else {
    ring_add_int32(to, from, bytes / sizeof(uint32_t));
  }
}

enum { RING_MANTISSA_BITS = 23, RING_SMALLEST = 0, RING_USUAL = 118 };

// A float of either sign: 2^-9 to 2^6, and one of 16 is very small, with exponents 0 to 15 as
// IEEE 754 has them: some of these are subnormal.
static inline uint32_t ring_random_float(uint32_t drawn) {
  const uint32_t exponent = drawn >> RING_MANTISSA_BITS & 15;
  const uint32_t base = (drawn >> 27 & 15) == 0 ? RING_SMALLEST : RING_USUAL;
  return (drawn & 1U << 31) | (exponent + base) << RING_MANTISSA_BITS |
         (drawn & ((1U << RING_MANTISSA_BITS) - 1));
}

// The vector that a rank begins with has a seed of its own.
static inline void ring_fill(uint64_t *words, uint64_t bytes, uint64_t seed, enum ring_type type) {
  for (uint64_t i = 0; i < bytes / 8; i++) {
    const uint64_t drawn = splitmix64(&seed);
    words[i] = type == RING_INT32 ? drawn
                                  : (uint64_t)ring_random_float((uint32_t)(drawn >> 32)) << 32 |
                                        ring_random_float((uint32_t)drawn);
  }
}

#endif  // FIRESIM_RING_H_
