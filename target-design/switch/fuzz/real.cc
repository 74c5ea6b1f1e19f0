// SPDX-License-Identifier: BSD-3-Clause
//
// Runs a fuzz case through the real scheduler, links and switches.
#include "switch/fuzz/real.h"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "core/scheduler.h"
#include "switch/kinds/cut_through/cut_through.h"
#include "switch/store_and_forward.h"

namespace firesim::fuzz {

namespace {

// Sends given flits in given cycles and notes what arrives.
class FuzzNode : public Model {
 public:
  FuzzNode(std::string name, const std::vector<TimedFlit> &traffic,
           std::vector<TimedFlit> &received)
      : Model(std::move(name)), traffic_(traffic), received_(received) {}

  uint32_t port_count() const override { return 1; }

  void advance(uint64_t start, uint32_t cycles, std::span<Batch> inputs,
               std::span<Batch> outputs) override {
    FlitCursor cursor(inputs[0]);
    for (uint32_t offset = 0; offset < cycles; ++offset) {
      Flit flit;
      if (cursor.read(offset, flit)) received_.push_back({start + offset, flit});
      if (next_ == traffic_.size() || traffic_[next_].cycle != start + offset) continue;
      outputs[0].append_flit(offset, traffic_[next_].flit.data, traffic_[next_].flit.last);
      ++next_;
    }
  }

 private:
  const std::vector<TimedFlit> &traffic_;
  std::vector<TimedFlit> &received_;
  size_t next_ = 0;
};

std::string describe(const std::vector<TimedFlit> &flits, size_t index) {
  if (index >= flits.size()) return "nothing more";
  const TimedFlit &one = flits[index];
  return "data " + std::to_string(one.flit.data) + (one.flit.last ? " (last)" : "") + " in cycle " +
         std::to_string(one.cycle);
}

}  // namespace

Outcome simulate_real(const FuzzCase &fuzz_case) {
  Outcome outcome;
  outcome.received.resize(fuzz_case.traffic.size());
  SchedulerOptions options;
  options.threads = fuzz_case.threads;
  options.batch_cycles = fuzz_case.batch_cycles;
  options.random_batch_seed = fuzz_case.random_batch_seed;
  options.max_cycles = fuzz_case.cycles;
  Scheduler scheduler(options);
  std::vector<std::unique_ptr<StoreAndForwardSwitch>> switches;
  for (const CaseSwitch &device : fuzz_case.switches) {
    if (device.cut_through) {
      switches.push_back(std::make_unique<CutThroughSwitch>(device.config));
    } else {
      switches.push_back(std::make_unique<StoreAndForwardSwitch>(device.config));
    }
    scheduler.add_model(*switches.back(), false);
  }
  std::vector<std::unique_ptr<FuzzNode>> nodes;
  for (size_t i = 0; i < fuzz_case.traffic.size(); ++i) {
    nodes.push_back(std::make_unique<FuzzNode>("node" + std::to_string(i), fuzz_case.traffic[i],
                                               outcome.received[i]));
    scheduler.add_model(*nodes.back(), true);
  }
  for (size_t i = 0; i < fuzz_case.links.size(); ++i) {
    const CaseLink &link = fuzz_case.links[i];
    scheduler.connect("link" + std::to_string(i), link.model_a, link.port_a, link.model_b,
                      link.port_b, link.latency_cycles);
  }
  const RunResult result = scheduler.run();
  if (result.reason != "max_cycles" || result.end_cycle != fuzz_case.cycles) {
    throw std::runtime_error("the run ended with \"" + result.reason + "\": " + result.message);
  }
  for (size_t i = 0; i < switches.size(); ++i) {
    std::vector<PortCounters> &counters = outcome.counters.emplace_back();
    for (uint32_t port = 0; port < switches[i]->port_count(); ++port) {
      counters.push_back(switches[i]->counters(port));
    }
  }
  return outcome;
}

std::string difference(const Outcome &real, const Outcome &reference) {
  for (size_t node = 0; node < reference.received.size(); ++node) {
    const std::vector<TimedFlit> &a = real.received[node];
    const std::vector<TimedFlit> &b = reference.received[node];
    if (a == b) continue;
    size_t index = 0;
    while (index < a.size() && index < b.size() && a[index] == b[index]) ++index;
    return "node " + std::to_string(node) + ", flit " + std::to_string(index) + ": received " +
           describe(a, index) + ", expected " + describe(b, index);
  }
  for (size_t device = 0; device < reference.counters.size(); ++device) {
    for (size_t port = 0; port < reference.counters[device].size(); ++port) {
      nlohmann::json a = real.counters[device][port].to_json();
      nlohmann::json b = reference.counters[device][port].to_json();
      // What was dropped has no length yet when it is forwarded from its first flit on.
      a.erase("dropped_queue_full_bytes");
      b.erase("dropped_queue_full_bytes");
      if (a == b) continue;
      return "switch " + std::to_string(device) + ", port " + std::to_string(port) + ": counted " +
             a.dump() + ", expected " + b.dump();
    }
  }
  return "";
}

}  // namespace firesim::fuzz
