// SPDX-License-Identifier: BSD-3-Clause
//
// A run for a debugger: it goes on when the debugger says so, and stops where it said. While it
// stops, the whole simulation stands still, as it has one thread (docs/reference/interfaces/
// debugging.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "core/debug_link.h"
#include "core/debug_target.h"

namespace firesim {

class DebugSession final : public StepListener {
 public:
  // Connects to the debugger. Throws DescriptionError. The target outlives the session.
  DebugSession(DebugTarget &target, const std::filesystem::path &socket);

  // Before the first cycle, `cycle`: returns when the run may begin.
  void begin(uint64_t cycle);
  void stepped(const DebugStep &step) override;
  void between(DebugPosition position, uint64_t cycle) override;
  // The run is over, with this result: serves the debugger until that is gone.
  [[noreturn]] void over(const nlohmann::json &result);

 private:
  struct Watch {
    uint64_t address;  // physical
    std::vector<uint8_t> bytes;
  };
  // What the run goes on to.
  struct Order {
    DebugPosition until_position = kNever;
    uint64_t until_cycle = kNever;
    std::optional<uint32_t> hart;  // any step of it
    std::unordered_set<uint64_t> breakpoints;
    std::vector<Watch> watches;
    bool search = false;     // does not stop at steps and breakpoints, but notes the last one
    bool inclusive = false;  // of a search: one at `until_position` counts

    bool looks_at_steps() const { return hart || !breakpoints.empty() || !watches.empty(); }
  };

  nlohmann::json event(const char *why) const;
  const char *reason(const DebugStep &step, bool at_end);
  bool has_changed(Watch &watch);
  void poll();
  void stop(const nlohmann::json &answer);
  void serve();
  void obey(const nlohmann::json &command);
  void read_memory(const nlohmann::json &command);
  void make_copy(const nlohmann::json &command);
  void go(const nlohmann::json &command);

  DebugTarget &target_;
  DebugLink link_;
  Order order_;
  bool going_ = false;
  bool is_over_ = false;
  nlohmann::json facts_;  // of the result
  nlohmann::json found_;  // the last that a search has noted
  DebugStep now_{};
  uint64_t changed_address_ = 0;  // of the watch that has just changed
  uint32_t steps_to_poll_ = 1;
};

}  // namespace firesim
