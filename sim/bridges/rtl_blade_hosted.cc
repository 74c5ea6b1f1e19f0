// SPDX-License-Identifier: BSD-3-Clause
// The RTL blade whose target is on a platform; see rtl_blade_impl.h.
//
// What links bring is known for the whole advance and said ahead. The target then runs as far as
// no driver has anything to do by itself; drivers are called for the cycles it tells of. It stops
// before each cycle in which somebody looks into it.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "bridges/rtl_blade_impl.h"
#include "core/check.h"

namespace firesim::bridges {

// Throws std::runtime_error when a gate is not as its driver is, which sees what it lets pass.
void RtlBlade::check_gates() const {
  for (const PlacedDriver &item : drivers_) {
    const auto gate = item.driver->gate();
    if (!gate || item.wakes.empty()) continue;
    const std::optional<bool> open = hosted_->gate_open(item.wakes.front().storage);
    if (!open || *open == gate->open) continue;
    throw std::runtime_error(
        fmt::format("{}: found the gate of {} {} before cycle {}, expected the contrary",
                    hosted_->engine_name(), item.name, *open ? "open" : "closed", cycle_));
  }
}

void RtlBlade::choose_channels() {
  check_gates();
  std::vector<FiresimPort> listened, stopping;
  HostedModel::Gates gates;
  next_choice_ = kNever;
  for (const PlacedDriver &item : drivers_) {
    if (!item.driver->listens()) continue;
    const CycleRange interest = item.driver->interest();
    for (const uint64_t edge : {interest.first, interest.end}) {
      if (edge > cycle_) next_choice_ = std::min(next_choice_, edge);
    }
    if (!interest.holds(cycle_)) continue;
    const auto gate = item.wakes.empty() ? std::nullopt : item.driver->gate();
    // In reset no driver is called, so a gate must not see its tokens either.
    if (gate && cycle_ < reset_cycles_) {
      next_choice_ = std::min(next_choice_, reset_cycles_);
      continue;
    }
    if (gate) gates.emplace(item.wakes.front().storage, *gate);
    listened.insert(listened.end(), item.wakes.begin(), item.wakes.end());
    // Counters are read while the target stands in the cycle of a commit that turns them on.
    if (item.driver.get() == counters_) stopping = item.wakes;
  }
  // Who listens to the same outputs has to be told of all.
  std::erase_if(gates, [&](const auto &gate) {
    return std::count_if(listened.begin(), listened.end(),
                         [&](const FiresimPort &port) { return port.storage == gate.first; }) > 1;
  });
  hosted_->choose(listened, stopping, gates);
}

// Says what links bring from `first_cycle` on and before `end`, within an advance from
// `start_cycle`.
void RtlBlade::drive_ahead(uint64_t start_cycle, uint64_t first_cycle, uint64_t end) {
  inputs_.apply();
  hosted_->target().note_inputs(first_cycle);
  const auto next_drive = [&] {
    uint64_t next = kNever;
    for (const LinkDriver *link : links_) next = std::min<uint64_t>(next, link->next_drive());
    return next == kNever ? next : start_cycle + next;
  };
  for (uint64_t cycle = next_drive(); cycle < end; cycle = next_drive()) {
    for (LinkDriver *link : links_) link->drive(static_cast<uint32_t>(cycle - start_cycle));
    inputs_.apply();
    hosted_->target().note_inputs(cycle);
  }
}

// The next cycle from cycle_ on in which somebody looks into the target.
uint64_t RtlBlade::next_observed() const {
  const uint64_t accessed = signals_ ? signals_->next_cycle() : kNever;
  return waves_ ? std::min(accessed, waves_->next_wanted(cycle_)) : accessed;
}

// Looks into the target, which stands before cycle_ and has not taken its inputs.
void RtlBlade::observe() {
  TargetTwin &twin = *hosted_->twin();
  for (const PlacedDriver &item : drivers_) item.driver->show_inputs();
  inputs_.apply();
  twin.look();
  const bool accessed = signals_ && cycle_ == signals_->next_cycle();
  if (accessed && signals_->before_settle()) {
    if (const auto differs = twin.put()) {
      throw std::runtime_error(
          fmt::format("simulation.pokes: cycle {}: {} cannot be set to this value in a "
                      "form that was optimised once more; expected engine rtl",
                      cycle_, *differs));
    }
  }
  twin.model().settle();
  if (accessed) signals_->after_settle();
  if (waves_ && waves_->wants(cycle_)) waves_->sample(cycle_);
  twin.model().tick();
}

// The cycle up to which the target may run by itself.
uint64_t RtlBlade::quiet_limit(uint64_t end) const {
  uint64_t limit = cycle_ < reset_cycles_ ? reset_cycles_
                   : schedule_.quiet_until() == kNever
                       ? end
                       : std::max(cycle_, schedule_.quiet_until()) + 1;
  if (counters_ != nullptr && counters_->next_sample() > cycle_) {
    limit = std::min(limit, counters_->next_sample());
  }
  return std::min({limit, end, next_choice_});
}

void RtlBlade::take_row(uint64_t cycle) {
  if (cycle < reset_cycles_ || status_.end.ended() || !schedule_.due(cycle)) return;
  const bool reads_counters = counters_ != nullptr && counters_->listens();
  if (reads_counters) hosted_->read_counters(true);
  schedule_.exchange(cycle);
  if (status_.end.ended()) {
    if (counters_ != nullptr && !reads_counters) hosted_->read_counters(true);
    end_here(cycle);
    return;
  }
  inputs_.apply();
  hosted_->target().note_inputs(cycle + 1);
}

void RtlBlade::advance_hosted(uint64_t start_cycle, uint32_t cycles) {
  const uint64_t end = start_cycle + cycles;
  while (cycle_ < end && !status_.end.ended()) {
    const uint64_t observed = next_observed();
    const uint64_t stop = observed == cycle_ ? cycle_ + 1 : std::min(end, observed);
    drive_ahead(start_cycle, cycle_, stop);
    if (observed == cycle_) observe();
    run_hosted(stop);
  }
  if (!status_.end.ended() || !hosted_->target().together()) return;
  hosted_->choose({}, {}, {});
  keep_up(end);
}

// Lets a target whose node has ended run on, unheard, while others run their cycles with it.
void RtlBlade::keep_up(uint64_t end) {
  if (!hosted_ || !hosted_->target().together()) return;
  while (hosted_->target().cycle() < end) hosted_->target().run(end, [](uint64_t) {});
}

void RtlBlade::run_hosted(uint64_t end) {
  while (cycle_ < end && !status_.end.ended()) {
    if (cycle_ >= next_choice_) choose_channels();
    if (counters_ != nullptr && cycle_ == counters_->next_sample()) {
      hosted_->read_counters(false);
      counters_->sample(cycle_);
      if (status_.end.ended()) return end_here(cycle_);
    }
    hosted_->target().run(quiet_limit(end), [this](uint64_t cycle) { take_row(cycle); });
    if (status_.end.ended()) return;
    cycle_ = hosted_->target().cycle();
    FIRESIM_CHECK(cycle_ <= reset_cycles_ || schedule_.quiet_until() >= cycle_,
                  "a driver that only takes notice does not ask to be called earlier");
    if (cycle_ == reset_cycles_) {
      reset_.set(0);
      inputs_.apply();
      hosted_->target().note_inputs(cycle_);
    }
  }
}

}  // namespace firesim::bridges
