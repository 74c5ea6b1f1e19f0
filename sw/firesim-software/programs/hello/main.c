// SPDX-License-Identifier: BSD-3-Clause
// The smallest program: says hello and ends.
#include "runtime.h"

int main(int hart, const struct arguments *arguments) {
  print("hello from hart %d, cycle %lu\n", hart, cycles());
  return (int)number_argument(arguments, "exit");
}
