// SPDX-License-Identifier: BSD-3-Clause
// The state of the RTL blade between two cycles, and its start from that of a functional blade; see
// rtl_blade_impl.h.
#include <fmt/format.h>

#include <algorithm>

#include "bridges/rtl_blade_impl.h"
#include "bridges/tracerv/trace_port.h"

namespace firesim::bridges {
namespace {

// Most target cycles that a restore program may take.
constexpr uint64_t kMostRestoreCycles = 10'000'000;

std::string nic_options(uint32_t features) {
  const uint32_t queues = features >> kNicQueuesShift;
  std::string text;
  const auto add = [&text](const std::string &option) {
    text += (text.empty() ? "" : ", ") + option;
  };
  if ((features & kNicChecksum) != 0) add("checksum");
  if ((features & kNicModeration) != 0) add("moderation");
  if (queues != 0) add(fmt::format("queues {}", queues));
  return text.empty() ? "no options" : "the options " + text;
}

// Whether a word says that the restore program is done. Throws SnapshotError when a NIC that the
// program found is not the one that was saved.
bool is_done(uint32_t word, const WarmStart &start, const StateReader &state) {
  const uint32_t differs = (word ^ kRestoreDone) >> kRestoreNicShift;
  if (((word ^ kRestoreDone) & 0xffff) != 0 || (differs & ~kNicFeatures) != 0) return false;
  if (differs == 0) return true;
  if (start.nic_features.size() > 1) {
    state.fail(
        fmt::format("cannot be continued in RTL: one of its {} NICs has other options than "
                    "that of the RTL blade: choose a blade with the same NICs",
                    start.nic_features.size()));
  }
  const uint32_t features = start.nic_features.front();
  state.fail(fmt::format(
      "cannot be continued in RTL: its NIC has {}, and that of the RTL blade {}: choose a blade "
      "with the same NIC",
      nic_options(features), nic_options(features ^ differs)));
}

}  // namespace

std::optional<std::string> RtlBlade::can_save() const {
  if (hosted_ && hosted_->twin() == nullptr) {
    return fmt::format("{} cannot save its state: {}", hosted_->subject(),
                       hosted_->unknown_inside());
  }
  if (!hosted_ && !model_->can_save()) {
    return fmt::format("the engine \"{}\" cannot save its state", engine_name());
  }
  for (const PlacedDriver &item : drivers_) {
    if (item.driver->can_save()) continue;
    if (const std::string why = item.driver->why_not_saved(); !why.empty()) return why;
    return fmt::format("the driver of its {} bridge cannot save its state", item.name);
  }
  return std::nullopt;
}

std::string RtlBlade::fingerprint() const {
  // The states of engine rtl are those of a target on a platform, too.
  if (hosted_ && hosted_->twin() != nullptr) return hosted_->twin()->fingerprint();
  return fmt::format("design {}, engine {}", manifest_.design_hash, engine_name());
}

void RtlBlade::save(StateWriter &state) const {
  if (hosted_) check_gates();
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
  state.bytes(end.ended() ? std::vector<uint8_t>() : hosted_ ? hosted_->save() : model_->save());
  for (const PlacedDriver &item : drivers_) item.driver->save(state);
}

void RtlBlade::load(StateReader &state, uint64_t cycle) {
  if (state.next_section_is(kWarmStartSection)) return start_warm(state, cycle);
  const uint32_t version = state.section("blade", 2);
  cycle_ = state.u64();
  if (version >= 2) ahead_cycles_ = state.u64();
  if (signals_) signals_->start_at(cycle_);
  schedule_drivers();
  status_.deterministic = state.boolean();
  BladeEnd &end = status_.end;
  end.kind = static_cast<BladeEnd::Kind>(state.u64(static_cast<uint64_t>(BladeEnd::Kind::kAssert)));
  end.exit_code = static_cast<int>(state.i64());
  end.cycle = state.u64();
  end.message = state.text();
  reset_.load(state);
  if (!end.ended() && (reset_.value() != 0) != (cycle_ < reset_cycles_)) {
    state.fail(
        fmt::format("found the blade {} reset before cycle {}, expected the contrary for "
                    "{} cycles of reset",
                    reset_.value() != 0 ? "in" : "out of", cycle_, reset_cycles_));
  }
  const std::vector<uint8_t> model = state.bytes(SIZE_MAX);
  if (!end.ended()) load_target(state, model);
  for (const PlacedDriver &item : drivers_) item.driver->load(state);
  show_to_traces();
}

void RtlBlade::load_target(StateReader &state, const std::vector<uint8_t> &model) {
  if (!hosted_) {
    if (!model_->load(model)) state.fail("found a state that the engine does not take");
    return;
  }
  if (hosted_->twin() == nullptr) {
    state.fail(fmt::format("{} takes no state: {}", hosted_->subject(), hosted_->unknown_inside()));
  }
  if (const auto wrong = hosted_->load(model, cycle_)) state.fail("found " + *wrong);
}

void RtlBlade::start_warm(StateReader &state, uint64_t cycle) {
  cycle_ = cycle;
  if (signals_) signals_->start_at(cycle);
  if (cycle < reset_cycles_) state.fail("a blade in reset cannot be continued in RTL");
  WarmStart start = starter_(state, {name(), settings_, context_, cycle});
  const auto traced = std::count_if(drivers_.begin(), drivers_.end(), [](const PlacedDriver &item) {
    const TracePort *port = item.driver->trace_port();
    return port != nullptr && port->lane() == 0;
  });
  if (traced != 0 && static_cast<uint64_t>(traced) != start.harts) {
    state.fail(fmt::format("found {} harts, expected {} as in the RTL", start.harts, traced));
  }
  status_.deterministic = start.deterministic;
  status_.end = start.end;
  for (size_t port = 0; port < std::min(links_.size(), start.links.size()); ++port) {
    links_[port]->start_warm_link(start.links[port]);
  }
  for (const PlacedDriver &item : drivers_) item.driver->start_warm(start, cycle);
  show_to_traces();
  if (status_.end.ended()) {
    set_end({cycle, status_.end.exit_code, status_.end.kind == BladeEnd::Kind::kAssert,
             status_.end.message});
    return;
  }
  const uint64_t cycles = run_restore_program(start, state);
  ahead_cycles_ = cycles - cycle;
  schedule_drivers();
  warm_start_ = {{"cycle", cycle},
                 {"extra_cycles", start.extra_cycles},
                 {"restore_cycles", cycles},
                 {"instruction_lines", start.instruction_lines},
                 {"data_lines", start.data_lines}};
}

// From reset to the word that says that the blade is restored; returns the cycles that took. Links
// are not connected.
uint64_t RtlBlade::run_restore_program(const WarmStart &start, const StateReader &state) {
  const auto told = std::find_if(drivers_.begin(), drivers_.end(), [](const PlacedDriver &item) {
    return item.driver->restore_word().has_value();
  });
  if (told == drivers_.end()) state.fail("the RTL has no termination bridge");
  DriverSchedule schedule;
  for (const PlacedDriver &item : drivers_) {
    if (item.driver->restore_role() == RestoreRole::kAbsent) continue;
    schedule.add(*item.driver, item.wakes, 0);
  }
  for (uint64_t cycle = 0; cycle < kMostRestoreCycles; ++cycle) {
    if (cycle == reset_cycles_) reset_.set(0);
    inputs_.apply();
    model_->settle();
    const uint32_t word = *told->driver->restore_word();
    if (cycle >= reset_cycles_ && schedule.due(cycle)) schedule.exchange(cycle);
    model_->tick();
    if (status_.end.ended()) state.fail("in the restore program: " + status_.end.message);
    if (cycle >= reset_cycles_ && is_done(word, start, state)) return cycle + 1;
  }
  state.fail(fmt::format("the restore program has not ended within {} cycles", kMostRestoreCycles));
}

}  // namespace firesim::bridges
