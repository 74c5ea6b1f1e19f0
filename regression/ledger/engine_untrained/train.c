// SPDX-License-Identifier: BSD-3-Clause
// What a design is trained with, and never reported: checksums bit by bit, matrices, and a sieve.
#include "runtime.h"

#define SIDE 12
#define NUMBERS 512

static uint32_t left[SIDE][SIDE], right[SIDE][SIDE], product[SIDE][SIDE];
static uint8_t is_composite[NUMBERS];

static uint32_t checksum_of(const uint8_t *bytes, size_t count) {
  uint32_t sum = 0xffffffff;
  for (size_t i = 0; i < count; ++i) {
    sum ^= bytes[i];
    for (int bit = 0; bit < 8; ++bit) sum = sum >> 1 ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return sum;
}

static void multiply(uint32_t start) {
  for (int i = 0; i < SIDE * SIDE; ++i) {
    left[i / SIDE][i % SIDE] = start + (uint32_t)i;
    right[i / SIDE][i % SIDE] = start * 3 - (uint32_t)i;
  }
  for (int i = 0; i < SIDE; ++i) {
    for (int j = 0; j < SIDE; ++j) {
      uint32_t sum = 0;
      for (int k = 0; k < SIDE; ++k) sum += left[i][k] * right[k][j];
      product[i][j] = sum;
    }
  }
}

static uint64_t sieve(void) {
  uint64_t primes = 0;
  for (int i = 0; i < NUMBERS; ++i) is_composite[i] = 0;
  for (int i = 2; i < NUMBERS; ++i) {
    if (is_composite[i]) continue;
    ++primes;
    for (int j = i * i; j < NUMBERS; j += i) is_composite[j] = 1;
  }
  return primes;
}

static void run(void) {
  uint64_t sum = 0;
  for (uint32_t round = 0; round < ROUNDS; ++round) {
    multiply(round);
    sum = sum * 31 + checksum_of((const uint8_t *)product, sizeof product) + sieve();
  }
  print_hex("trained ", sum);
}
