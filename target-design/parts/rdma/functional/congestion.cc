// SPDX-License-Identifier: BSD-3-Clause
// Rates and congestion notifications; see congestion.h.
#include "parts/rdma/functional/congestion.h"

#include <algorithm>

#include "parts/rdma/functional/state_fields.h"

namespace firesim::functional::rdma {
namespace {

constexpr uint32_t kAlphaBits = 20, kOne = 1u << kAlphaBits;
// In a round a rate of r Mb/s gives r / 400 bytes: 64 cycles at 3.2 GHz.
constexpr int64_t kCreditPerByte = 400;
constexpr uint32_t kMostSteps = 63;

uint64_t bit(uint32_t qp) { return uint64_t{1} << qp; }

// Whole rounds in so many cycles, at least one.
uint32_t rounds(uint32_t cycles) { return std::max(cycles / kQps, 1u); }

}  // namespace

void CongestionSettings::set(uint32_t name, uint32_t value) {
  constexpr uint32_t kBits[kCount] = {1, 32, 32, 32, 32, 18, 18, 18, 18, 6, 5, 6};
  values[name] = static_cast<uint32_t>(value & ((uint64_t{1} << kBits[name]) - 1));
}

RateControl::State RateControl::first() const {
  State state;
  state.status.rate_mbps = state.status.target_mbps = settings_->get(CongestionSettings::kLineMbps);
  state.status.alpha = kOne;
  return state;
}

void RateControl::advance(uint64_t cycle) {
  turns_.advance(
      cycle, [this] { return active_ | told_; }, [this](uint32_t qp) { look(qp); });
}

void RateControl::look(uint32_t qp) {
  using Settings = CongestionSettings;
  const bool was_active = (active_ & bit(qp)) != 0, is_told = (told_ & bit(qp)) != 0;
  State state = was_active ? states_[qp] : first();
  const uint64_t sent = was_active ? spent_[qp] : 0;
  const bool alpha_ends = state.alpha_age + 1 >= rounds(settings_->get(Settings::kAlphaCycles));
  const bool timer_ends = state.timer_age + 1 >= rounds(settings_->get(Settings::kIncreaseCycles));
  const uint64_t step_bytes = settings_->get(Settings::kIncreaseBytes);
  const uint64_t bytes = state.bytes + sent;
  const bool bytes_end = step_bytes != 0 && bytes >= step_bytes && !timer_ends;
  state.alpha_age = alpha_ends || is_told ? 0 : state.alpha_age + 1;
  state.timer_age = timer_ends || is_told ? 0 : state.timer_age + 1;
  state.bytes = is_told ? 0 : bytes_end ? bytes - step_bytes : bytes;
  if (is_told) {
    state.status = decreased(state.status);
  } else {
    const uint32_t alpha = state.status.alpha;
    if (timer_ends || bytes_end) state.status = increased(state.status, timer_ends);
    if (alpha_ends) state.status.alpha = alpha - (alpha >> settings_->get(Settings::kGainShift));
  }
  const bool is_limited = state.status.rate_mbps < settings_->get(Settings::kLineMbps);
  const int64_t rate = state.status.rate_mbps;
  const int64_t credit = state.credit + rate - static_cast<int64_t>(sent) * kCreditPerByte;
  state.credit = is_limited ? std::min(credit, rate) : 0;
  states_[qp] = state;
  spent_[qp] = 0;
  active_ |= bit(qp);
  told_ &= ~bit(qp);
  limited_ = (limited_ & ~bit(qp)) | (is_limited ? bit(qp) : 0);
  held_ = (held_ & ~bit(qp)) | (is_limited && state.credit < 0 ? bit(qp) : 0);
}

// A CNP came: down by half of alpha, and everything begins anew.
RateStatus RateControl::decreased(const RateStatus &before) const {
  const uint32_t gain = settings_->get(CongestionSettings::kGainShift);
  const uint64_t cut = uint64_t{before.rate_mbps} * before.alpha >> (kAlphaBits + 1);
  const auto rate = static_cast<uint32_t>(before.rate_mbps - cut);
  return {.rate_mbps = std::max(rate, settings_->get(CongestionSettings::kLeastMbps)),
          .target_mbps = before.rate_mbps,
          .alpha = before.alpha - (before.alpha >> gain) + (kOne >> gain)};
}

// A step of the timer, or of the byte counter: half of the way to the target, which may rise.
RateStatus RateControl::increased(const RateStatus &before, bool by_timer) const {
  using Settings = CongestionSettings;
  RateStatus after = before;
  uint32_t &steps = by_timer ? after.timer_steps : after.byte_steps;
  steps = std::min(steps + 1, kMostSteps);
  const uint32_t recoveries = settings_->get(Settings::kRecoveries);
  const auto [least, most] = std::minmax(after.timer_steps, after.byte_steps);
  uint32_t more = settings_->get(Settings::kAdditiveMbps);
  if (most <= recoveries) more = 0;
  if (least > recoveries) more = settings_->get(Settings::kHyperMbps);
  after.target_mbps = std::min(before.target_mbps + more, settings_->get(Settings::kLineMbps));
  after.rate_mbps = (after.target_mbps + before.rate_mbps + 1) >> 1;
  return after;
}

void RateControl::notify(uint32_t qp) {
  if (settings_->enabled()) told_ |= bit(qp);
}

void RateControl::sent(uint32_t qp, uint32_t frame_bytes) {
  if ((active_ & bit(qp)) == 0) return;
  spent_[qp] += frame_bytes;
  held_ |= limited_ & bit(qp);
}

uint64_t RateControl::next_event(uint64_t waiting) const {
  const uint64_t those = waiting & held_;
  return those == 0 ? UINT64_MAX : turns_.next(those);
}

RateStatus RateControl::status(uint32_t qp) const {
  return (active_ & bit(qp)) != 0 ? states_[qp].status : first().status;
}

void RateControl::forget(uint64_t pairs) {
  for (uint64_t *set : {&active_, &told_, &limited_, &held_}) *set &= ~pairs;
}

void RateControl::save(StateWriter &state) const {
  state.section("rdma_rates", 1);
  save_fields(state, turns_);
  for (const State &one : states_) save_fields(state, one);
  for (const uint32_t bytes : spent_) state.u64(bytes);
  for (const uint64_t set : {active_, told_, limited_, held_}) state.u64(set);
}

void RateControl::load(StateReader &state) {
  state.section("rdma_rates", 1);
  load_fields(state, turns_);
  for (State &one : states_) load_fields(state, one);
  for (uint32_t &bytes : spent_) bytes = static_cast<uint32_t>(state.u64(UINT32_MAX));
  for (uint64_t *set : {&active_, &told_, &limited_, &held_}) *set = state.u64();
}

void Notifier::advance(uint64_t cycle) {
  const uint32_t most = rounds(settings_->get(CongestionSettings::kNotificationCycles));
  const auto look = [this, most](uint32_t qp) {
    ages_[qp] = (begun_ & bit(qp)) != 0 ? ages_[qp] + 1 : 0;
    const bool over = ages_[qp] >= most;
    begun_ = over ? begun_ & ~bit(qp) : begun_ | bit(qp);
    if (over) quiet_ &= ~bit(qp);
  };
  turns_.advance(
      cycle, [this] { return quiet_; }, look);
}

void Notifier::marked(uint32_t qp) {
  if (!settings_->enabled() || (quiet_ & bit(qp)) != 0) return;
  wanted_ |= bit(qp);
  quiet_ |= bit(qp);
  begun_ &= ~bit(qp);
}

uint32_t Notifier::take() {
  const auto qp = static_cast<uint32_t>(std::countr_zero(wanted_));
  wanted_ &= ~bit(qp);
  return qp;
}

void Notifier::forget(uint64_t pairs) {
  for (uint64_t *set : {&wanted_, &quiet_, &begun_}) *set &= ~pairs;
}

void Notifier::save(StateWriter &state) const {
  state.section("rdma_notifier", 1);
  save_fields(state, turns_);
  for (const uint32_t age : ages_) state.u64(age);
  for (const uint64_t set : {wanted_, quiet_, begun_}) state.u64(set);
}

void Notifier::load(StateReader &state) {
  state.section("rdma_notifier", 1);
  load_fields(state, turns_);
  for (uint32_t &age : ages_) age = static_cast<uint32_t>(state.u64(UINT32_MAX));
  for (uint64_t *set : {&wanted_, &quiet_, &begun_}) *set = state.u64();
}

}  // namespace firesim::functional::rdma
