// SPDX-License-Identifier: BSD-3-Clause
// The class behind make_rtl_blade(): rtl_blade.cc makes and runs it, rtl_blade_state.cc saves,
// loads and warm-starts it.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bridges/debug_view.h"
#include "bridges/driver.h"
#include "bridges/driver_registry.h"
#include "bridges/driver_schedule.h"
#include "bridges/hosted_model.h"
#include "bridges/instruments.h"
#include "bridges/manifest.h"
#include "core/model.h"
#include "devices/warm_start.h"

namespace firesim::bridges {

struct PlacedDriver {
  std::string name;  // of its section in the settings
  bool several;      // the blade has more of its kind, or may have
  std::unique_ptr<Driver> driver;
  std::vector<FiresimPort> wakes;  // outputs that wake it
};

class RtlBlade final : public Model, public Debuggable {
 public:
  // `hosted` is null for a model in this process, which `library` is.
  RtlBlade(const std::string &name, Manifest manifest, const std::filesystem::path &library,
           const nlohmann::json &bridge_settings, const DriverRegistry &registry,
           std::optional<uint64_t> port_count, uint64_t reset_cycles,
           std::unique_ptr<HostedModel> hosted, const SimulationContext &context,
           WarmStarter starter);
  ~RtlBlade() override;

  uint32_t port_count() const override { return port_count_; }
  bool ports_may_be_open() const override { return port_count_ > 1; }
  bool counts_for_end() const override;
  void advance(uint64_t start_cycle, uint32_t cycles, std::span<Batch> inputs,
               std::span<Batch> outputs) override;
  void finish(uint64_t end_cycle) override;
  nlohmann::json statistics() const override;
  std::optional<std::string> cannot_debug() const override;
  DebugTarget &debug_target(const nlohmann::json &map) override;
  std::optional<std::string> can_save() const override;
  std::string fingerprint() const override;
  void save(StateWriter &state) const override;
  bool continues(const std::string &kind) const override {
    return kind == kWarmStartKind && starter_ != nullptr && hosted_ == nullptr;
  }
  bool shares_states_with(const std::string &kind) const override {
    return kind == "rtl" || kind == "metasim" || kind == "fpga";
  }
  void load(StateReader &state, uint64_t cycle) override;
  void give_up() override {
    if (hosted_) hosted_->target().give_up();
  }

 private:
  void add_bridges(Config &settings, const SimulationContext &context,
                   const DriverRegistry &registry);
  void set_port_count(std::optional<uint64_t> wanted);
  void add_instruments(Config &settings, const SimulationContext &context);
  template <bool kReset>
  uint32_t run(uint64_t start_cycle, uint32_t offset, uint32_t end);
  void schedule_drivers();
  std::unique_ptr<RtlDebugView> view(const nlohmann::json &map, const std::string &where);
  void show_to_traces();
  const Ports &ports() const { return hosted_ ? hosted_->ports() : model_->ports(); }
  const Ports &with_model(const std::filesystem::path &library);
  std::string engine_name() const;
  // For a target on a platform (rtl_blade_hosted.cc).
  void choose_channels();
  void check_gates() const;
  void drive_ahead(uint64_t start_cycle, uint64_t first_cycle, uint64_t end);
  uint64_t next_observed() const;
  void observe();
  void run_hosted(uint64_t end);
  uint64_t quiet_limit(uint64_t end) const;
  void take_row(uint64_t cycle);
  void advance_hosted(uint64_t start_cycle, uint32_t cycles);
  void keep_up(uint64_t end);
  void load_target(StateReader &state, const std::vector<uint8_t> &model);
  void start_warm(StateReader &state, uint64_t cycle);
  uint64_t run_restore_program(const WarmStart &start, const StateReader &state);
  void end_here(uint64_t cycle);
  void finish_drivers(uint64_t cycle);

  const uint64_t reset_cycles_;
  Manifest manifest_;
  // One of them: a model in this process, or a target on a platform.
  std::optional<ModelInstance> model_;
  std::unique_ptr<HostedModel> hosted_;
  InputQueue inputs_;
  InputPort reset_;
  BladeStatus status_;
  std::vector<PlacedDriver> drivers_;
  std::vector<LinkDriver *> links_;  // by port: the first of drivers_
  // A port without a link driver has a link that nothing in the blade listens to: what arrives is
  // dropped.
  uint32_t port_count_ = 0;
  AutoCounter *counters_ = nullptr;  // one of drivers_
  std::unique_ptr<SignalAccess> signals_;
  std::unique_ptr<WaveWriter> waves_;
  std::unique_ptr<Activity> activity_;
  std::unique_ptr<Capture> capture_;
  std::unique_ptr<RtlDebugView> debug_;  // null unless somebody debugs it
  std::unique_ptr<RtlDebugView> seen_;   // null unless traces look into it
  DriverSchedule schedule_;              // of drivers_
  uint64_t ahead_cycles_ = 0;            // of drivers that ran a restore program
  const nlohmann::json settings_;        // of the bridges
  const SimulationContext context_;
  const WarmStarter starter_;
  uint64_t cycle_ = 0;        // cycles run
  uint64_t next_choice_ = 0;  // in which other channels of a platform are to be listened to
  bool finished_ = false;
  uint64_t host_cycles_ = 0;   // of the platform, at the end
  nlohmann::json warm_start_;  // facts about it; null when there was none
};

}  // namespace firesim::bridges
