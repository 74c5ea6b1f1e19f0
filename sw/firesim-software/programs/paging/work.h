// SPDX-License-Identifier: BSD-3-Clause
// Programs whose data are in pages: each prepares, works, and has a digest of all its pages.
#ifndef FIRESIM_WORK_H_
#define FIRESIM_WORK_H_

#include "arguments.h"

struct work {
  const char *name;
  // Run in supervisor mode. `prepare` writes to every page; `run` is what is measured, and returns
  // what went wrong; `check` returns the digest of all pages.
  uint64_t (*prepare)(uint64_t);
  uint64_t (*run)(uint64_t);
  uint64_t (*check)(uint64_t);
};

// Reads the argument `work`, and those of the work that it names.
const struct work *chosen_work(const struct arguments *arguments, uint64_t pages);

#endif  // FIRESIM_WORK_H_
