// SPDX-License-Identifier: BSD-3-Clause
// What the head of a row must be, before any driver is told of it: a platform may be anything that
// answers on a line.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hostlib/host_channel.h"

namespace firesim::hostlib {

struct RowHead {
  uint64_t cycle;
  bool stopped;                  // the target stops after it
  std::vector<uint64_t> pieces;  // a bit for each piece of an output channel that follows
};

// Throws std::runtime_error, with the platform's name, unless the row is one that a target can
// tell of in a run from the cycle `first` up to `limit`.
void check_row(const RowHead &row, uint64_t first, uint64_t limit,
               const std::vector<HostChannel> &outputs, const std::string &platform);

// The same of a token of `cycle`: no bit beyond its channel's width.
void check_token(const HostChannel &channel, const Words &token, uint64_t cycle,
                 const std::string &platform);

}  // namespace firesim::hostlib
