// SPDX-License-Identifier: BSD-3-Clause
// TraceRV driver; see tracerv.h.
#include "bridges/tracerv/tracerv.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "bridges/driver_registry.h"

namespace firesim::bridges {
namespace {

void write_file(const std::filesystem::path &file, const std::string &where, const auto &writer) {
  std::ofstream stream(file);
  writer(stream);
  if (!stream.flush()) {
    throw std::runtime_error(fmt::format("{}: cannot write {}", where, file.string()));
  }
}

uint32_t hart_of(const DriverContext &context) {
  const auto hart = context.bridge.parameters.find("HART");
  return hart == context.bridge.parameters.end() ? 0 : static_cast<uint32_t>(hart->second);
}

}  // namespace

TracePort::TracePort(const BridgePorts &ports)
    : valid_(ports.output("valid")),
      exception_(ports.output("exception")),
      interrupt_(ports.output("interrupt")),
      pc_(ports.output("pc", 64)),
      instruction_(ports.output("instruction", 32)),
      privilege_(ports.output("privilege", 3)),
      cause_(ports.output("cause", 64)),
      tval_(ports.output("tval", 64)) {}

Commit TracePort::read(uint64_t cycle) const {
  Commit commit;
  commit.cycle = cycle;
  commit.pc = pc_();
  commit.instruction = instruction();
  commit.privilege = static_cast<uint8_t>(privilege_() & 3);
  commit.trap = !valid_();
  if (commit.trap) {
    commit.interrupt = interrupt_();
    commit.cause = cause_() & (UINT64_MAX >> 1);
    commit.tval = tval_();
  }
  return commit;
}

TraceRvDriver::TraceRvDriver(const DriverContext &context)
    : port_(context.ports), hart_(hart_of(context)), where_(context.where) {
  Config config(context.config, where_);
  const bool enabled = config.boolean("enabled", false);
  trigger_ = Trigger::of(config, true);
  interest_ = trigger_.possible();
  wanted_ = enabled && !trigger_.never();
  open_outputs(config, context);
  config.finish();
}

void TraceRvDriver::open_outputs(Config &config, const DriverContext &context) {
  const std::vector<std::string> outputs = config.text_list("outputs");
  const std::vector<std::string> known{"text", "binary", "folded", "speedscope"};
  for (const std::string &output : outputs) {
    if (std::find(known.begin(), known.end(), output) != known.end()) continue;
    config.fail("outputs", fmt::format("any of {}; nearest to '{}' is '{}'", join_names(known),
                                       output, nearest_name(output, known)));
  }
  const std::string directory = config.text("directory").value_or("trace");
  const nlohmann::json &elf = config.child("elf");
  if (!elf.is_null() && !elf.is_array()) config.fail("elf", "a list of files");
  if (!wanted_) return;
  const auto has = [&outputs](const char *name) {
    return std::find(outputs.begin(), outputs.end(), name) != outputs.end();
  };
  const auto path = [&](const char *end) {
    return context.simulation.output_path(fmt::format("{}/hart{}.{}", directory, hart_, end));
  };
  if (has("text")) text_ = std::make_unique<TextTrace>(path("log"), hart_);
  if (has("binary")) binary_ = std::make_unique<BinaryTrace>(path("trace"), hart_);
  if (has("folded")) folded_file_ = path("folded");
  if (has("speedscope")) speedscope_file_ = path("speedscope.json");
  if (folded_file_.empty() && speedscope_file_.empty()) return;
  for (const nlohmann::json &entry : elf) {
    add_symbols(entry, config.child_where("elf"), context.simulation);
  }
  stacks_ = std::make_unique<CallStacks>(symbols_, fmt::format("hart{}", hart_));
}

void TraceRvDriver::add_symbols(const nlohmann::json &entry, const std::string &where,
                                const SimulationContext &simulation) {
  if (entry.is_string()) {
    symbols_.add_elf(simulation.input_path(entry.get<std::string>()), where);
    return;
  }
  Config item(entry, where);
  const std::string file = item.required_text("file");
  const uint64_t also_at = item.required_integer("also_at", 0, UINT64_MAX);
  item.finish();
  symbols_.add_elf(simulation.input_path(file), where, also_at);
}

void TraceRvDriver::take(uint64_t cycle) {
  // Triggers look at committed instructions; a trap belongs to the stretch it falls into.
  const bool active = port_.valid() ? trigger_.see(cycle, port_.pc(), port_.instruction())
                                    : trigger_.on() || trigger_.active_at(cycle);
  if (!active) {
    flowing_ = false;
    return;
  }
  const Commit commit = port_.read(cycle);
  ++(commit.trap ? traps_ : commits_);
  if (text_) text_->add(commit);
  if (binary_) binary_->add(commit);
  if (!stacks_) return;
  if (!flowing_) stacks_->begin(cycle - 1);
  flowing_ = true;
  stacks_->add(commit);
}

void TraceRvDriver::finish(uint64_t) {
  if (text_) text_->flush();
  if (binary_) binary_->flush();
  if (!folded_file_.empty()) {
    write_file(folded_file_, where_, [this](std::ostream &out) { stacks_->write_folded(out); });
  }
  if (!speedscope_file_.empty()) {
    write_file(speedscope_file_, where_, [this](std::ostream &out) {
      stacks_->write_speedscope(out, fmt::format("hart {} (target cycles)", hart_));
    });
  }
}

void TraceRvDriver::save(StateWriter &state) const {
  state.section("tracerv", 1);
  state.boolean(trigger_.on());
  state.boolean(flowing_);
  state.u64(commits_);
  state.u64(traps_);
  state.boolean(stacks_ != nullptr);
  if (stacks_) stacks_->save(state);
}

void TraceRvDriver::load(StateReader &state) {
  state.section("tracerv", 1);
  trigger_.set_on(state.boolean());
  flowing_ = state.boolean();
  commits_ = state.u64();
  traps_ = state.u64();
  const bool saved = state.boolean();
  if (saved != (stacks_ != nullptr)) {
    state.fail(saved ? "has call stacks, expected \"outputs\" as when it was saved"
                     : "has no call stacks, expected \"outputs\" as when it was saved");
  }
  if (stacks_) stacks_->load(state);
}

nlohmann::json TraceRvDriver::statistics() const {
  if (!wanted_) return nullptr;
  return {{"hart", hart_}, {"commits", commits_}, {"traps", traps_}};
}

void register_tracerv(DriverRegistry &registry) { registry.add<TraceRvDriver>("tracerv"); }

}  // namespace firesim::bridges
