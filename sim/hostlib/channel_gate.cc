// SPDX-License-Identifier: BSD-3-Clause
// Programs a trigger in RTL; see channel_gate.h.
#include "hostlib/channel_gate.h"

#include <algorithm>

#include "hostlib/registers.h"

namespace firesim::hostlib {
namespace {

// Addresses within a gate, of words (rtl/firesim_gate.v).
constexpr uint32_t kStart = 0, kStartMask = 2, kStop = 4, kStopMask = 6, kControl = 8;
constexpr uint32_t kGating = 1, kOpen = 2;

}  // namespace

uint32_t ChannelGate::count(HostPlatform &platform) { return platform.read(kGates); }

void ChannelGate::write(uint32_t at, uint32_t value) {
  platform_.write(kGateAt, number_ << 8 | at);
  platform_.write(kGateValue, value);
}

bool ChannelGate::close_around(const GateSetting &setting) {
  const auto port = std::find(match_.begin(), match_.end(), setting.port);
  if (port == match_.end()) return false;
  const auto wide = [this](uint32_t at, uint64_t value) {
    write(at, static_cast<uint32_t>(value));
    write(at + 1, static_cast<uint32_t>(value >> 32));
  };
  wide(kStart, setting.start.bits);
  wide(kStartMask, setting.start.mask);
  wide(kStop, setting.stop.bits);
  wide(kStopMask, setting.stop.mask);
  const auto field = static_cast<uint32_t>(port - match_.begin());
  write(kControl, field << 8 | (setting.open ? kOpen : 0) | kGating);
  gating_ = true;
  return true;
}

void ChannelGate::pass_all() {
  if (gating_) write(kControl, 0);
  gating_ = false;
}

std::optional<bool> ChannelGate::open() {
  if (!gating_) return std::nullopt;
  platform_.write(kGateAt, number_ << 8 | kControl);
  return (platform_.read(kGateValue) & kOpen) != 0;
}

}  // namespace firesim::hostlib
