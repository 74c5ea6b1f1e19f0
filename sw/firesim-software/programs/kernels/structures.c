// SPDX-License-Identifier: BSD-3-Clause
// Loops over structures: quicksort, a heap, a search tree, shortest ways over a grid, Conway's
// life.
#include "kernels.h"

enum { SORTED = 4096, HEAPED = 2048, NODES = 4096, WIDE = 64, CELLS = 96 };

static void sort_between(uint32_t *values, int low, int high) {
  while (low < high) {
    const uint32_t pivot = values[(low + high) / 2];
    int i = low, j = high;
    while (i <= j) {
      while (values[i] < pivot) i++;
      while (values[j] > pivot) j--;
      if (i > j) break;
      const uint32_t other = values[i];
      values[i++] = values[j], values[j--] = other;
    }
    sort_between(values, low, j);
    low = i;
  }
}

uint64_t quicksort(uint64_t *memory, uint64_t rounds) {
  uint32_t *values = (uint32_t *)memory;
  uint64_t sum = 0;
  while (rounds--) {
    for (unsigned i = 0; i < SORTED; i++) values[i] = (uint32_t)next_random();
    sort_between(values, 0, SORTED - 1);
    for (unsigned i = 1; i < SORTED; i++) sum += values[i - 1] <= values[i];
  }
  return sum;
}

// Takes the least and puts another back, always.
uint64_t heap(uint64_t *memory, uint64_t rounds) {
  for (unsigned i = 0; i < HEAPED; i++) memory[i] = i;
  uint64_t sum = 0;
  for (uint64_t left = rounds * 100; left; left--) {
    const uint64_t value = memory[0] + (next_random() & 0xffff);
    sum += memory[0];
    unsigned at = 0;
    for (;;) {
      unsigned child = 2 * at + 1;
      if (child >= HEAPED) break;
      if (child + 1 < HEAPED && memory[child + 1] < memory[child]) child++;
      if (memory[child] >= value) break;
      memory[at] = memory[child];
      at = child;
    }
    memory[at] = value;
  }
  return sum;
}

struct node {
  uint64_t key;
  struct node *less, *more;
};

// A search tree that grows to NODES random keys and is begun again.
uint64_t tree(uint64_t *memory, uint64_t rounds) {
  struct node *nodes = (struct node *)memory, *root = 0;
  uint64_t used = 0, depth = 0;
  for (uint64_t left = rounds * 100; left; left--) {
    if (used == NODES) used = 0, root = 0;
    struct node *added = &nodes[used++];
    added->key = next_random(), added->less = added->more = 0;
    struct node **at = &root;
    for (; *at; depth++) at = added->key < (*at)->key ? &(*at)->less : &(*at)->more;
    *at = added;
  }
  return depth;
}

// Breadth first over a grid with walls, from one corner.
uint64_t grid(uint64_t *memory, uint64_t rounds) {
  uint16_t *far = (uint16_t *)memory, *queue = far + WIDE * WIDE;
  uint8_t *wall = (uint8_t *)(queue + WIDE * WIDE);
  uint64_t sum = 0;
  while (rounds--) {
    for (unsigned i = 0; i < WIDE * WIDE; i++) far[i] = 0, wall[i] = (next_random() & 7) < 2;
    unsigned first = 0, last = 1;
    queue[0] = 0, far[0] = 1, wall[0] = 0;
    while (first < last) {
      const unsigned at = queue[first++], x = at % WIDE, y = at / WIDE;
      const unsigned next[] = {x ? at - 1 : at, x + 1 < WIDE ? at + 1 : at, y ? at - WIDE : at,
                               y + 1 < WIDE ? at + WIDE : at};
      for (unsigned i = 0; i < 4; i++) {
        if (wall[next[i]] || far[next[i]]) continue;
        far[next[i]] = (uint16_t)(far[at] + 1);
        queue[last++] = (uint16_t)next[i];
      }
    }
    sum += last;
  }
  return sum;
}

uint64_t life(uint64_t *memory, uint64_t rounds) {
  uint8_t *now = (uint8_t *)memory, *then = now + CELLS * CELLS;
  for (unsigned i = 0; i < CELLS * CELLS; i++) now[i] = then[i] = next_random() & 1;
  uint64_t alive = 0;
  while (rounds--) {
    alive = 0;
    for (unsigned y = 1; y < CELLS - 1; y++) {
      for (unsigned x = 1; x < CELLS - 1; x++) {
        const uint8_t *at = now + y * CELLS + x;
        const unsigned near = at[-CELLS - 1] + at[-CELLS] + at[-CELLS + 1] + at[-1] + at[1] +
                              at[CELLS - 1] + at[CELLS] + at[CELLS + 1];
        then[y * CELLS + x] = near == 3 || (near == 2 && *at);
        alive += then[y * CELLS + x];
      }
    }
    uint8_t *other = now;
    now = then, then = other;
  }
  return alive;
}
