/* SPDX-License-Identifier: BSD-3-Clause
 * A few functions whose names and extents the trace tests look up. */
__attribute__((noinline)) static int leaf(int value) {
  __asm__ volatile("");
  return value * 3;
}

__attribute__((noinline)) int middle(int value) {
  int sum = leaf(value) + 1;
  return leaf(sum) + 2;
}

int main(void) { return middle(4) + 1; }
