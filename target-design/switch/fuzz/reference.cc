// SPDX-License-Identifier: BSD-3-Clause
//
// The slow, obvious reference model.
#include "switch/fuzz/reference.h"

#include <deque>
#include <list>
#include <memory>

namespace firesim::fuzz {

namespace {

struct RefPacket {
  std::vector<Flit> flits;
  std::vector<uint64_t> may_leave;  // cycle from which each flit may leave
  bool whole = false;
  size_t ingress = 0;
  uint64_t stamp = 0;
  uint64_t room = 0;  // bytes it takes in a queue
};
using RefPacketPointer = std::shared_ptr<RefPacket>;

struct RefInput {
  std::vector<Flit> arrived;  // of the packet now arriving
  RefPacketPointer open;      // the same when it is forwarded at once
};

struct RefOutput {
  std::list<RefPacketPointer> queue;
  size_t sent_of_first = 0;
  uint64_t sent_in_window = 0;
};

class RefSwitch {
 public:
  explicit RefSwitch(const CaseSwitch &device)
      : config_(device.config),
        cut_through_(device.cut_through),
        inputs_(config_.ports.size()),
        outputs_(config_.ports.size()),
        counters_(config_.ports.size()) {}

  void step(uint64_t cycle, const std::vector<Token> &in, std::vector<Token> &out) {
    for (size_t port = 0; port < in.size(); ++port) {
      if (in[port].valid) arrive(cycle, port, in[port].flit);
    }
    for (size_t port = 0; port < in.size(); ++port) forward_from(cycle, port);
    for (size_t port = 0; port < out.size(); ++port) {
      const uint64_t bytes = held(port, cycle);
      if (bytes > counters_[port].peak_queue_bytes) counters_[port].peak_queue_bytes = bytes;
      out[port] = send(cycle, port);
      counters_[port].queue_bytes = held(port, cycle);
    }
  }

  const std::vector<PortCounters> &counters() const { return counters_; }

 private:
  size_t most_flits() const { return config_.max_packet_bytes / 8; }

  void arrive(uint64_t cycle, size_t port, const Flit &flit) {
    RefInput &input = inputs_[port];
    input.arrived.push_back(flit);
    if (cut_through_) arrive_cut_through(cycle, port, flit);
    if (!flit.last) return;
    const std::vector<Flit> flits = std::move(input.arrived);
    input.arrived.clear();
    PortCounters &counters = counters_[port];
    counters.packets_in += 1;
    counters.bytes_in += 8 * flits.size();
    if (flits.size() < config_.min_packet_flits) {
      counters.dropped_runt += 1;
    } else if (flits.size() > most_flits()) {
      counters.dropped_oversize += 1;
    } else if (!cut_through_) {
      auto packet = std::make_shared<RefPacket>();
      packet->flits = flits;
      packet->stamp = cycle + config_.switching_latency_cycles;
      packet->may_leave.assign(flits.size(), packet->stamp);
      packet->whole = true;
      packet->ingress = port;
      packet->room = 8 * flits.size();
      waiting_.push_back(packet);
    }
  }

  void arrive_cut_through(uint64_t cycle, size_t port, const Flit &flit) {
    RefInput &input = inputs_[port];
    if (input.arrived.size() == 1) {
      input.open = std::make_shared<RefPacket>();
      input.open->ingress = port;
      input.open->stamp = cycle + config_.switching_latency_cycles;
      input.open->room = 8 * most_flits();
      waiting_.push_back(input.open);
    }
    if (input.open == nullptr) return;
    input.open->flits.push_back(flit);
    input.open->may_leave.push_back(cycle + config_.switching_latency_cycles);
    if (!flit.last && input.open->flits.size() < most_flits()) return;
    input.open->flits.back().last = true;
    input.open->whole = true;
    input.open = nullptr;
  }

  void forward_from(uint64_t cycle, size_t port) {
    for (auto it = waiting_.begin(); it != waiting_.end();) {
      if ((*it)->stamp != cycle || (*it)->ingress != port) {
        ++it;
        continue;
      }
      forward(*it);
      it = waiting_.erase(it);
    }
  }

  void forward(const RefPacketPointer &packet) {
    const uint64_t first = packet->flits.front().data;
    const bool group = ((first >> 16) & 1) != 0;
    if (group) {
      for (size_t port = 0; port < outputs_.size(); ++port) {
        if (port != packet->ingress) offer(port, packet);
      }
      return;
    }
    for (const MacEntry &entry : config_.mac_table) {
      if (entry.mac != first >> 16) continue;
      if (entry.port == packet->ingress) {
        counters_[packet->ingress].dropped_reflected += 1;
      } else {
        offer(entry.port, packet);
      }
      return;
    }
    if (config_.default_port && *config_.default_port != packet->ingress) {
      offer(*config_.default_port, packet);
    } else {
      counters_[packet->ingress].dropped_unknown_destination += 1;
    }
  }

  uint64_t occupied(size_t port) const {
    uint64_t bytes = 0;
    for (const RefPacketPointer &packet : outputs_[port].queue) bytes += packet->room;
    return bytes;
  }

  void offer(size_t port, const RefPacketPointer &packet) {
    PortCounters &counters = counters_[port];
    const uint64_t bytes = occupied(port) + packet->room;
    if (bytes > config_.ports[port].buffer_bytes) {
      counters.dropped_queue_full += 1;
      return;
    }
    outputs_[port].queue.push_back(packet);
  }

  // Bytes in the queue of a port; of each packet, the flits that could have left by now.
  uint64_t held(size_t port, uint64_t cycle) const {
    uint64_t bytes = 0;
    for (const RefPacketPointer &packet : outputs_[port].queue) {
      for (const uint64_t may_leave : packet->may_leave) bytes += may_leave <= cycle ? 8 : 0;
    }
    return bytes;
  }

  Token send(uint64_t cycle, size_t port) {
    RefOutput &output = outputs_[port];
    if (cycle % config_.ports[port].rate_period == 0) output.sent_in_window = 0;
    if (output.queue.empty()) return {};
    if (output.sent_in_window >= config_.ports[port].rate_increment) return {};
    const RefPacket &packet = *output.queue.front();
    const size_t index = output.sent_of_first;
    if (index >= packet.flits.size() || packet.may_leave[index] > cycle) return {};
    const Token token{true, packet.flits[index]};
    output.sent_in_window += 1;
    output.sent_of_first += 1;
    if (!token.flit.last) return token;
    counters_[port].packets_out += 1;
    counters_[port].bytes_out += 8 * packet.flits.size();
    output.queue.pop_front();
    output.sent_of_first = 0;
    return token;
  }

  const SwitchConfig &config_;
  const bool cut_through_;
  std::vector<RefInput> inputs_;
  std::vector<RefOutput> outputs_;
  std::vector<PortCounters> counters_;
  std::list<RefPacketPointer> waiting_;
};

// One direction of a link: as many tokens as it has cycles of latency.
using Line = std::deque<Token>;

struct Lines {
  Line a_to_b;
  Line b_to_a;
};

}  // namespace

Outcome simulate_reference(const FuzzCase &fuzz_case) {
  const size_t switches = fuzz_case.switches.size();
  const size_t nodes = fuzz_case.traffic.size();
  std::vector<RefSwitch> devices;
  for (const CaseSwitch &device : fuzz_case.switches) devices.emplace_back(device);
  std::vector<Lines> lines;
  for (const CaseLink &link : fuzz_case.links) {
    lines.push_back({Line(link.latency_cycles), Line(link.latency_cycles)});
  }
  std::vector<std::vector<Token>> in(switches + nodes);
  std::vector<std::vector<Token>> out(switches + nodes);
  for (size_t i = 0; i < switches + nodes; ++i) {
    const size_t ports = i < switches ? fuzz_case.switches[i].config.ports.size() : 1;
    in[i].resize(ports);
    out[i].resize(ports);
  }
  Outcome outcome;
  outcome.received.resize(nodes);
  std::vector<size_t> next_flit(nodes);
  for (uint64_t cycle = 0; cycle < fuzz_case.cycles; ++cycle) {
    for (size_t i = 0; i < lines.size(); ++i) {
      const CaseLink &link = fuzz_case.links[i];
      in[link.model_b][link.port_b] = lines[i].a_to_b.front();
      in[link.model_a][link.port_a] = lines[i].b_to_a.front();
      lines[i].a_to_b.pop_front();
      lines[i].b_to_a.pop_front();
    }
    for (size_t i = 0; i < switches; ++i) devices[i].step(cycle, in[i], out[i]);
    for (size_t node = 0; node < nodes; ++node) {
      const Token &token = in[switches + node][0];
      if (token.valid) outcome.received[node].push_back({cycle, token.flit});
      const std::vector<TimedFlit> &traffic = fuzz_case.traffic[node];
      size_t &next = next_flit[node];
      Token &sent = out[switches + node][0];
      sent = {};
      if (next < traffic.size() && traffic[next].cycle == cycle) {
        sent = {true, traffic[next++].flit};
      }
    }
    for (size_t i = 0; i < lines.size(); ++i) {
      const CaseLink &link = fuzz_case.links[i];
      lines[i].a_to_b.push_back(out[link.model_a][link.port_a]);
      lines[i].b_to_a.push_back(out[link.model_b][link.port_b]);
    }
  }
  for (const RefSwitch &device : devices) outcome.counters.push_back(device.counters());
  return outcome;
}

}  // namespace firesim::fuzz
