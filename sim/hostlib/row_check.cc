// SPDX-License-Identifier: BSD-3-Clause
// Refuses rows that no target tells of; see row_check.h.
#include "hostlib/row_check.h"

#include <fmt/format.h>

#include <stdexcept>

namespace firesim::hostlib {

void check_row(const RowHead &row, uint64_t first, uint64_t limit,
               const std::vector<HostChannel> &outputs, const std::string &platform) {
  if (row.cycle < first || row.cycle >= limit) {
    throw std::runtime_error(fmt::format("{}: found a row of cycle {}, expected {} to {}", platform,
                                         row.cycle, first, limit - 1));
  }
  const bool is_last = row.cycle + 1 == limit;
  bool may_stop = is_last;
  for (size_t i = 0; i < 64; ++i) {
    if ((row.mask >> i & 1) == 0) continue;
    if (i >= outputs.size() || !outputs[i].listened) {
      throw std::runtime_error(
          fmt::format("{}: found a token of channel {} in cycle {}, expected those that are "
                      "listened to",
                      platform, i, row.cycle));
    }
    may_stop |= outputs[i].stops;
  }
  if (row.stopped ? !may_stop : is_last) {
    throw std::runtime_error(
        fmt::format("{}: found that the target {} after cycle {}, expected "
                    "the contrary",
                    platform, row.stopped ? "stops" : "goes on", row.cycle));
  }
}

}  // namespace firesim::hostlib
