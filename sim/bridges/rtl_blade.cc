// SPDX-License-Identifier: BSD-3-Clause
// The RTL blade; see rtl_blade.h.
//
// One target cycle t: inputs of t are stored, settle(), the drivers that are due take the outputs
// of t and put the inputs of t + 1, tick(). Tokens are read and written where the model has them.
#include "bridges/rtl_blade.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "bridges/bridge_settings.h"
#include "bridges/driver_library.h"
#include "bridges/platforms.h"
#include "bridges/rtl_blade_impl.h"
#include "core/check.h"

namespace firesim {
namespace bridges {
namespace {

constexpr uint64_t kMostPorts = 64;

}  // namespace

RtlBlade::RtlBlade(const std::string &name, Manifest manifest, const std::filesystem::path &library,
                   const nlohmann::json &bridge_settings, const DriverRegistry &registry,
                   std::optional<uint64_t> port_count, uint64_t reset_cycles,
                   std::unique_ptr<HostedModel> hosted, const SimulationContext &context,
                   WarmStarter starter)
    : Model(name),
      reset_cycles_(reset_cycles),
      manifest_(std::move(manifest)),
      hosted_(std::move(hosted)),
      inputs_(with_model(library).size()),
      reset_(model_port(ports(), manifest_.reset, "reset", name), inputs_),
      settings_(bridge_settings),
      context_(context),
      starter_(std::move(starter)) {
  Config settings(bridge_settings, name + ": bridges");
  registry.check(manifest_.bridges, settings, name);
  for (const char *instrument : kInstruments) settings.has(instrument);
  settings.finish();
  add_bridges(settings, context, registry);
  add_instruments(settings, context);
  show_to_traces();
  schedule_drivers();
  if (hosted_) {
    hosted_->target().when_still([this] {
      for (const PlacedDriver &item : drivers_) item.driver->examine();
    });
  }
  set_port_count(port_count);
  reset_.set(1);
}

void RtlBlade::set_port_count(std::optional<uint64_t> wanted) {
  port_count_ = static_cast<uint32_t>(wanted.value_or(links_.size()));
  if (port_count_ >= links_.size()) return;
  const std::string has = links_.size() == 1 ? "it has a NIC" : "it has as many links";
  throw ConfigError(fmt::format("{}: port_count is {}, expected {}: {}", name(), port_count_,
                                links_.size(), has));
}

// Makes the model in this process, unless the target is on a platform; returns the ports.
const Ports &RtlBlade::with_model(const std::filesystem::path &library) {
  if (!hosted_) model_.emplace(library, manifest_.design_hash, name());
  return ports();
}

std::string RtlBlade::engine_name() const {
  return hosted_ ? hosted_->engine_name() : model_->engine_name();
}

void RtlBlade::schedule_drivers() {
  schedule_.clear();
  for (const PlacedDriver &item : drivers_) {
    if (!item.driver->listens()) continue;
    const bool ahead = item.driver->restore_role() == RestoreRole::kTakesPart;
    schedule_.add(*item.driver, item.wakes, ahead ? ahead_cycles_ : 0);
  }
  next_choice_ = 0;  // by what the drivers are then
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

// Links come first, in a saved state too; their ports are numbered by kind, then by place.
void RtlBlade::add_bridges(Config &settings, const SimulationContext &context,
                           const DriverRegistry &registry) {
  std::map<std::pair<std::string, size_t>, PlacedDriver> by_port;
  std::vector<PlacedDriver> others;
  for (const BridgeInfo &bridge : manifest_.bridges) {
    const ToldBridge told = told_bridge(bridge, manifest_.bridges, settings);
    const BridgePorts bridge_ports(bridge, ports());
    PlacedDriver placed{
        bridge.kind, bridge.several || told.of > 1,
        registry.make({bridge, bridge_ports, inputs_, status_, told.settings, told.where, name(),
                       context, hosted_ ? hosted_->part(bridge.path) : nullptr, reset_cycles_}),
        bridge_ports.wakes()};
    if (placed.driver->link() != nullptr) {
      by_port.emplace(std::pair(bridge.kind, told.place), std::move(placed));
    } else {
      others.push_back(std::move(placed));
    }
  }
  for (auto &[port, placed] : by_port) {
    links_.push_back(placed.driver->link());
    drivers_.push_back(std::move(placed));
  }
  std::move(others.begin(), others.end(), std::back_inserter(drivers_));
}

void RtlBlade::add_instruments(Config &settings, const SimulationContext &context) {
  std::vector<TracePort> traces;
  std::vector<FiresimPort> commits;
  for (const PlacedDriver &item : drivers_) {
    const TracePort *port = item.driver->trace_port();
    if (port == nullptr) continue;
    traces.push_back(*port);
    commits.insert(commits.end(), item.wakes.begin(), item.wakes.end());
  }
  ShownModel shown{model_ ? &*model_ : nullptr, "", hosted_.get()};
  if (hosted_ && hosted_->twin() != nullptr) {
    shown.model = &hosted_->twin()->model();
  } else if (hosted_) {
    shown.why_not = hosted_->subject() + " does not show its signals: " + hosted_->unknown_inside();
  }
  Instruments made = make_instruments(manifest_, ports(), shown, settings, context, status_,
                                      std::move(traces), name());
  counters_ = made.counters.get();
  signals_ = std::move(made.signals);
  waves_ = std::move(made.waves);
  activity_ = std::move(made.activity);
  capture_ = std::move(made.capture);
  // The port that wakes prints or asserts, and what wakes their windows.
  const auto wakes = [&](const std::string &port, const char *what, bool watches_commits) {
    std::vector<FiresimPort> found{model_port(ports(), port, what, name())};
    if (watches_commits) found.insert(found.end(), commits.begin(), commits.end());
    return found;
  };
  if (made.asserts) {
    auto woken = wakes(manifest_.assert_port, "asserts", made.asserts->watches_commits());
    drivers_.push_back({"assert", false, std::move(made.asserts), std::move(woken)});
  }
  if (made.counters) {
    drivers_.push_back({"autocounter", false, std::move(made.counters), commits});
  }
  if (made.prints) {
    auto woken = wakes(manifest_.prints_port, "prints", made.prints->watches_commits());
    drivers_.push_back({"prints", false, std::move(made.prints), std::move(woken)});
  }
}

// Runs cycles from `offset` to `end`, both counted from `start_cycle`; returns the offset after the
// last one run, which is before `end` when the blade ended. In reset the outputs mean nothing.
template <bool kReset>
uint32_t RtlBlade::run(uint64_t start_cycle, uint32_t offset, uint32_t end) {
  for (; offset < end; ++offset) {
    const uint64_t cycle = start_cycle + offset;
    for (LinkDriver *link : links_) link->drive(offset);
    inputs_.apply();
    const bool accessed = signals_ && cycle == signals_->next_cycle();
    if (accessed) [[unlikely]]
      signals_->before_settle();
    if (debug_) [[unlikely]]
      debug_->before_settle();
    if (seen_) seen_->before_settle();
    model_->settle();
    if (accessed) [[unlikely]]
      signals_->after_settle();
    if (counters_ != nullptr && cycle == counters_->next_sample()) {
      counters_->sample(cycle);
      if (!kReset && status_.end.ended()) {
        end_here(cycle);
        return offset + 1;
      }
    }
    if (waves_ && waves_->wants(cycle)) waves_->sample(cycle);
    if (activity_ && activity_->wants(cycle)) activity_->sample(cycle);
    if (capture_) capture_->sample();
    if constexpr (!kReset) {
      if (schedule_.due(cycle)) {
        schedule_.exchange(cycle);
        if (status_.end.ended()) {
          end_here(cycle);
          return offset + 1;
        }
      }
    }
    if (debug_ && !kReset) [[unlikely]]
      debug_->settled(cycle);
    model_->tick();
  }
  return offset;
}

void RtlBlade::advance(uint64_t start_cycle, uint32_t cycles, std::span<Batch> inputs,
                       std::span<Batch> outputs) {
  if (status_.end.ended()) return keep_up(start_cycle + cycles);
  FIRESIM_CHECK(start_cycle == cycle_, "calls are contiguous");
  for (size_t port = 0; port < links_.size(); ++port) {
    links_[port]->begin(start_cycle, inputs[port], outputs[port]);
  }
  if (capture_) capture_->start_at(start_cycle, reset_cycles_);
  if (hosted_) return advance_hosted(start_cycle, cycles);
  uint32_t offset = 0;
  if (start_cycle < reset_cycles_) {
    const auto end = std::min<uint64_t>(cycles, reset_cycles_ - start_cycle);
    offset = run<true>(start_cycle, 0, static_cast<uint32_t>(end));
    if (start_cycle + offset == reset_cycles_) reset_.set(0);
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
    if (hosted_) {
      hosted_->read_counters(false);
    } else {
      model_->settle();
    }
  }
  if (hosted_) {
    hosted_->target().check_end();
    host_cycles_ = hosted_->host_cycles();
  }
  if (activity_) activity_->finish(cycle);  // before those who say where its toggles were
  for (const PlacedDriver &item : drivers_) item.driver->finish(cycle);
  if (signals_) signals_->finish();
  if (waves_) waves_->finish();
  if (capture_) capture_->finish(cycle_);
}

void RtlBlade::finish(uint64_t) { finish_drivers(cycle_); }

nlohmann::json RtlBlade::statistics() const {
  nlohmann::json facts = {{"engine", engine_name()},
                          {"cycles_evaluated", cycle_},
                          {"deterministic", status_.deterministic}};
  if (hosted_) {
    const hostlib::HostTraffic &traffic = hosted_->traffic();
    facts["host_cycles"] = host_cycles_;
    facts["host_traffic"] = {{"runs", traffic.runs},
                             {"words_down", traffic.words_down},
                             {"rows", traffic.rows},
                             {"words_up", traffic.words_up},
                             {"words_up_at_stops", traffic.words_up_at_stops}};
  }
  if (!warm_start_.is_null()) facts["warm_start"] = warm_start_;
  if (signals_) facts["signals"] = signals_->statistics();
  if (waves_) facts["waves"] = waves_->statistics();
  if (activity_) facts["activity"] = activity_->statistics();
  if (capture_) facts["capture"] = capture_->statistics();
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

}  // namespace bridges

std::unique_ptr<Model> make_rtl_blade(const nlohmann::json &node, const SimulationContext &context,
                                      devices::WarmStarter starter) {
  const std::string name = node.at("name").get<std::string>();
  bridges::Config config(node, name);
  config.has("name");
  config.has("kind");
  config.has("library");
  config.has("parts");  // of the functional node that it may go on from
  const std::string kind = node.at("kind");
  std::filesystem::path library;
  if (kind != "fpga") library = context.input_path(config.required_text("model"));
  const std::filesystem::path manifest = context.input_path(config.required_text("manifest"));
  const nlohmann::json &settings = config.child("bridges");
  std::optional<uint64_t> port_count;
  if (config.has("port_count"))
    port_count = config.required_integer("port_count", 0, bridges::kMostPorts);
  const uint64_t reset_cycles = config.integer("reset_cycles", bridges::kResetCycles,
                                               bridges::kResetCycles, bridges::kMostResetCycles);
  const std::vector<std::string> libraries = config.text_list("driver_libraries");
  const bridges::MakePlatform platform = bridges::platform_of(kind, config, library, context);
  bridges::Manifest made = bridges::Manifest::read(manifest);
  if (made.host.has_value() != (platform != nullptr)) {
    throw bridges::ConfigError(fmt::format("{}: found {} in {}, expected {} for a node of kind {}",
                                           name, made.host ? "a metasimulation" : "a model",
                                           manifest.string(),
                                           platform ? "a metasimulation" : "a model", kind));
  }
  config.finish();
  bridges::DriverRegistry registry;
  bridges::register_stock_drivers(registry);
  for (size_t i = 0; i < libraries.size(); ++i) {
    bridges::load_driver_library(context.input_path(libraries[i]),
                                 fmt::format("{}: driver_libraries[{}]", name, i), registry);
  }
  std::unique_ptr<bridges::HostedModel> hosted;
  if (platform) hosted = std::make_unique<bridges::HostedModel>(made, platform(*made.host), name);
  return std::make_unique<bridges::RtlBlade>(name, std::move(made), library, settings, registry,
                                             port_count, reset_cycles, std::move(hosted), context,
                                             std::move(starter));
}

}  // namespace firesim
