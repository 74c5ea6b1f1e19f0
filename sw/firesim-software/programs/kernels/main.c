// SPDX-License-Identifier: BSD-3-Clause
// One loop of several, chosen by number: integer, floating point, memory, branches, or phases of
// them. Each prints a result that all engines must agree on.
#include "kernels.h"
#include "runtime.h"

enum { SORTED = 512, CHASED = 4096, SIDE = 24, SIEVED = 8192, SLOTS = 2048, COPIED = 32 << 10 };

static uint64_t state = 88172645463325252UL;

uint64_t next_random(void) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return state;
}

// Shell's sort of new numbers in each round.
static uint64_t sort(uint64_t *memory, uint64_t rounds) {
  uint64_t sum = 0;
  while (rounds--) {
    for (unsigned i = 0; i < SORTED; i++) memory[i] = next_random();
    for (unsigned gap = SORTED / 2; gap; gap /= 2) {
      for (unsigned i = gap; i < SORTED; i++) {
        const uint64_t value = memory[i];
        unsigned at = i;
        for (; at >= gap && memory[at - gap] > value; at -= gap) memory[at] = memory[at - gap];
        memory[at] = value;
      }
    }
    sum += memory[SORTED / 2];
  }
  return sum;
}

// Each load needs the one before, over four times the data cache.
static uint64_t chase(uint64_t *memory, uint64_t rounds) {
  const unsigned words = 2;
  for (unsigned i = 0; i < CHASED; i++) {
    memory[i * words] = (uint64_t)&memory[((i * 1664525 + 1013904223) & (CHASED - 1)) * words];
  }
  const uint64_t *at = memory;
  for (uint64_t left = rounds * 1000; left; left--) {
    at = (const uint64_t *)*(const volatile uint64_t *)at;
  }
  return (uint64_t)(at - memory);
}

static uint64_t sum_of(double value) { return (uint64_t)(value * 1024); }

// A polynomial, a division and a square, each on the value before.
static uint64_t floating(uint64_t *memory, uint64_t rounds) {
  (void)memory;
  double value = 0.5, sum = 0;
  for (uint64_t left = rounds * 500; left; left--) {
    value = 0.25 + value * (0.5 - value * 0.125);
    sum += 1.0 / (1.0 + value * value);
  }
  return sum_of(sum);
}

static uint64_t matrix(uint64_t *memory, uint64_t rounds) {
  double *a = (double *)memory, *b = a + SIDE * SIDE, *c = b + SIDE * SIDE;
  for (unsigned i = 0; i < SIDE * SIDE; i++) a[i] = i % 7, b[i] = i % 5;
  while (rounds--) {
    for (unsigned i = 0; i < SIDE; i++) {
      for (unsigned j = 0; j < SIDE; j++) {
        double sum = 0;
        for (unsigned k = 0; k < SIDE; k++) sum += a[i * SIDE + k] * b[k * SIDE + j];
        c[i * SIDE + j] = sum;
      }
    }
    a[rounds % (SIDE * SIDE)] = c[rounds % 17] - 100;
  }
  return sum_of(c[SIDE] + 1000000);
}

static uint64_t sieve(uint64_t *memory, uint64_t rounds) {
  uint8_t *marked = (uint8_t *)memory;
  uint64_t primes = 0;
  while (rounds--) {
    for (unsigned i = 0; i < SIEVED; i++) marked[i] = 0;
    for (unsigned i = 2; i < SIEVED; i++) {
      if (marked[i]) continue;
      primes++;
      for (unsigned j = i * i; j < SIEVED; j += i) marked[j] = 1;
    }
  }
  return primes;
}

static uint64_t crc(uint64_t *memory, uint64_t rounds) {
  (void)memory;
  uint64_t value = ~0UL;
  for (uint64_t left = rounds * 100; left; left--) {
    value ^= left & 0xff;
    for (unsigned bit = 0; bit < 8; bit++) value = value & 1 ? value >> 1 ^ 0xedb88320 : value >> 1;
  }
  return value;
}

// A hash table with open addresses: searches of numbers that are half the time there.
static uint64_t table(uint64_t *memory, uint64_t rounds) {
  for (unsigned i = 0; i < SLOTS; i++) memory[i] = 0;
  uint64_t found = 0;
  for (uint64_t left = rounds * 100; left; left--) {
    const uint64_t key = next_random() % SLOTS + 1;
    unsigned at = key * 2654435761u % SLOTS;
    for (unsigned tried = 0; memory[at] && memory[at] != key && tried < 64; tried++) {
      at = (at + 1) % SLOTS;
    }
    found += memory[at] == key;
    memory[at] = left & 1 ? key : 0;
  }
  return found;
}

static uint64_t fibonacci(uint64_t of) {
  return of < 2 ? of : fibonacci(of - 1) + fibonacci(of - 2);
}

static uint64_t recursion(uint64_t *memory, uint64_t rounds) {
  (void)memory;
  uint64_t sum = 0;
  while (rounds--) sum += fibonacci(12 + rounds % 4);
  return sum;
}

static uint64_t copy(uint64_t *memory, uint64_t rounds) {
  uint64_t *to = memory + COPIED / 8;
  for (unsigned i = 0; i < COPIED / 8; i++) memory[i] = i * i;
  while (rounds--) {
    for (unsigned i = 0; i < COPIED / 8; i++) to[i] = memory[i] + rounds;
  }
  return to[7];
}

// Long phases of unlike loops.
static uint64_t phases(uint64_t *memory, uint64_t rounds) {
  uint64_t sum = 0;
  while (rounds--) {
    sum += crc(memory, 8) + sort(memory, 1);
    sum += chase(memory, 4) + floating(memory, 4);
  }
  return sum;
}

int main(int hart, const struct arguments *arguments) {
  (void)hart;
  static kernel *const kernels[] = {
      sort, chase,   phases,   floating,   matrix,      sieve,     crc,       table, recursion,
      copy, fourier, bodies,   mandelbrot, decompose,   digest,    quicksort, heap,  tree,
      grid, life,    compress, huffman,    interpreter, automaton, requests};
  const uint64_t chosen = number_argument(arguments, "kernel");
  const uint64_t count = sizeof kernels / sizeof *kernels;
  if (chosen >= count) {
    print("kernels: kernel=%lu: expected 0 to %lu\n", chosen, count - 1);
    return 2;
  }
  uint64_t *memory = firesim_heap(MEMORY_BYTES);
  print("kernels kernel=%lu result=%lx\n", chosen,
        kernels[chosen](memory, number_argument(arguments, "rounds")));
  return 0;
}
