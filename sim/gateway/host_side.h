// SPDX-License-Identifier: BSD-3-Clause
//
// The two ways a gateway reaches the host: what they have in common.
//
// Frames are Ethernet frames from the destination address on, without the two pad bytes of the
// target's wire. Times are target times in nanoseconds since cycle 0.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>

#include "gateway/gateway_config.h"

namespace firesim {

using FrameBytes = std::span<const uint8_t>;
// Takes a frame for the target's network. Called only from within `deliver` and `look`.
using FrameSink = std::function<void(FrameBytes)>;

class HostSide {
 public:
  HostSide() = default;
  HostSide(const HostSide &) = delete;
  HostSide &operator=(const HostSide &) = delete;
  virtual ~HostSide() = default;

  // A frame that the target sent to the gateway, or to everyone.
  virtual void deliver(FrameBytes frame, uint64_t now_ns) = 0;

  // Takes what the host has and does what the time calls for. Never waits.
  virtual void look(uint64_t now_ns) = 0;

  // Whether somebody outside is being served, so that a limit on the speed of target time counts.
  virtual bool is_connected() const = 0;

  // False as soon as anything the target can see came from outside the simulation.
  virtual bool is_deterministic() const = 0;

  // Facts for the status file, and for result.json.
  virtual nlohmann::json status() const = 0;
  virtual nlohmann::json statistics() const = 0;
};

// Opens what the configuration asks for. Throws DescriptionError: a port in use, no such device.
std::unique_ptr<HostSide> open_slirp_host(const GatewayConfig &config, FrameSink to_target);
std::unique_ptr<HostSide> open_tap_host(const GatewayConfig &config, FrameSink to_target);

}  // namespace firesim
