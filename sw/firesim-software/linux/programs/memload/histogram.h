// SPDX-License-Identifier: BSD-3-Clause
// A histogram of times: 32 buckets for every factor of two, so a percentile is within 3 %.
#ifndef FIRESIM_HISTOGRAM_H_
#define FIRESIM_HISTOGRAM_H_

#include <stdint.h>

enum { SUB_BITS = 5, BUCKETS = (64 - SUB_BITS) << SUB_BITS };

struct histogram {
  uint64_t counts[BUCKETS];
  uint64_t most_ns;
};

static inline unsigned histogram_bucket(uint64_t ns) {
  if (ns < 2u << SUB_BITS) return (unsigned)ns;
  const unsigned shift = 63 - (unsigned)__builtin_clzll(ns) - SUB_BITS;
  return (shift << SUB_BITS) + (unsigned)(ns >> shift);
}

static inline uint64_t histogram_upper_ns(unsigned bucket) {
  if (bucket < 2u << SUB_BITS) return bucket;
  const unsigned shift = (bucket >> SUB_BITS) - 1;
  const uint64_t top = (bucket & ((1u << SUB_BITS) - 1)) + (1u << SUB_BITS);
  return ((top + 1) << shift) - 1;
}

static inline void histogram_add(struct histogram *histogram, uint64_t ns) {
  histogram->counts[histogram_bucket(ns)]++;
  if (ns > histogram->most_ns) histogram->most_ns = ns;
}

static inline uint64_t histogram_count(const struct histogram *histogram) {
  uint64_t sum = 0;
  for (unsigned i = 0; i < BUCKETS; i++) sum += histogram->counts[i];
  return sum;
}

// The time that `percent` of 100 have at most, in microseconds.
static inline double histogram_us(const struct histogram *histogram, unsigned percent) {
  const uint64_t wanted = (histogram_count(histogram) * percent + 99) / 100;
  uint64_t sum = 0;
  for (unsigned i = 0; i < BUCKETS; i++) {
    sum += histogram->counts[i];
    if (sum && sum >= wanted) {
      const uint64_t upper = histogram_upper_ns(i);
      return (double)(upper < histogram->most_ns ? upper : histogram->most_ns) / 1000.0;
    }
  }
  return 0;
}

#endif  // FIRESIM_HISTOGRAM_H_
