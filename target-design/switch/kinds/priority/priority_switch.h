// SPDX-License-Identifier: BSD-3-Clause
//
// A switch with eight classes: each has a queue at each output port, congestion is marked in IP
// frames (ECN), and priority pause (IEEE 802.1Qbb) keeps classes from loss. It stores and forwards.
//
// What happens in one cycle, in this order; how time is cut into batches changes nothing:
//  1. A frame whose final flit left in the cycle before gives back its room. A class of which as
//  few
//     bytes wait as `xon_bytes` lets its sender go on, by a pause frame of time 0.
//  2. A pause frame whose final flit came in the cycle before acts: on what begins to leave from
//  now
//     on, for as many times of 512 bits at the speed of the port.
//  3. Frames stamped now are put into queues, by input port. The stamp is the cycle of the final
//  flit
//     plus the switching latency. A frame of a paused class from a port whose far end obeys has its
//     room with the input port, `xoff_bytes` and `headroom_bytes` of each class; any other frame
//     with the output port. One without room is dropped. Of a class above `xoff_bytes` the sender
//     is paused, for the longest time there is, and again when half of it is over.
//  4. A port that is free begins a frame: one of pause, else of a class that is not paused.
//
// Where a class is paused without a break for `watchdog_cycles` while frames of it wait, the run
// ends, by an exception: either pauses wait for each other in a circle, or nothing is taken.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/model.h"
#include "core/state.h"
#include "switch/capture.h"
#include "switch/kinds/priority/settings.h"
#include "switch/mac_table.h"
#include "switch/packet.h"
#include "switch/port_statistics.h"
#include "switch/switch_config.h"

namespace firesim::priority {

// Of one class at one port.
struct ClassCounters {
  uint64_t packets_out = 0;
  uint64_t ecn_marked = 0;   // into this queue
  uint64_t pauses_sent = 0;  // to the far end: frames that stop it
  uint64_t resumes_sent = 0;
  uint64_t pauses_received = 0;  // frames about this class, of any time
  uint64_t paused_cycles = 0;    // that this port was paused
  uint64_t dropped = 0;          // that were to leave here, for want of room
  uint64_t peak_bytes = 0;       // waiting to leave here
  uint64_t peak_in_bytes = 0;    // waiting, of those that came in here
};

// All of them, by their names in statistics; in a snapshot in this order.
inline constexpr std::pair<const char *, uint64_t ClassCounters::*> kClassCounters[] = {
    {"packets_out", &ClassCounters::packets_out},
    {"ecn_marked", &ClassCounters::ecn_marked},
    {"pauses_sent", &ClassCounters::pauses_sent},
    {"resumes_sent", &ClassCounters::resumes_sent},
    {"pauses_received", &ClassCounters::pauses_received},
    {"paused_cycles", &ClassCounters::paused_cycles},
    {"dropped", &ClassCounters::dropped},
    {"peak_bytes", &ClassCounters::peak_bytes},
    {"peak_in_bytes", &ClassCounters::peak_in_bytes}};

class PrioritySwitch final : public Model {
 public:
  PrioritySwitch(SwitchConfig config, Fields &settings);
  ~PrioritySwitch() override;

  uint32_t port_count() const override { return static_cast<uint32_t>(config_.ports.size()); }
  void advance(uint64_t start_cycle, uint32_t cycles, std::span<Batch> inputs,
               std::span<Batch> outputs) override;
  void finish(uint64_t end_cycle) override;
  nlohmann::json statistics() const override;

  PortCounters counters(uint32_t port) const { return ports_.at(port).counters; }
  ClassCounters counters(uint32_t port, uint32_t one_class) const;

  std::optional<std::string> can_save() const override { return std::nullopt; }
  std::string fingerprint() const override;
  void save(StateWriter &state) const override;
  void load(StateReader &state, uint64_t cycle) override;
  void start_at(uint64_t cycle) override;

 private:
  using Flits = std::shared_ptr<const std::vector<uint64_t>>;
  struct Queued {
    Flits flits;
    uint32_t ingress = 0;
    uint32_t one_class = 0;
    uint64_t stamp = 0;           // 0 for a frame of pause that this switch has made
    bool has_input_room = false;  // its room is with the input port
    bool is_pause = false;
    uint64_t bytes() const { return flits->size() * kFlitBytes; }
  };
  struct Class {
    std::deque<Queued> queue;                    // to leave here
    uint64_t bytes = 0;                          // of them, with the one that is leaving
    uint64_t in_bytes = 0;                       // of those that came in here
    bool is_off = false;                         // the far end has been paused
    uint64_t refresh = 0;                        // when it is told again
    uint64_t paused_from = 0, paused_until = 0;  // this port is paused in these cycles
    uint64_t blocked_since = UINT64_MAX;         // paused while frames wait
    uint64_t ecn_frames = 0;                     // that could be marked, so far
    ClassCounters counters;
  };
  struct Port {
    std::vector<uint64_t> assembly;  // of a frame that is coming in; no more than is allowed
    uint64_t assembly_flits = 0;
    std::array<Class, kClasses> classes;
    std::deque<Queued> control;  // pause frames to be sent
    std::optional<Queued> current;
    uint32_t sent_flits = 0;
    uint64_t next_cycle = 0;  // first in which a flit may leave
    uint64_t window = 0;      // of the rate limit
    uint32_t window_flits = 0;
    uint64_t release_at = UINT64_MAX;  // the cycle after the current frame's final flit
    uint32_t last_class = kClasses - 1;
    uint64_t lossy_bytes = 0;  // of frames whose room is with the output port
    PortCounters counters;
  };
  using Order = std::pair<uint64_t, uint32_t>;  // cycle, port

  // --- priority_switch.cc: frames come in, and are put into queues ---
  void receive(uint32_t port, const Batch &batch);
  void end_frame(uint32_t port, uint64_t last_cycle);
  void forward(Order order, const Flits &flits);
  void enqueue(uint32_t port, Order order, uint32_t one_class, Flits flits);
  bool take_room(uint32_t port, const Queued &frame);
  Flits marked(uint32_t port, uint32_t one_class, Flits flits);
  void capture(bool is_inbound, uint32_t port, uint64_t cycle, const std::vector<uint64_t> &flits,
               Order order);
  void write_statistics() const;

  // --- priority_queues.cc: what happens in a cycle, and frames leave ---
  uint64_t next_event() const;
  void step(uint64_t cycle);
  void release(uint32_t port, uint64_t cycle);
  void obey(uint32_t port, uint64_t cycle, const PriorityPause &pause);
  void tell(uint32_t port, uint32_t one_class, uint64_t cycle, bool stop);
  void refresh(uint32_t port, uint64_t cycle);
  void begin_frame(uint32_t port, uint64_t cycle);
  void send(uint32_t port);
  uint64_t next_begin(const Port &port) const;
  void watch(uint32_t port, uint64_t cycle);
  uint64_t quantum_cycles(uint32_t port) const;
  static bool is_paused(const Class &one, uint64_t cycle) {
    return cycle >= one.paused_from && cycle < one.paused_until;
  }
  nlohmann::json waits() const;

  // --- priority_state.cc ---
  void save_port(const Port &port, StateWriter &state) const;
  void load_port(uint32_t number, StateReader &state, uint64_t cycle);
  Queued load_frame(StateReader &state) const;

  const SwitchConfig config_;
  const PrioritySettings settings_;
  const uint64_t max_flits_;
  const uint64_t draws_;  // what the chances of marks begin with
  const MacTable table_;
  std::vector<Port> ports_;
  std::map<Order, Flits> stamped_;         // by stamp and input port
  std::map<Order, PriorityPause> pauses_;  // by the cycle in which they act
  std::vector<uint32_t> destinations_;     // scratch
  std::unique_ptr<ThroughputLog> throughput_;
  std::unique_ptr<PacketCapture> capture_;
  bool statistics_written_ = false;
  std::span<Batch> outputs_;  // of the present advance
  uint64_t start_cycle_ = 0, end_cycle_ = 0;
  uint64_t now_ = 0;  // all before has happened
};

}  // namespace firesim::priority
