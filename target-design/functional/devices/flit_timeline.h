// SPDX-License-Identifier: BSD-3-Clause
// Flits with the target cycle each of them belongs to, in order: what has arrived and has not been
// seen yet, or has been sent and is not on the link yet.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "core/batch.h"

namespace firesim {
class StateWriter;
class StateReader;
}  // namespace firesim

namespace firesim::functional {

class FlitTimeline {
 public:
  // Flits in consecutive cycles, of which the last one may end a packet.
  struct Run {
    uint64_t cycle;
    uint32_t length;
    bool last;
  };

  bool empty() const { return runs_.empty(); }
  // The earliest run and its flits; only when there is one.
  const Run &front() const { return runs_.front(); }
  const uint64_t *data() const { return words_.data() + first_word_; }

  // The cycle of the earliest flit that ends a packet; UINT64_MAX when there is none.
  uint64_t first_packet_end() const {
    return packet_ends_.empty() ? UINT64_MAX : packet_ends_.front();
  }

  // The cycle after the last flit; 0 when there is none.
  uint64_t end_cycle() const {
    return runs_.empty() ? 0 : runs_.back().cycle + runs_.back().length;
  }

  // Appends `length` flits from `cycle` on, which is after all others.
  void push(uint64_t cycle, const uint64_t *data, uint32_t length, bool last);
  // Appends the tokens of a batch.
  void push(const Batch &batch);
  // Removes the first `length` flits of the earliest run.
  void pop(uint32_t length);
  // Moves the flits of `batch`'s cycles before `end_cycle` into it; there are none of earlier
  // cycles.
  void move_to(Batch &batch, uint64_t end_cycle);

  // All of them, without their cycles.
  std::vector<Flit> flits() const;

  void save(StateWriter &state) const;
  void load(StateReader &state);

 private:
  std::deque<Run> runs_;
  std::deque<uint64_t> packet_ends_;
  std::vector<uint64_t> words_;  // of all runs, from `first_word_` on
  size_t first_word_ = 0;
};

}  // namespace firesim::functional
