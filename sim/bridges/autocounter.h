// SPDX-License-Identifier: BSD-3-Clause
// AutoCounter: samples the model's event counters to a CSV file. The counters live in the model
// and are only read at sampling points, so a running blade pays nothing for them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bridges/counter_window.h"
#include "bridges/driver.h"
#include "bridges/tracerv/trace_port.h"
#include "core/buffered_file.h"
#include "core/now_and_then.h"
#include "traces/trigger.h"

namespace firesim::bridges {

// Keys: interval_cycles, file, trigger. A row says how often each event was true in all cycles
// before `cycle`; with a trigger other than `always` in those that were active, and how many these
// were. Rows come at multiples of the interval while the trigger is active, where it turns on or
// off, and at the end of the run.
class AutoCounter final : public Driver {
 public:
  struct Source {
    std::string name;
    FiresimPort port;
  };

  // `trace_ports` of all harts are watched for triggers on commits.
  // Throws ConfigError when the trigger wants commits and there are no trace ports, or a counter
  // that there is not.
  AutoCounter(const nlohmann::json &config, const std::string &where,
              const SimulationContext &simulation, const std::vector<Source> &sources,
              std::vector<TracePort> trace_ports, BladeStatus &status);

  // The next cycle to call sample() in, kNever when none is known. With a trigger on events it is
  // every cycle.
  uint64_t next_sample() const { return next_sample_; }
  // Between settle() and tick() of `cycle`. It may end the blade.
  void sample(uint64_t cycle);

  bool listens() const override { return trigger_.needs_commits(); }
  // Woken by commits.
  uint64_t exchange(uint64_t cycle) override {
    for (const TracePort &port : trace_ports_) {
      if (port.valid()) watch(port, cycle);
    }
    return kNever;
  }
  // Writes the last row. The outputs must be those of `cycle`.
  void finish(uint64_t cycle) override;
  bool can_save() const override { return true; }
  void save(StateWriter &state) const override;
  void load(StateReader &state) override;
  void start_warm(WarmStart &start, uint64_t cycle) override;

 private:
  void watch(const TracePort &port, uint64_t cycle);
  bool is_on(uint64_t cycle) const;
  void note(uint64_t cycle);
  void write_row(uint64_t cycle);
  void plan(uint64_t cycle);
  uint64_t next_row(uint64_t cycle) const {
    return (cycle / interval_cycles_ + 1) * interval_cycles_;
  }

  BladeStatus *status_;
  std::vector<OutputPort> counters_;
  std::vector<TracePort> trace_ports_;
  Trigger trigger_;
  std::optional<EventTrigger> events_;   // in place of trigger_
  std::optional<CounterWindow> window_;  // none with `always`
  uint64_t interval_cycles_ = 0;
  uint64_t next_sample_ = kNever;
  uint64_t next_row_ = kNever;  // with a trigger on events
  uint64_t last_row_ = kNever;
  std::unique_ptr<BufferedFile> file_;
  NowAndThen live_;
};

}  // namespace firesim::bridges
