// SPDX-License-Identifier: BSD-3-Clause
// When prints and asserts of the target count: a trigger, asked once for each cycle of interest.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bridges/driver.h"
#include "bridges/tracerv/trace_port.h"
#include "traces/trigger.h"

namespace firesim::bridges {

class Window {
 public:
  // Takes the key `trigger` of `config`; without it the window is always open. `trace_ports` of all
  // harts are watched for triggers on commits, `status` for one that follows the counters.
  // Throws ConfigError when the trigger wants commits and there are no trace ports.
  Window(Config &config, std::vector<TracePort> trace_ports, const TraceStatus &status);

  bool watches_commits() const { return trigger_.needs_commits(); }
  bool never() const { return trigger_.never(); }
  // The cycles in which it can be open.
  CycleRange possible() const { return trigger_.possible(); }

  // Whether it is open in `cycle`. Asked at most once in a cycle, and in each one with a commit
  // where it watches these.
  bool open(uint64_t cycle) {
    if (!trigger_.needs_commits()) return trigger_.active_at(cycle);
    for (const TracePort &port : trace_ports_) {
      if (port.valid()) trigger_.see(cycle, port.pc(), port.instruction());
    }
    return trigger_.on();
  }

  void save(StateWriter &state) const { state.boolean(trigger_.on()); }
  void load(StateReader &state) { trigger_.set_on(state.boolean()); }

 private:
  Trigger trigger_;
  std::vector<TracePort> trace_ports_;
};

}  // namespace firesim::bridges
