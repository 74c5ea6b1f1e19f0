// SPDX-License-Identifier: BSD-3-Clause
// Finds parts of the blade that have no fixed place: by `compatible` in the device tree.
#ifndef FIRESIM_DEVICE_TREE_H_
#define FIRESIM_DEVICE_TREE_H_

#include <stdbool.h>
#include <stdint.h>

struct device {
  uintptr_t address;   // of its registers
  unsigned interrupt;  // source number at the PLIC; 0 for none
};

// The first device that says it is compatible with `name`; false when the blade has none.
bool find_device(const char *name, struct device *found);

#endif  // FIRESIM_DEVICE_TREE_H_
