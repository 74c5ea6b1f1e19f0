// SPDX-License-Identifier: BSD-3-Clause
//
// One direction of a link: tokens put in at cycle M come out at cycle M + latency.
//
// One thread at a time produces, one consumes, without locks: a linked list whose nodes go back to
// the producer when they are empty, so that in steady state nothing is allocated. Empty batches are
// not queued at all; the number of cycles produced so far says everything about them. That is also
// how the direction is seeded with `latency` empty cycles.
//
// The queue is bounded: because the opposite direction of the link has the same latency, no more
// than 2 * latency cycles can wait in it, which `take` asserts.
//
// With faults (core/fault_stage.h) what is put in first goes through a stage, which decides some
// cycles later what is delivered; the rest of the direction is shorter by as much, so that a frame
// without a fault comes out when it would have. Totals and hash are of what is delivered.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "core/batch.h"
#include "core/fault_stage.h"
#include "core/link_state.h"

namespace firesim {

class Channel {
 public:
  // `latency_cycles` >= 1.
  explicit Channel(uint32_t latency_cycles);
  ~Channel();
  Channel(const Channel &) = delete;
  Channel &operator=(const Channel &) = delete;

  uint32_t latency_cycles() const { return latency_; }
  // How much later than it was put in a token is known to the consumer at least: less with faults.
  uint32_t least_latency_cycles() const { return latency_ - lookahead_; }

  // Before the first token and the start: faults, whose lookahead is below the latency.
  void set_faults(std::unique_ptr<FaultStage> faults);
  const FaultStage *faults() const { return faults_.get(); }

  // Before the first token: the hash is known elsewhere, where the tokens were put in first.
  void leave_out_hash() { hashes_ = false; }

  // Producer: hands over the next batch, which must start where the previous one ended. Leaves
  // `batch` with some other buffers to fill and unspecified tokens.
  void push(Batch &batch);

  // Consumer: tokens of all cycles before this one, in the consumer's time, can be taken.
  uint64_t available() const { return available_.load(std::memory_order_acquire); }
  const std::atomic<uint64_t> &available_counter() const { return available_; }

  // Consumer: takes exactly the tokens of [start_cycle, start_cycle + cycles) into `out`. Calls
  // must be contiguous and within `available()`.
  void take(uint64_t start_cycle, uint32_t cycles, Batch &out);

  // Starts at `cycle` instead of 0, with no tokens in flight. Before the first token.
  void start_at(uint64_t cycle);

  // The tokens in flight and the totals, while neither side works and both are at the same cycle;
  // `restore` takes them over into a new channel of the same latency, which starts there, and may
  // have faults where the other one had none, or the other way round. `where` names the direction
  // in the SnapshotError for what does not fit.
  DirectionState state() const;
  void restore(DirectionState state, const std::string &where);

  // Flits and packets so far; any thread.
  uint64_t flits() const { return flits_.load(std::memory_order_relaxed); }
  uint64_t packets() const { return packets_.load(std::memory_order_relaxed); }
  // Any thread, once the producer has stopped.
  ChannelTotals totals() const { return {flits(), packets(), hash_}; }

 private:
  struct Node {
    std::atomic<Node *> next{nullptr};
    Batch batch;
  };

  Node *take_free_node();
  void finish_front(Node *front);
  // Passes on the tokens of the front batch that lie in `out`'s span; true if none is left behind.
  bool take_from_front(const Batch &front, Batch &out);
  void restore_faults(DirectionState &state, const std::string &where);

  const uint32_t latency_;
  uint32_t lookahead_ = 0;              // of the faults
  std::unique_ptr<FaultStage> faults_;  // the producer's; null for none

  // Written by the producer, read by the consumer.
  alignas(64) std::atomic<uint64_t> available_;
  std::atomic<uint64_t> flits_{0};
  std::atomic<uint64_t> packets_{0};

  // Producer's own.
  alignas(64) Node *newest_;
  Node *oldest_;           // nodes from here up to `consumed_seen_` are free
  Node *consumed_seen_;    // last known value of `consumed_`
  uint64_t produced_ = 0;  // in the producer's time
  uint64_t hash_ = 0;
  bool hashes_ = true;

  // Consumer's own, but `consumed_` is read by the producer.
  alignas(64) std::atomic<Node *> consumed_;  // the front is the node after this one
  uint64_t taken_ = 0;                        // in the consumer's time
  size_t front_run_ = 0;                      // first run of the front not wholly taken
  uint32_t front_run_taken_ = 0;              // flits of it already taken
};

}  // namespace firesim
