// SPDX-License-Identifier: BSD-3-Clause
//
// The store-and-forward switch, and the class to derive one's own switch from.
//
// What it does, cycle by cycle; how time is cut into batches changes nothing:
//  1. The flits arriving on a port form packets. A packet is complete in the cycle its final flit
//     arrives. Runts (fewer than `min_packet_flits`) and oversized packets are dropped.
//  2. Its stamp is that cycle plus the switching latency. Packets are forwarded in the order of
//     (stamp, input port, arrival number), each in the cycle of its stamp.
//  3. Group addresses go to all ports but the one it came from; a known address to its port; an
//     unknown one to the default port, or nowhere. Nothing ever goes back where it came from.
//  4. A packet that does not fit into the output queue of a port is dropped there. It takes its
//     bytes from its stamp until the cycle its final flit leaves, that cycle included. One that is
//     forwarded while it arrives takes room for the longest packet.
//  5. Each port sends its queue in order, one flit a cycle, within its rate limit, from the stamp
//     on: so a packet of one flit is in the switch for exactly the switching latency.
//
// To make a switch of your own, derive from this class and override one of the protected virtual
// functions, or derive from `Model` for something wholly different. See kinds/cut_through, and
// docs/how-to/write-a-switch.md.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/model.h"
#include "switch/capture.h"
#include "switch/mac_table.h"
#include "switch/packet.h"
#include "switch/port_statistics.h"
#include "switch/ring_queue.h"
#include "switch/switch_config.h"

namespace firesim {

class StoreAndForwardSwitch : public Model {
 public:
  explicit StoreAndForwardSwitch(SwitchConfig config);
  ~StoreAndForwardSwitch() override;

  uint32_t port_count() const override { return static_cast<uint32_t>(config_.ports.size()); }
  void advance(uint64_t start_cycle, uint32_t cycles, std::span<Batch> inputs,
               std::span<Batch> outputs) override;
  void finish(uint64_t end_cycle) override;
  nlohmann::json statistics() const override;
  std::optional<QueueStatus> queue_status() const override;

  PortCounters counters(uint32_t port) const;

  // A switch of your own that keeps state of its own overrides `save` and `load`: call those of the
  // base class, then add a section.
  std::optional<std::string> can_save() const override { return std::nullopt; }
  std::string fingerprint() const override;
  void save(StateWriter &state) const override;
  void load(StateReader &state, uint64_t cycle) override;
  void start_at(uint64_t cycle) override;

 protected:
  const SwitchConfig &config() const { return config_; }

  // Where a packet goes: appends output ports to `outputs`, never `packet.ingress`. Returns false
  // if the destination is unknown, which is counted. Called once per packet, in order of stamps.
  virtual bool route(const Packet &packet, std::vector<uint32_t> &outputs);

  // Whether packets are forwarded from their first flit on, not their last. The base class then
  // sends every flit as soon as it is there, its arrival being delayed by the switching latency.
  virtual bool forwards_at_first_flit() const { return false; }

 private:
  // A packet of which the final flit has not arrived yet, on an input port.
  struct Assembly {
    Packet *packet = nullptr;  // none while all of it is in the present batch, or it is too long
    uint64_t flits = 0;        // before the present batch; when streaming, so far
  };
  struct Queued {
    Packet *packet = nullptr;
    uint32_t sent = 0;  // flits
  };
  struct OutputQueue {
    RingQueue<Queued> packets;
    uint64_t bytes = 0;                    // room taken, which a cut-through switch reserves
    uint64_t room_bytes = 0;               // for more than that there is no room
    uint64_t held_bytes = 0;               // flits that are there, as of `count_held`
    uint64_t whole_bytes = 0;              // of them, those of packets that have arrived whole
    std::vector<const Packet *> arriving;  // the others, with segments
    bool rate_limited = false;
    uint64_t next_cycle = 0;    // first cycle in which the port may send
    uint64_t window = 0;        // of the rate limit
    uint32_t window_flits = 0;  // sent in it
  };
  struct Pending {
    uint64_t stamp = 0;
    Packet *packet = nullptr;
  };
  struct Due {
    uint64_t order = 0;  // stamp and input port in one number
    Packet *packet = nullptr;
  };

  // What is left of an input batch, and the part before it of a packet that has not ended.
  struct Arrival {
    uint32_t port = 0;
    uint32_t flits = 0;  // of the packet, contiguous, from `first` on
    const uint64_t *first = nullptr;
    FlitBuffer *buffer = nullptr;
    const Run *next = nullptr;
    const Run *end = nullptr;
  };

  void receive_all(std::span<Batch> inputs, uint64_t end_cycle);
  void start_receiving(uint32_t port, const Batch &batch);
  void receive_store(Arrival &arrival, uint64_t end_cycle);
  void hold_part(uint32_t port, const uint64_t *data, uint32_t flits);
  void end_packet(uint32_t port, uint64_t last_cycle, const uint64_t *data, uint32_t flits,
                  FlitBuffer *buffer);
  void receive_streaming(Arrival &arrival, uint64_t end_cycle);
  void stream_run(uint32_t port, uint64_t cycle, const Run &run);
  bool count_and_check(uint32_t port, uint64_t flits);
  void add_pending(Packet *packet, uint64_t stamp);
  void forward_until(uint64_t end_cycle);
  void forward(Packet *packet);
  void enqueue(uint32_t port, Packet *packet);
  void send_until(uint32_t port, uint64_t end_cycle);
  static uint32_t flits_ready(const Packet &packet, uint32_t sent, uint64_t &cycle);
  uint32_t rate_allowance(uint32_t port, uint64_t &cycle, uint32_t flits);
  static uint64_t flits_there(const Packet &packet, uint64_t cycle);
  void hold(uint32_t port, const Packet &packet);
  void count_held(uint32_t port, uint64_t cycle);
  void packet_sent(uint32_t port);
  void show_queues();
  void write_statistics() const;
  void write_histograms() const;

  // --- switch_state.cc ---
  std::vector<Pending> pending_in_order() const;
  std::vector<const Packet *> held_packets() const;
  std::vector<Packet *> load_packets(StateReader &state);
  void load_port(uint32_t port, StateReader &state, const std::vector<Packet *> &packets,
                 uint64_t cycle);
  void check_first(uint32_t port, const StateReader &state, uint64_t cycle);
  void load_histograms(StateReader &state, uint64_t cycle);

  const SwitchConfig config_;
  const uint64_t max_packet_flits_;
  const MacTable table_;
  PacketPool pool_;
  std::vector<PortCounters> counters_;
  std::unique_ptr<ThroughputLog> throughput_;
  std::unique_ptr<QueueHistograms> histograms_;
  std::unique_ptr<PacketCapture> capture_;
  bool statistics_written_ = false;

  std::vector<Arrival> arrivals_;       // input batches not wholly received; scratch
  std::vector<Assembly> assemblies_;    // per input port
  std::vector<OutputQueue> queues_;     // per output port
  std::vector<uint32_t> busy_ports_;    // output ports with something in the queue
  std::vector<char> is_busy_;           // the same, per port
  std::vector<Pending> pending_;        // stamped, not forwarded yet
  uint64_t next_stamp_ = UINT64_MAX;    // the least of them
  std::vector<Due> due_;                // scratch
  std::vector<uint32_t> destinations_;  // scratch
  std::span<Batch> outputs_;            // of the present advance
  uint64_t start_cycle_ = 0;
  uint64_t end_cycle_ = 0;                // of the last advance
  std::atomic<uint64_t> shown_bytes_{0};  // read by others, see `queue_status`
  std::atomic<double> shown_fullest_{0};
};

}  // namespace firesim
