// SPDX-License-Identifier: BSD-3-Clause
//
// One direction of a link. See the header for the idea.
#include "core/channel.h"

#include <algorithm>
#include <utility>

#include "core/check.h"
#include "core/token_hash.h"

namespace firesim {

Channel::Channel(uint32_t latency_cycles) : latency_(latency_cycles), available_(latency_cycles) {
  FIRESIM_CHECK(latency_cycles >= 1, "a link needs a latency of at least one cycle");
  Node *first = new Node;
  newest_ = oldest_ = consumed_seen_ = first;
  consumed_.store(first, std::memory_order_relaxed);
}

Channel::~Channel() {
  while (oldest_ != nullptr) {
    Node *next = oldest_->next.load(std::memory_order_relaxed);
    delete oldest_;
    oldest_ = next;
  }
}

Channel::Node *Channel::take_free_node() {
  if (oldest_ == consumed_seen_) consumed_seen_ = consumed_.load(std::memory_order_acquire);
  if (oldest_ == consumed_seen_) return new Node;
  Node *node = oldest_;
  oldest_ = node->next.load(std::memory_order_relaxed);
  return node;
}

void Channel::set_faults(std::unique_ptr<FaultStage> faults) {
  FIRESIM_CHECK(faults->lookahead_cycles() < latency_, "faults look ahead less than the latency");
  faults_ = std::move(faults);
  lookahead_ = faults_->lookahead_cycles();
  start_at(produced_);
}

void Channel::push(Batch &batch) {
  FIRESIM_CHECK(batch.start_cycle() == produced_, "batches must be pushed in order");
  produced_ = batch.end_cycle();
  if (faults_ != nullptr) faults_->apply(batch);
  if (!batch.empty()) {
    batch.set_start_cycle(batch.start_cycle() - lookahead_);  // as if it were put in then
    if (hashes_) hash_ += hash_batch(batch);
    uint64_t flits = this->flits();
    uint64_t packets = this->packets();
    for (const Run &run : batch.runs()) {
      flits += run.length;
      packets += run.last ? 1 : 0;
    }
    flits_.store(flits, std::memory_order_relaxed);
    packets_.store(packets, std::memory_order_relaxed);
    Node *node = take_free_node();
    node->next.store(nullptr, std::memory_order_relaxed);
    node->batch.swap(batch);
    node->batch.set_start_cycle(node->batch.start_cycle() + latency_);
    newest_->next.store(node, std::memory_order_release);
    newest_ = node;
  }
  available_.store(produced_ + least_latency_cycles(), std::memory_order_release);
}

void Channel::finish_front(Node *front) {
  front_run_ = 0;
  front_run_taken_ = 0;
  consumed_.store(front, std::memory_order_release);
}

bool Channel::take_from_front(const Batch &front, Batch &out) {
  const auto runs = front.runs();
  while (front_run_ < runs.size()) {
    const Run &run = runs[front_run_];
    const uint64_t first_cycle = front.start_cycle() + run.offset + front_run_taken_;
    if (first_cycle >= out.end_cycle()) return false;
    const uint64_t room = out.end_cycle() - first_cycle;
    const uint32_t left = run.length - front_run_taken_;
    const auto count = static_cast<uint32_t>(std::min<uint64_t>(left, room));
    out.append_shared(static_cast<uint32_t>(first_cycle - out.start_cycle()),
                      run.data + front_run_taken_, count, run.last && count == left, run.buffer);
    if (count < left) {
      front_run_taken_ += count;
      return false;
    }
    front_run_taken_ = 0;
    ++front_run_;
  }
  return true;
}

void Channel::take(uint64_t start_cycle, uint32_t cycles, Batch &out) {
  const uint64_t available = this->available();
  FIRESIM_CHECK(start_cycle == taken_, "tokens must be taken in order");
  FIRESIM_CHECK(start_cycle + cycles <= available, "tokens taken before they were produced");
  FIRESIM_CHECK(available - start_cycle <= 2 * uint64_t{latency_}, "link queue over its bound");
  taken_ = start_cycle + cycles;
  out.reset(start_cycle, cycles);
  Node *consumed = consumed_.load(std::memory_order_relaxed);
  while (Node *front = consumed->next.load(std::memory_order_acquire)) {
    Batch &batch = front->batch;
    if (batch.start_cycle() >= taken_) break;
    const bool whole = batch.end_cycle() <= taken_ && front_run_ == 0 && front_run_taken_ == 0;
    if (whole && out.empty() && batch.start_cycle() >= start_cycle) {
      batch.swap(out);
      out.widen(start_cycle, cycles);
    } else if (!take_from_front(batch, out)) {
      break;
    }
    batch.reset(0, 0);  // lets go of its buffers
    finish_front(front);
    consumed = front;
  }
}

void Channel::start_at(uint64_t cycle) {
  FIRESIM_CHECK(newest_ == oldest_ && flits() == 0, "a channel starts before its first token");
  produced_ = cycle;
  taken_ = cycle;
  available_.store(cycle + least_latency_cycles(), std::memory_order_release);
  if (faults_ != nullptr) faults_->start_at(cycle);
}

DirectionState Channel::state() const {
  FIRESIM_CHECK(taken_ == produced_, "a link is saved while both its ends are at the same cycle");
  DirectionState state{totals(), Batch(taken_, latency_), std::nullopt};
  if (faults_ != nullptr) state.faults = faults_->save();
  size_t run_index = front_run_;
  uint32_t taken_flits = front_run_taken_;
  const Node *consumed = consumed_.load(std::memory_order_acquire);
  for (const Node *node = consumed->next.load(std::memory_order_acquire); node != nullptr;
       node = node->next.load(std::memory_order_acquire)) {
    const auto runs = node->batch.runs();
    for (; run_index < runs.size(); ++run_index) {
      const Run &run = runs[run_index];
      const uint64_t at = node->batch.start_cycle() + run.offset + taken_flits;
      state.in_flight.append_run(static_cast<uint32_t>(at - taken_), run.data + taken_flits,
                                 run.length - taken_flits, run.last);
      taken_flits = 0;
    }
    run_index = 0;
  }
  return state;
}

// Without faults in the snapshot, the tokens put in last are for the stage: those that come out
// last. They have not been delivered yet, so their counts are taken back.
void Channel::restore_faults(DirectionState &state, const std::string &where) {
  if (faults_ == nullptr) {
    if (!state.faults || state.faults->is_idle) return;
    throw SnapshotError(where +
                        ": found frames that its faults hold, expected none, "
                        "since the link has no faults in this system");
  }
  if (state.faults) return faults_->load(*state.faults, where, state.in_flight.start_cycle());
  Batch tail;
  state.in_flight.split(least_latency_cycles(), tail);
  const auto before = state.in_flight.runs();
  tail.set_start_cycle(tail.start_cycle() - latency_);
  for (const Run &run : tail.runs()) {
    state.totals.flits -= run.length;
    state.totals.packets -= run.last ? 1 : 0;
  }
  state.totals.hash -= hash_batch(tail);
  faults_->take_over(tail, !before.empty() && !before.back().last);
}

void Channel::restore(DirectionState state, const std::string &where) {
  Batch &in_flight = state.in_flight;
  FIRESIM_CHECK(in_flight.cycles() == latency_, "a link is restored with the latency it had");
  start_at(in_flight.start_cycle());
  restore_faults(state, where);
  flits_.store(state.totals.flits, std::memory_order_relaxed);
  packets_.store(state.totals.packets, std::memory_order_relaxed);
  hash_ = state.totals.hash;
  if (in_flight.empty()) return;
  Node *node = take_free_node();
  node->next.store(nullptr, std::memory_order_relaxed);
  node->batch.swap(in_flight);
  newest_->next.store(node, std::memory_order_release);
  newest_ = node;
}

}  // namespace firesim
