// SPDX-License-Identifier: BSD-3-Clause
// Outputs of the commits of a hart; see hart_trace.h.
#include "traces/hart_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

namespace firesim::traces {

using namespace devices;
namespace {

constexpr uint64_t kLookCommits = 4096;  // between two looks at the clock

// An entry of the key `elf`.
SymbolFile symbol_file(const nlohmann::json &entry, const std::string &where,
                       const SimulationContext &simulation) {
  if (entry.is_string()) return {simulation.input_path(entry.get<std::string>()), std::nullopt};
  Config item(entry, where);
  const std::string file = item.required_text("file");
  const uint64_t also_at = item.required_integer("also_at", 0, UINT64_MAX);
  item.finish();
  return {simulation.input_path(file), also_at};
}

void write_file(const std::filesystem::path &file, const std::string &where, const auto &writer) {
  std::ofstream stream(file);
  writer(stream);
  if (!stream.flush()) {
    throw std::runtime_error(fmt::format("{}: cannot write {}", where, file.string()));
  }
}

}  // namespace

HartTrace::HartTrace(const TraceContext &context, uint32_t hart, uint32_t lanes)
    : status_(context.status), hart_(hart), lanes_(lanes), where_(context.where) {
  Config config(context.config, where_);
  const bool enabled = config.boolean("enabled", false);
  trigger_ = Trigger::of(config, true);
  trigger_.follow(status_.window_open);
  interest_ = trigger_.possible();
  wanted_ = enabled && !trigger_.never();
  within_counters_ = config.boolean("within_counters", false);
  detail_ = {config.boolean("inlined", false), config.boolean("lines", false)};
  if (within_counters_ && trigger_.kind() != Trigger::Kind::kAlways) {
    config.fail("within_counters", "false with a trigger: the window is that of the counters");
  }
  open_outputs(config, context);
  config.finish();
}

void HartTrace::add_lane(uint32_t lane, uint32_t lanes, const std::string &where) {
  if (lane != made_ || lanes != lanes_ || lane >= lanes) {
    throw ConfigError(fmt::format("{}: found lane {} of {} of hart {}, expected lane {} of {}",
                                  where, lane, lanes, hart_, made_, lanes_));
  }
  ++made_;
}

void HartTrace::open_outputs(Config &config, const TraceContext &context) {
  const std::vector<std::string> outputs = config.text_list("outputs");
  const std::vector<std::string> known{"text", "binary", "folded", "speedscope"};
  for (const std::string &output : outputs) {
    if (std::find(known.begin(), known.end(), output) != known.end()) continue;
    config.fail("outputs", fmt::format("any of {}; nearest to '{}' is '{}'", join_names(known),
                                       output, nearest_name(output, known)));
  }
  const std::string directory = config.text("directory").value_or("trace");
  const uint64_t timeline_bytes = config.integer("timeline_bytes", 0, 0, UINT64_MAX);
  const nlohmann::json &elf = config.child("elf");
  if (!elf.is_null() && !elf.is_array()) config.fail("elf", "a list of files");
  config.has("linux");
  if (!wanted_) return;
  const auto has = [&outputs](const char *name) {
    return std::find(outputs.begin(), outputs.end(), name) != outputs.end();
  };
  const auto path = [&](const char *end) {
    return context.simulation.output_path(fmt::format("{}/hart{}.{}", directory, hart_, end));
  };
  if (has("text")) text_ = std::make_unique<TextTrace>(path("log"), hart_);
  if (has("binary")) binary_ = std::make_unique<BinaryTrace>(path("trace"), hart_);
  if (has("folded")) {
    folded_file_ = path("folded");
    toggles_file_ = folded_file_.parent_path() / "toggles.folded";
  }
  if (has("speedscope")) speedscope_file_ = path("speedscope.json");
  if (folded_file_.empty() && speedscope_file_.empty() && timeline_bytes == 0) return;
  open_stacks(config, context);
  if (timeline_bytes == 0) return;
  slices_ = std::make_unique<StackSlices>(*stacks_, path("events"), timeline_bytes);
}

void HartTrace::open_stacks(Config &config, const TraceContext &context) {
  for (const auto &[number, other] : context.status.hart_traces) {
    if (other == nullptr || other->symbols_ == nullptr) continue;
    symbols_ = other->symbols_;
    linux_ = other->linux_;
  }
  if (symbols_ == nullptr) {
    const std::string where = config.child_where("elf");
    std::vector<SymbolFile> files;
    for (const nlohmann::json &entry : config.child("elf")) {
      files.push_back(symbol_file(entry, where, context.simulation));
    }
    symbols_ = std::make_shared<SymbolTable>(files, where, detail_);
    if (config.has("linux")) {
      linux_ = std::make_shared<LinuxNode>(config.child("linux"), config.child_where("linux"),
                                           context.simulation, *symbols_, detail_);
    }
  }
  const std::string root = fmt::format("hart{}", hart_);
  stacks_ = std::make_unique<CallStacks>(*symbols_, root);
  if (detail_.any()) {
    finer_ = std::make_unique<FinerStacks>(*symbols_, root);
    stacks_->refine(*finer_);
  }
  if (linux_ == nullptr) return;
  os_ = std::make_unique<LinuxHart>(linux_, hart_);
  stacks_->ask(*os_, linux_->stacks());
}

void HartTrace::take(const Commit &commit) {
  const uint64_t cycle = commit.cycle;
  // Triggers look at committed instructions; a trap belongs to the stretch it falls into.
  const bool active = commit.trap ? trigger_.on() || trigger_.active_at(cycle)
                                  : trigger_.see(cycle, commit.pc, commit.instruction);
  if (!active) {
    flowing_ = false;
    return;
  }
  ++(commit.trap ? traps_ : commits_);
  if (text_) text_->add(commit);
  if (binary_) binary_->add(commit);
  if (!stacks_) return;
  const bool is_counted = within_counters_ && status_.window_open;
  if (!flowing_) stacks_->begin(is_counted ? stacks_->last_cycle() : cycle - 1);
  flowing_ = true;
  if (within_counters_ && !is_counted) stacks_->skip_to(cycle);
  const uint64_t begin = stacks_->last_cycle() + 1;
  const uint32_t stack = stacks_->add(commit);
  if (seen_toggles_ != status_.toggles) charge_toggles(stack);
  if (slices_) slices_->add(stack, begin, cycle + 1);
  if ((commits_ + traps_) % kLookCommits == 0 && !folded_file_.empty()) write_live();
}

void HartTrace::pass_to(uint64_t cycle) {
  if (!flowing_ || cycle <= stacks_->last_cycle()) return;
  const uint64_t begin = stacks_->last_cycle() + 1;
  stacks_->charge_to(cycle);
  if (slices_) slices_->add(stacks_->top(), begin, cycle + 1);
}

void HartTrace::arrive(uint64_t cycle, uint64_t pc, uint8_t privilege) {
  if (!flowing_) stacks_->begin(cycle - 1);
  flowing_ = true;
  stacks_->go_to(pc, privilege);
}

void HartTrace::count(uint64_t commits) {
  const uint64_t looks = (commits_ + traps_) / kLookCommits;
  commits_ += commits;
  if ((commits_ + traps_) / kLookCommits != looks && !folded_file_.empty()) write_live();
}

// For people who watch the run, to whom the file is always whole. A disk that has no room for it
// may have some at the end, where that is said.
void HartTrace::write_live() {
  live_.when_due([this] {
    std::string name = ".";  // not by operator+, of which GCC 12 warns wrongly
    name += folded_file_.filename().string();
    const std::filesystem::path hidden = folded_file_.parent_path() / name;
    std::error_code error;
    std::ofstream stream(hidden);
    written().write_folded(stream);
    stream.close();
    if (stream) std::filesystem::rename(hidden, folded_file_, error);
    if (!stream || error) std::filesystem::remove(hidden, error);
  });
}

// Those since the last commit; the wires of one cycle are not told apart by what they work for.
void HartTrace::charge_toggles(uint32_t stack) {
  if (toggles_.size() <= stack) toggles_.resize(stack + 1);
  toggles_[stack] += status_.toggles - seen_toggles_;
  seen_toggles_ = status_.toggles;
}

void HartTrace::window_turned(uint64_t cycle) {
  if (status_.window_open) {
    stacks_->skip_to(cycle - 1);
  } else {
    stacks_->charge_to(cycle - 1);
  }
}

void HartTrace::finish(uint64_t cycle) {
  if (is_within_counters() && status_.window_open) stacks_->charge_to(cycle - 1);
  if (text_) text_->flush();
  if (binary_) binary_->flush();
  if (slices_) slices_->finish();
  if (!folded_file_.empty()) {
    write_file(folded_file_, where_, [this](std::ostream &out) { written().write_folded(out); });
  }
  if (stacks_ && seen_toggles_ != status_.toggles) charge_toggles(stacks_->top());
  if (!toggles_.empty() && !toggles_file_.empty() && status_.hart_traces.size() == 1) {
    write_file(toggles_file_, where_,
               [this](std::ostream &out) { stacks_->tree().write_folded(out, toggles_); });
  }
  if (!speedscope_file_.empty()) {
    write_file(speedscope_file_, where_, [this](std::ostream &out) {
      written().write_speedscope(out, fmt::format("hart {} (target cycles)", hart_));
    });
  }
}

void HartTrace::save(StateWriter &state) const {
  state.section("tracerv", 1);
  state.boolean(trigger_.on());
  state.boolean(flowing_);
  state.u64(commits_);
  state.u64(traps_);
  state.boolean(stacks_ != nullptr);
  if (stacks_) stacks_->save(state);
  if (finer_) finer_->save(state);
}

void HartTrace::load(StateReader &state) {
  state.section("tracerv", 1);
  trigger_.set_on(state.boolean());
  flowing_ = state.boolean();
  commits_ = state.u64();
  traps_ = state.u64();
  const bool saved = state.boolean();
  if (saved && !stacks_) {
    state.fail("has call stacks, expected \"outputs\" as when it was saved");
  }
  if (saved) {
    stacks_->load(state);
  } else {
    flowing_ = false;  // Call stacks that nobody saved begin here, as after a trigger.
  }
  if (saved) load_finer(state);
}

// A run that goes on may ask for more detail than the one that was saved, or for less.
void HartTrace::load_finer(StateReader &state) {
  if (!state.next_section_is(FinerStacks::kSection)) {
    if (finer_) finer_->begin_with(stacks_->tree());
    return;
  }
  FinerStacks unwanted(*symbols_, fmt::format("hart{}", hart_));
  (finer_ ? *finer_ : unwanted).load(state);
}

nlohmann::json HartTrace::statistics() const {
  if (!wanted_) return nullptr;
  return {{"hart", hart_}, {"commits", commits_}, {"traps", traps_}};
}

}  // namespace firesim::traces
