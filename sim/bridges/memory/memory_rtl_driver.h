// SPDX-License-Identifier: BSD-3-Clause
// Memory bridge driver of a target whose memory is RTL on its platform (rtl/memory_host.sv): it
// sets the registers, loads the memory and reports, and takes no tokens. Configured as MemoryDriver
// is.
#pragma once

#include <memory>
#include <string>

#include "bridges/driver.h"
#include "bridges/memory/axi_answers.h"
#include "bridges/memory/memory_image.h"
#include "bridges/memory/memory_statistics.h"
#include "bridges/memory/timing_settings.h"
#include "devices/guest_memory.h"
#include "hostlib/bridge_part.h"

namespace firesim::bridges {

class MemoryRtlDriver final : public Driver {
 public:
  // Throws ConfigError for settings that this hardware has no room for.
  explicit MemoryRtlDriver(const DriverContext &context);
  uint64_t exchange(uint64_t) override { return kNever; }
  bool listens() const override { return false; }
  void finish(uint64_t cycle) override;
  // What was counted up to `finish`: the platform may run on, or be gone.
  nlohmann::json statistics() const override { return facts_; }
  void show_inputs() override;
  void examine() override { throw_fault(); }
  std::string why_not_saved() const override;
  void load(StateReader &state) override;

 private:
  void check_limits(const AxiLimits &limits) const;
  void serve_memory();
  void set_up(const TimingSettings &settings, const AxiLimits &limits, uint64_t reset_cycles);
  void wait_for_target() const;
  uint64_t fault() const;
  void throw_fault() const;
  nlohmann::json counted() const;
  DirectionCounts direction(uint32_t first) const;

  AxiAnswers answers_;
  const std::string where_;
  hostlib::BridgePart &part_;
  std::unique_ptr<GuestMemory> memory_;
  std::filesystem::path statistics_file_;
  nlohmann::json facts_;  // null until `finish`
  MemoryImage image_;
};

}  // namespace firesim::bridges
