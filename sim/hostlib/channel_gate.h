// SPDX-License-Identifier: BSD-3-Clause
// The trigger before an output channel in RTL (rtl/firesim_gate.v): outside its window the host is
// told nothing of the channel.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hostlib/platform.h"

namespace firesim::hostlib {

// A value that has these bits where the mask has ones.
struct GateMatch {
  uint64_t bits = 0;
  uint64_t mask = 0;
};

// What a driver wants to be told of its bridge: tokens between two matches of one output. The first
// one is within, of the last one it is told, too.
struct GateSetting {
  std::string port;  // in the bridge
  GateMatch start, stop;
  bool open = false;  // between them now
};

class ChannelGate {
 public:
  // Number `number` on a platform, which outlives this; it may compare the outputs `match`.
  ChannelGate(HostPlatform &platform, uint32_t number, std::vector<std::string> match)
      : platform_(platform), number_(number), match_(std::move(match)) {}

  // How many a platform has; 0 for a host's side that was built without.
  static uint32_t count(HostPlatform &platform);

  // Both while the target stands. False, with nothing done, for a port that it does not compare.
  bool close_around(const GateSetting &setting);
  void pass_all();
  // Whether the window is open in the cycle that the target stands before; nothing while all pass.
  std::optional<bool> open();

 private:
  void write(uint32_t at, uint32_t value);

  HostPlatform &platform_;
  const uint32_t number_;
  const std::vector<std::string> match_;
  bool gating_ = false;
};

}  // namespace firesim::hostlib
