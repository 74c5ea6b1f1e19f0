// SPDX-License-Identifier: BSD-3-Clause
//
// What a direction of a link with faults holds, in snapshots; see fault_stage.h.
#include <algorithm>

#include "core/fault_stage.h"

namespace firesim {

namespace {

constexpr uint64_t kMostHeld = uint64_t{1} << 28;  // flits, frames or sendings
constexpr uint64_t kMostCycles = uint64_t{1} << 62;
constexpr uint64_t kMostDelay = uint64_t{1} << 56;

}  // namespace

SavedFaults FaultStage::save() const {
  StateWriter state;
  state.section("rules", 1);
  state.text(faults_.fingerprint);
  state.u64s(matched_);
  for (const uint64_t count :
       {counts_.frames, counts_.dropped, counts_.dropped_buffer_full, counts_.duplicated,
        counts_.delayed, counts_.corrupted, counts_.bits_flipped, counts_.cut}) {
    state.u64(count);
  }
  // Frames once each, since copies share one.
  std::map<const Frame *, uint64_t> places;
  std::vector<const Frame *> frames;
  const auto place_of = [&](const Frame *frame) {
    const auto [place, is_new] = places.try_emplace(frame, frames.size());
    if (is_new) frames.push_back(frame);
    return place->second;
  };
  for (const auto &[order, sending] : waiting_) place_of(sending.frame.get());
  if (current_) place_of(current_->frame.get());
  if (arrival_.frame != nullptr) place_of(arrival_.frame.get());
  state.section("frames", 1);
  state.u64(frames.size());
  for (const Frame *frame : frames) {
    state.u64s(frame->flits);
    state.u64s(frame->cycles);
    state.boolean(frame->complete);
  }
  const auto write = [&](const Order &order, const Sending &sending) {
    state.u64(place_of(sending.frame.get()));
    for (const uint64_t value :
         {order.first, order.second, sending.ready, sending.delay_cycles, sending.behind_frames}) {
      state.u64(value);
    }
  };
  state.section("sendings", 1);
  state.u64(next_sending_);
  state.u64(line_free_);
  state.u64(waiting_.size());
  for (const auto &[order, sending] : waiting_) write(order, sending);
  state.boolean(current_.has_value());
  if (current_) {
    write({0, current_number_}, *current_);
    state.u64(sent_flits_);
  }
  state.section("arrival", 1);
  for (const uint64_t value : {arrival_.flits, arrival_.number, arrival_.cycle}) state.u64(value);
  for (const bool flag : {arrival_.decided, arrival_.corrupted, arrival_.is_rest}) {
    state.boolean(flag);
  }
  state.u64s(std::vector<uint64_t>(arrival_.flipping.begin(), arrival_.flipping.end()));
  state.boolean(arrival_.frame != nullptr);
  if (arrival_.frame != nullptr) state.u64(place_of(arrival_.frame.get()));
  const bool is_idle = arrival_.flits == 0 && frames.empty();
  return {lookahead_, is_idle, state.data()};
}

void FaultStage::load(const SavedFaults &saved, const std::string &where, uint64_t cycle) {
  StateReader state(where, saved.state, {});
  if (!saved.is_idle && saved.lookahead_cycles != lookahead_) {
    throw SnapshotError(where + ": found frames that wait for rules which look " +
                        std::to_string(saved.lookahead_cycles + 1) + " flits far, expected " +
                        std::to_string(lookahead_ + 1) + " as in this system");
  }
  load_counts(state);
  const auto frames = load_frames(state, cycle);
  load_sendings(state, frames, cycle);
  load_arrival(state, frames);
  state.finish();
  for (const auto &frame : frames) held_flits_ += frame->flits.size();
}

// Rules that are not those of the snapshot begin to count afresh.
void FaultStage::load_counts(StateReader &state) {
  state.section("rules", 1);
  const bool same = state.text() == faults_.fingerprint;
  const std::vector<uint64_t> matched = state.u64s(kMostHeld);
  if (same && matched.size() == matched_.size()) matched_ = matched;
  for (uint64_t *count :
       {&counts_.frames, &counts_.dropped, &counts_.dropped_buffer_full, &counts_.duplicated,
        &counts_.delayed, &counts_.corrupted, &counts_.bits_flipped, &counts_.cut}) {
    *count = state.u64();
  }
}

std::vector<std::shared_ptr<FaultStage::Frame>> FaultStage::load_frames(StateReader &state,
                                                                        uint64_t cycle) {
  state.section("frames", 1);
  std::vector<std::shared_ptr<Frame>> frames;
  for (uint64_t left = state.u64(kMostHeld); left > 0; --left) {
    auto frame = std::make_shared<Frame>();
    frame->flits = state.u64s(kMostHeld);
    frame->cycles = state.u64s(kMostHeld);
    frame->complete = state.boolean();
    const bool in_order = std::is_sorted(frame->cycles.begin(), frame->cycles.end());
    if (frame->flits.empty() || frame->cycles.size() != frame->flits.size() || !in_order ||
        frame->cycles.back() >= cycle) {
      state.fail("found a frame whose flits came in no order, expected a cycle for each");
    }
    frames.push_back(std::move(frame));
  }
  return frames;
}

void FaultStage::load_sendings(StateReader &state,
                               const std::vector<std::shared_ptr<Frame>> &frames, uint64_t cycle) {
  const auto read = [&](Order &order) {
    Sending sending;
    const uint64_t place = state.u64();
    if (place >= frames.size()) state.fail("found no such frame, expected one of those held");
    sending.frame = frames[place];
    order.first = state.u64(kMostCycles);
    order.second = state.u64(next_sending_);
    sending.ready = state.u64(kMostCycles);
    sending.delay_cycles = state.u64(kMostDelay);
    sending.behind_frames = state.u64(kMostHeld);
    return sending;
  };
  state.section("sendings", 1);
  next_sending_ = state.u64(kMostCycles);
  line_free_ = std::max(state.u64(kMostCycles), cycle);  // all before is given
  for (uint64_t left = state.u64(kMostHeld); left > 0; --left) {
    Order order;
    Sending sending = read(order);
    if (sending.behind_frames != 0) behind_.emplace(order.second, order);
    waiting_.emplace(order, std::move(sending));
  }
  for (const auto &[number, order] : behind_) {
    if (!waiting_.contains(order)) state.fail("found two frames of one number, expected one");
  }
  if (!state.boolean()) return;
  Order order;
  current_ = read(order);
  current_number_ = order.second;
  sent_flits_ = state.u64(current_->frame->flits.size());
}

void FaultStage::load_arrival(StateReader &state,
                              const std::vector<std::shared_ptr<Frame>> &frames) {
  state.section("arrival", 1);
  for (uint64_t *value : {&arrival_.flits, &arrival_.number, &arrival_.cycle}) {
    *value = state.u64();
  }
  for (bool *flag : {&arrival_.decided, &arrival_.corrupted, &arrival_.is_rest}) {
    *flag = state.boolean();
  }
  for (const uint64_t rule : state.u64s(kMostHeld)) {
    if (rule < faults_.rules.size()) arrival_.flipping.push_back(rule);
  }
  if (!state.boolean()) return;
  const uint64_t place = state.u64();
  if (place >= frames.size()) state.fail("found no such frame, expected one of those held");
  arrival_.frame = frames[place];
  const bool is_whole = arrival_.frame->complete || arrival_.flits == 0;
  const bool is_late = !arrival_.decided && arrival_.frame->flits.size() >= needed_flits_;
  if (is_whole || is_late) state.fail("found a whole frame coming in, expected a part of it");
}

}  // namespace firesim
