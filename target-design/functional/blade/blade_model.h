// SPDX-License-Identifier: BSD-3-Clause
// The class behind functional_blade.h, for the warm start, which looks into it.
#pragma once

#include <memory>
#include <string>

#include "core/debug_target.h"
#include "core/model.h"
#include "devices/nic_settings.h"
#include "functional/blade/bus.h"
#include "functional/blade/debug_view.h"
#include "functional/blade/hart_group.h"
#include "functional/blade/settings.h"

namespace firesim::functional {

// What a saved blade was made with.
struct Shape {
  uint32_t harts = 1;
  uint32_t cycles_per_instruction = 1;
  uint32_t quantum_cycles = 1;
  std::string parts;  // what is unusual about them
  HartFeatures features;
  uint32_t address_bits = 32;

  static Shape load(StateReader &state);
};

class FunctionalBlade final : public Model, public Debuggable {
 public:
  FunctionalBlade(const nlohmann::json &node, const SimulationContext &context);
  ~FunctionalBlade() override;

  uint32_t port_count() const override { return static_cast<uint32_t>(settings_.count("nic")); }
  bool ports_may_be_open() const override { return port_count() > 1; }
  void advance(uint64_t start_cycle, uint32_t cycles, std::span<Batch> inputs,
               std::span<Batch> outputs) override;
  std::optional<std::string> can_save() const override { return std::nullopt; }
  std::string fingerprint() const override;
  void save(StateWriter &state) const override;
  void load(StateReader &state, uint64_t cycle) override;
  void finish(uint64_t end_cycle) override;
  nlohmann::json statistics() const override;
  DebugTarget &debug_target(const nlohmann::json &map) override;

  // For a warm start: `load`, after Shape::load has read the shape.
  void load_rest(StateReader &state, uint64_t cycle);
  // Runs so many cycles without a link, from cycle() on, which all harts have reached or wait in.
  void run_alone(uint64_t cycles);
  uint64_t cycle() const { return quantum_start_; }
  HartGroup &harts() { return harts_; }
  Bus &bus() { return bus_; }
  Settings &settings() { return settings_; }
  const devices::Announcer &announcer(size_t port) const { return announcers_[port]; }
  const devices::BladeEnd &blade_end() const { return blade_end_; }
  bool deterministic() const { return deterministic_; }

 private:
  Dram dram() const {
    return {settings_.memory->base(), settings_.memory->size_bytes(), settings_.memory->data(),
            settings_.address_bits};
  }
  void make_harts();
  void observe();
  void look_at_terminal();
  void run_quanta();
  void run_quantum();
  void run_harts(uint64_t end);
  void run_hart(uint32_t index, uint64_t end);
  void end_at_stale_fetch();  // where a fence.i is missing, if that is looked for
  void end_devices();
  uint64_t next_event() const;
  void send(std::span<Batch> outputs);
  void load_traces(StateReader &state);

  Settings settings_;
  devices::BladeEnd blade_end_;
  std::vector<devices::Announcer> announcers_;  // of each NIC
  HartGroup harts_;
  DeviceMemory memory_;
  Bus bus_;
  uint64_t cycle_ = 0;          // the next call of `advance` starts here
  uint64_t quantum_start_ = 0;  // the first quantum that has not run
  bool waiting_ = false;        // all harts wait
  uint64_t next_look_ = 0;      // at the terminal
  bool deterministic_ = true;
  std::unique_ptr<DebugView> debug_;  // null unless somebody debugs it
};

}  // namespace firesim::functional
