// SPDX-License-Identifier: BSD-3-Clause
// What the head of a row must be, before any driver is told of it: a platform may be anything that
// answers on a line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hostlib/host_channel.h"

namespace firesim::hostlib {

struct RowHead {
  uint64_t cycle;
  uint64_t mask;  // a bit for each output channel whose token follows
  bool stopped;   // the target stops after it
};

// Throws std::runtime_error, with the platform's name, unless the row is one that a target can
// tell of in a run from the cycle `first` up to `limit`.
void check_row(const RowHead &row, uint64_t first, uint64_t limit,
               const std::vector<HostChannel> &outputs, const std::string &platform);

}  // namespace firesim::hostlib
