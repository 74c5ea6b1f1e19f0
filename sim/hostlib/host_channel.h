// SPDX-License-Identifier: BSD-3-Clause
// A channel of a target as its host sees it: ports of the target, side by side in the words of a
// token.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/firesim_engine.h"

namespace firesim::hostlib {

using Words = std::vector<uint64_t>;  // of a token, lowest bits first

struct HostChannel {
  struct Field {
    FiresimPort port;  // the value lies here
    uint32_t low_bit;
    bool wakes;  // an output that wakes a driver when it is not 0
  };

  std::string name;
  bool is_input;  // host to target
  uint32_t width_bits;
  std::vector<Field> fields;
  // Of an output channel: a driver listens to it; it may answer in the next cycle, so that the
  // target has to wait.
  bool listened = false;
  bool stops = false;
  // Of one that is listened to: a gate decides of which of its tokens the host is told, in the last
  // cycle of a run, too.
  bool gated = false;

  size_t words() const { return (width_bits + 63) / 64; }
  // The parts of a token that are sent when they differ, 32 bits each, the lowest ones first.
  size_t pieces() const { return (width_bits + 31) / 32; }
  // The token of what the ports hold.
  void pack(Words &token) const;
  // Puts a token into the ports.
  void unpack(const uint64_t *token) const;
  // Puts 0 where a driver would be woken: the host was not told of this channel.
  void clear_wakes() const;
};

}  // namespace firesim::hostlib
