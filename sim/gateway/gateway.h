// SPDX-License-Identifier: BSD-3-Clause
//
// A door between the target's network and the host: kind "gateway"
// (docs/reference/interfaces/gateway.md).
//
// A node with one port, like a NIC's. Whole frames from the target go to the host side; what the
// host has for the target is taken in cycles that are multiples of `poll_cycles`, waits in a
// bounded queue and leaves at one flit a cycle. What does not fit is dropped and counted, as on any
// network.
//
// Time. The protocols the gateway speaks with the target (TCP retransmissions, ARP, reassembly) run
// on target time, so that they do not notice how fast the simulation is; whatever has to do with
// the host alone runs on wall time. With a `real_time_ratio`, target time passes at most that many
// times as fast as wall time while somebody is connected: an advance sleeps, at most kMostSleepS.
// What was lost to a slow simulation is not caught up.
//
// Until something from outside has entered, all the gateway does depends on the target alone.
//
// Snapshots keep the frames on their way through the queues. The host side cannot be kept: after a
// restore it starts empty, so connections are gone, and ports given as 0 are other ones.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "core/registry.h"
#include "core/state.h"
#include "gateway/host_side.h"

namespace firesim {

class Gateway final : public Model {
 public:
  // Opens the host side and writes the status file. Throws DescriptionError.
  explicit Gateway(const GatewayConfig &config);

  uint32_t port_count() const override { return 1; }
  void advance(uint64_t start_cycle, uint32_t cycles, std::span<Batch> inputs,
               std::span<Batch> outputs) override;
  bool counts_for_end() const override { return false; }
  nlohmann::json statistics() const override;

  std::optional<std::string> can_save() const override { return std::nullopt; }
  std::string fingerprint() const override;
  void save(StateWriter &state) const override;
  void load(StateReader &state, uint64_t cycle) override;
  void start_at(uint64_t) override {}  // the first advance says where it starts

 private:
  using Clock = std::chrono::steady_clock;

  struct Outgoing {
    uint64_t ready_cycle = 0;
    std::vector<uint64_t> flits;
  };
  struct Anchor {
    uint64_t cycle = 0;
    Clock::time_point wall;
  };

  void throttle(uint64_t cycle);
  void take(const Run &run);
  void deliver(uint64_t cycle, Batch &output);
  void look_before(uint64_t cycle, Batch &output);
  void send_before(uint64_t cycle, Batch &output);
  void enqueue(FrameBytes frame);
  uint64_t nanoseconds(uint64_t cycle) const;
  bool is_deterministic() const { return was_deterministic_ && host_->is_deterministic(); }

  const GatewayConfig config_;
  std::unique_ptr<HostSide> host_;
  std::optional<uint64_t> next_look_;  // unknown before the first advance
  uint64_t now_cycle_ = 0;             // of the event the host side is told of

  std::vector<uint64_t> arriving_;  // frame from the target, as far as it has come
  bool arriving_is_too_long_ = false;

  std::deque<Outgoing> queue_;
  uint64_t queue_bytes_ = 0;
  uint32_t sent_flits_ = 0;  // of the first in the queue
  uint64_t next_send_cycle_ = 0;

  bool was_deterministic_ = true;  // in the run a snapshot came from
  std::optional<Anchor> anchor_;   // while somebody is connected
  double throttled_s_ = 0;

  uint64_t frames_from_target_ = 0;
  uint64_t frames_to_target_ = 0;
  uint64_t dropped_from_target_ = 0;  // not for the gateway, too short or too long
  uint64_t dropped_to_target_ = 0;    // no room
};

std::unique_ptr<Model> make_gateway(const nlohmann::json &entry, const SimulationContext &context);

}  // namespace firesim
