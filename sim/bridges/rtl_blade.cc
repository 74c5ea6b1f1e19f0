// SPDX-License-Identifier: BSD-3-Clause
// The RTL blade; see rtl_blade.h.
//
// One target cycle t: inputs of t are stored, settle(), the drivers read the outputs of t and set
// the inputs of t + 1, tick(). A link alone has inputs that are only known at t itself.
#include "bridges/rtl_blade.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "bridges/driver.h"
#include "bridges/driver_library.h"
#include "bridges/driver_registry.h"
#include "bridges/instruments.h"
#include "bridges/manifest.h"
#include "bridges/warm_start.h"
#include "core/check.h"

namespace firesim {
namespace bridges {
namespace {

// Most target cycles that a restore program may take.
constexpr uint64_t kMostRestoreCycles = 10'000'000;

struct PlacedDriver {
  std::string name;  // of its section in the settings
  bool several;      // the blade may have more of its kind
  std::unique_ptr<Driver> driver;
};

struct SteppedDriver {
  Driver *driver;
  uint64_t ahead_cycles;  // of its time before that of the tokens, modulo 2^64
};

class RtlBlade final : public Model {
 public:
  RtlBlade(const std::string &name, Manifest manifest, const std::filesystem::path &library,
           const nlohmann::json &bridge_settings, const DriverRegistry &registry,
           std::optional<uint64_t> port_count, const SimulationContext &context,
           WarmStarter starter);
  ~RtlBlade() override;

  uint32_t port_count() const override { return port_count_; }
  bool counts_for_end() const override;
  void advance(uint64_t start_cycle, uint32_t cycles, std::span<Batch> inputs,
               std::span<Batch> outputs) override;
  void finish(uint64_t end_cycle) override;
  nlohmann::json statistics() const override;
  std::optional<std::string> can_save() const override;
  std::string fingerprint() const override;
  void save(StateWriter &state) const override;
  bool continues(const std::string &kind) const override {
    return kind == kWarmStartKind && starter_ != nullptr;
  }
  void load(StateReader &state, uint64_t cycle) override;

 private:
  void add_bridge(const BridgeInfo &bridge, Config &settings, const SimulationContext &context,
                  const DriverRegistry &registry);
  void add_instruments(Config &settings, const SimulationContext &context);
  template <bool kReset>
  uint32_t run(uint64_t start_cycle, uint32_t offset, uint32_t end);
  void list_stepped();
  void start_warm(StateReader &state, uint64_t cycle);
  uint64_t run_restore_program(const StateReader &state);
  void end_here(uint64_t cycle);
  void finish_drivers(uint64_t cycle);

  Manifest manifest_;
  ModelInstance model_;
  InputQueue inputs_;
  InputPort reset_;
  BladeStatus status_;
  std::vector<PlacedDriver> drivers_;
  LinkDriver *link_ = nullptr;  // one of drivers_, the first
  // 1 without a link driver is a link that nothing in the blade listens to: what arrives is
  // dropped.
  uint32_t port_count_ = 0;
  AutoCounter *counters_ = nullptr;  // one of drivers_
  std::unique_ptr<SignalAccess> signals_;
  std::unique_ptr<WaveWriter> waves_;
  std::vector<SteppedDriver> stepped_;  // those of drivers_ that work every cycle
  uint64_t ahead_cycles_ = 0;           // of drivers that ran a restore program
  const nlohmann::json settings_;       // of the bridges
  const SimulationContext context_;
  const WarmStarter starter_;
  uint64_t cycle_ = 0;  // cycles run
  bool finished_ = false;
  nlohmann::json warm_start_;  // facts about it; null when there was none
};

RtlBlade::RtlBlade(const std::string &name, Manifest manifest, const std::filesystem::path &library,
                   const nlohmann::json &bridge_settings, const DriverRegistry &registry,
                   std::optional<uint64_t> port_count, const SimulationContext &context,
                   WarmStarter starter)
    : Model(name),
      manifest_(std::move(manifest)),
      model_(library, manifest_.design_hash, name),
      inputs_(model_.ports().size()),
      reset_(model_port(model_, manifest_.reset, "reset", name), inputs_),
      settings_(bridge_settings),
      context_(context),
      starter_(std::move(starter)) {
  Config settings(bridge_settings, name + ": bridges");
  registry.check(manifest_.bridges, settings, name);
  for (const char *instrument : kInstruments) settings.has(instrument);
  settings.finish();
  for (const BridgeInfo &bridge : manifest_.bridges) {
    add_bridge(bridge, settings, context, registry);
  }
  add_instruments(settings, context);
  list_stepped();
  port_count_ = static_cast<uint32_t>(port_count.value_or(link_ != nullptr ? 1 : 0));
  if (link_ != nullptr && port_count_ == 0)
    throw ConfigError(name + ": port_count is 0, expected 1: it has a NIC");
  reset_.set(1);
}

void RtlBlade::list_stepped() {
  stepped_.clear();
  for (const PlacedDriver &item : drivers_) {
    if (!item.driver->needs_step()) continue;
    const bool ahead = item.driver->restore_role() == RestoreRole::kTakesPart;
    stepped_.push_back({item.driver.get(), ahead ? ahead_cycles_ : 0});
  }
}

// Where no driver can end the blade, its node does not count for the end of the run.
bool RtlBlade::counts_for_end() const {
  return std::any_of(drivers_.begin(), drivers_.end(),
                     [](const PlacedDriver &item) { return item.driver->ends_blade(); });
}

RtlBlade::~RtlBlade() {
  try {
    finish_drivers(cycle_);
  } catch (const std::exception &) {
    // The run is over and has its reason already.
  }
}

void RtlBlade::add_bridge(const BridgeInfo &bridge, Config &settings,
                          const SimulationContext &context, const DriverRegistry &registry) {
  const char *key = bridge.kind.c_str();
  std::unique_ptr<Driver> driver =
      registry.make({bridge, BridgePorts(bridge, model_.ports()), inputs_, status_,
                     settings.child(key), settings.child_where(key), name(), context});
  if (LinkDriver *link = driver->link()) {
    if (link_ != nullptr) {
      throw ConfigError(fmt::format("{}: bridge {} ({}) is the end of a second link, expected one",
                                    name(), bridge.path, bridge.module));
    }
    link_ = link;  // the first one in a saved state
    drivers_.insert(drivers_.begin(), {bridge.kind, bridge.several, std::move(driver)});
    return;
  }
  drivers_.push_back({bridge.kind, bridge.several, std::move(driver)});
}

void RtlBlade::add_instruments(Config &settings, const SimulationContext &context) {
  std::vector<TracePort> traces;
  for (const PlacedDriver &item : drivers_) {
    if (const TracePort *port = item.driver->trace_port()) traces.push_back(*port);
  }
  Instruments made =
      make_instruments(manifest_, model_, settings, context, status_, std::move(traces), name());
  counters_ = made.counters.get();
  signals_ = std::move(made.signals);
  waves_ = std::move(made.waves);
  if (made.asserts) drivers_.push_back({"assert", false, std::move(made.asserts)});
  if (made.counters) drivers_.push_back({"autocounter", false, std::move(made.counters)});
  if (made.prints) drivers_.push_back({"prints", false, std::move(made.prints)});
}

// Runs cycles from `offset` to `end`, both counted from `start_cycle`; returns the offset after the
// last one run, which is before `end` when the blade ended. In reset the outputs mean nothing.
template <bool kReset>
uint32_t RtlBlade::run(uint64_t start_cycle, uint32_t offset, uint32_t end) {
  for (; offset < end; ++offset) {
    const uint64_t cycle = start_cycle + offset;
    if (link_ != nullptr) link_->drive(offset);
    inputs_.apply();
    const bool accessed = signals_ && cycle == signals_->next_cycle();
    if (accessed) [[unlikely]]
      signals_->before_settle();
    model_.settle();
    if (accessed) [[unlikely]]
      signals_->after_settle();
    if (counters_ != nullptr && cycle == counters_->next_sample()) counters_->sample(cycle);
    if (waves_ && waves_->wants(cycle)) waves_->sample(cycle);
    if constexpr (!kReset) {
      for (const SteppedDriver &one : stepped_) one.driver->step(cycle + one.ahead_cycles);
      if (status_.end.ended()) {
        end_here(cycle);
        return offset + 1;
      }
    }
    model_.tick();
  }
  return offset;
}

void RtlBlade::advance(uint64_t start_cycle, uint32_t cycles, std::span<Batch> inputs,
                       std::span<Batch> outputs) {
  if (status_.end.ended()) return;
  FIRESIM_CHECK(start_cycle == cycle_, "calls are contiguous");
  if (link_ != nullptr) link_->begin(start_cycle, inputs[0], outputs[0]);
  uint32_t offset = 0;
  if (start_cycle < kResetCycles) {
    const auto end = std::min<uint64_t>(cycles, kResetCycles - start_cycle);
    offset = run<true>(start_cycle, 0, static_cast<uint32_t>(end));
    if (start_cycle + offset == kResetCycles) reset_.set(0);
  }
  offset = run<false>(start_cycle, offset, cycles);
  cycle_ = start_cycle + offset;
}

void RtlBlade::end_here(uint64_t cycle) {
  const BladeEnd &end = status_.end;
  cycle_ = cycle + 1;
  finish_drivers(cycle);
  set_end({cycle, end.exit_code, end.kind == BladeEnd::Kind::kAssert, end.message});
}

void RtlBlade::finish_drivers(uint64_t cycle) {
  if (finished_) return;
  finished_ = true;
  if (!status_.end.ended()) {  // the last row of counters wants the outputs of this cycle
    inputs_.apply();
    model_.settle();
  }
  for (const PlacedDriver &item : drivers_) item.driver->finish(cycle);
  if (signals_) signals_->finish();
  if (waves_) waves_->finish();
}

void RtlBlade::finish(uint64_t) { finish_drivers(cycle_); }

std::optional<std::string> RtlBlade::can_save() const {
  if (!model_.can_save()) {
    return fmt::format("the engine \"{}\" cannot save its state", model_.engine_name());
  }
  for (const PlacedDriver &item : drivers_) {
    if (item.driver->can_save()) continue;
    return fmt::format("the driver of its {} bridge cannot save its state", item.name);
  }
  return std::nullopt;
}

std::string RtlBlade::fingerprint() const {
  return fmt::format("design {}, engine {}", manifest_.design_hash, model_.engine_name());
}

void RtlBlade::save(StateWriter &state) const {
  state.section("blade", 2);
  state.u64(cycle_);
  state.u64(ahead_cycles_);
  state.boolean(status_.deterministic);
  const BladeEnd &end = status_.end;
  state.u64(static_cast<uint64_t>(end.kind));
  state.i64(end.exit_code);
  state.u64(end.cycle);
  state.text(end.message);
  reset_.save(state);
  // One that has ended stands within a cycle, and is never evaluated again.
  state.bytes(end.ended() ? std::vector<uint8_t>() : model_.save());
  for (const PlacedDriver &item : drivers_) item.driver->save(state);
}

void RtlBlade::load(StateReader &state, uint64_t cycle) {
  if (state.next_section_is(kWarmStartSection)) return start_warm(state, cycle);
  const uint32_t version = state.section("blade", 2);
  cycle_ = state.u64();
  if (version >= 2) ahead_cycles_ = state.u64();
  if (signals_) signals_->start_at(cycle_);
  list_stepped();
  status_.deterministic = state.boolean();
  BladeEnd &end = status_.end;
  end.kind = static_cast<BladeEnd::Kind>(state.u64(static_cast<uint64_t>(BladeEnd::Kind::kAssert)));
  end.exit_code = static_cast<int>(state.i64());
  end.cycle = state.u64();
  end.message = state.text();
  reset_.load(state);
  const std::vector<uint8_t> model = state.bytes(SIZE_MAX);
  if (!end.ended() && !model_.load(model)) {
    state.fail("found a state that the engine does not take");
  }
  for (const PlacedDriver &item : drivers_) item.driver->load(state);
}

void RtlBlade::start_warm(StateReader &state, uint64_t cycle) {
  cycle_ = cycle;
  if (signals_) signals_->start_at(cycle);
  if (cycle < kResetCycles) state.fail("a blade in reset cannot be continued in RTL");
  WarmStart start = starter_(state, {name(), settings_, context_, cycle});
  const auto traced = std::count_if(drivers_.begin(), drivers_.end(), [](const PlacedDriver &item) {
    return item.driver->trace_port() != nullptr;
  });
  if (traced != 0 && static_cast<uint64_t>(traced) != start.harts) {
    state.fail(fmt::format("found {} harts, expected {} as in the RTL", start.harts, traced));
  }
  status_.deterministic = start.deterministic;
  status_.end = start.end;
  for (const PlacedDriver &item : drivers_) item.driver->start_warm(start, cycle);
  if (status_.end.ended()) {
    set_end({cycle, status_.end.exit_code, status_.end.kind == BladeEnd::Kind::kAssert,
             status_.end.message});
    return;
  }
  const uint64_t cycles = run_restore_program(state);
  ahead_cycles_ = cycles - cycle;
  list_stepped();
  warm_start_ = {
      {"cycle", cycle}, {"extra_cycles", start.extra_cycles}, {"restore_cycles", cycles}};
}

// From reset to the word that says that the blade is restored; returns the cycles that took. Links
// are not connected.
uint64_t RtlBlade::run_restore_program(const StateReader &state) {
  const auto told = std::find_if(drivers_.begin(), drivers_.end(), [](const PlacedDriver &item) {
    return item.driver->restore_done().has_value();
  });
  if (told == drivers_.end()) state.fail("the RTL has no termination bridge");
  for (uint64_t cycle = 0; cycle < kMostRestoreCycles; ++cycle) {
    if (cycle == kResetCycles) reset_.set(0);
    inputs_.apply();
    model_.settle();
    const std::optional<bool> done = told->driver->restore_done();
    if (cycle >= kResetCycles) {
      for (const PlacedDriver &item : drivers_) {
        if (item.driver->restore_role() != RestoreRole::kAbsent) item.driver->step(cycle);
      }
    }
    model_.tick();
    if (status_.end.ended()) state.fail("in the restore program: " + status_.end.message);
    if (cycle >= kResetCycles && *done) return cycle + 1;
  }
  state.fail(fmt::format("the restore program has not ended within {} cycles", kMostRestoreCycles));
}

nlohmann::json RtlBlade::statistics() const {
  nlohmann::json facts = {{"engine", model_.engine_name()},
                          {"cycles_evaluated", cycle_},
                          {"deterministic", status_.deterministic}};
  if (!warm_start_.is_null()) facts["warm_start"] = warm_start_;
  if (signals_) facts["signals"] = signals_->statistics();
  if (waves_) facts["waves"] = waves_->statistics();
  for (const PlacedDriver &item : drivers_) {
    nlohmann::json part = item.driver->statistics();
    if (part.is_null()) continue;
    if (item.several) {
      facts[item.name].push_back(std::move(part));
    } else {
      facts[item.name] = std::move(part);
    }
  }
  return facts;
}

}  // namespace
}  // namespace bridges

std::unique_ptr<Model> make_rtl_blade(const nlohmann::json &node, const SimulationContext &context,
                                      bridges::WarmStarter starter) {
  const std::string name = node.at("name").get<std::string>();
  bridges::Config config(node, name);
  config.has("name");
  config.has("kind");
  config.has("library");
  const std::filesystem::path library = context.input_path(config.required_text("model"));
  const std::filesystem::path manifest = context.input_path(config.required_text("manifest"));
  const nlohmann::json &settings = config.child("bridges");
  std::optional<uint64_t> port_count;
  if (config.has("port_count")) port_count = config.required_integer("port_count", 0, 1);
  const std::vector<std::string> libraries = config.text_list("driver_libraries");
  config.finish();
  bridges::DriverRegistry registry;
  bridges::register_stock_drivers(registry);
  for (size_t i = 0; i < libraries.size(); ++i) {
    bridges::load_driver_library(context.input_path(libraries[i]),
                                 fmt::format("{}: driver_libraries[{}]", name, i), registry);
  }
  return std::make_unique<bridges::RtlBlade>(name, bridges::Manifest::read(manifest), library,
                                             settings, registry, port_count, context,
                                             std::move(starter));
}

}  // namespace firesim
