// SPDX-License-Identifier: BSD-3-Clause
// Refuses rows that no target tells of; see row_check.h.
#include "hostlib/row_check.h"

#include <fmt/format.h>

#include <bit>
#include <stdexcept>

namespace firesim::hostlib {
namespace {

// The channel of a piece; outputs.size() when there is no such piece.
size_t channel_of(size_t piece, const std::vector<HostChannel> &outputs) {
  size_t channel = 0;
  while (channel < outputs.size() && piece >= outputs[channel].pieces()) {
    piece -= outputs[channel++].pieces();
  }
  return channel;
}

}  // namespace

void check_row(const RowHead &row, uint64_t first, uint64_t limit,
               const std::vector<HostChannel> &outputs, const std::string &platform) {
  if (row.cycle < first || row.cycle >= limit) {
    throw std::runtime_error(fmt::format("{}: found a row of cycle {}, expected {} to {}", platform,
                                         row.cycle, first, limit - 1));
  }
  const bool is_last = row.cycle + 1 == limit;
  bool may_stop = is_last, tells = is_last;
  for (size_t word = 0; word < row.pieces.size(); ++word) {
    for (uint64_t left = row.pieces[word]; left != 0; left &= left - 1) {
      const size_t piece = 64 * word + static_cast<size_t>(std::countr_zero(left));
      const size_t channel = channel_of(piece, outputs);
      if (channel == outputs.size() || !outputs[channel].listened) {
        throw std::runtime_error(
            fmt::format("{}: found piece {} of the tokens in cycle {}, expected those of channels "
                        "that are listened to",
                        platform, piece, row.cycle));
      }
      may_stop |= outputs[channel].stops;
      tells = true;
    }
  }
  if (!tells) {
    throw std::runtime_error(
        fmt::format("{}: found a row without a token in cycle {}, expected "
                    "that only the last one before {} may be so",
                    platform, row.cycle, limit));
  }
  if (row.stopped ? !may_stop : is_last) {
    throw std::runtime_error(
        fmt::format("{}: found that the target {} after cycle {}, expected "
                    "the contrary",
                    platform, row.stopped ? "stops" : "goes on", row.cycle));
  }
}

void check_token(const HostChannel &channel, const Words &token, uint64_t cycle,
                 const std::string &platform) {
  const uint32_t used = channel.width_bits % 64;
  if (used == 0 || token.back() >> used == 0) return;
  throw std::runtime_error(
      fmt::format("{}: found {:#x} at the end of a token of {} in cycle {}, expected {} bits",
                  platform, token.back(), channel.name, cycle, used));
}

}  // namespace firesim::hostlib
