// SPDX-License-Identifier: BSD-3-Clause
//
// What a direction of a link holds while its two ends stand at the same cycle, as values and as a
// part of a snapshot.
//
// The saved form depends on the tokens alone: flits of one packet in consecutive cycles are one
// stretch, however the batches were cut that brought them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/batch.h"
#include "core/state.h"

namespace firesim {

// Totals over a direction. Flits and packets may be read at any time, the hash after the run.
struct ChannelTotals {
  uint64_t flits = 0;
  uint64_t packets = 0;
  uint64_t hash = 0;
};

// What the faults of a direction hold (core/fault_stage.h).
struct SavedFaults {
  uint64_t lookahead_cycles = 0;
  bool is_idle = true;  // no frame is held
  std::vector<uint8_t> state;
};

// A direction that was saved at cycle C: the tokens in flight are those that come out in
// [C, C + latency).
struct DirectionState {
  ChannelTotals totals;
  Batch in_flight;
  std::optional<SavedFaults> faults;  // of one with faults, which holds the tokens put in last
};

// Both directions of a link as its part of a snapshot; each has a latency of the length of
// `in_flight`. The reader is at the beginning, and has read everything afterwards.
void write_link(StateWriter &state, const DirectionState &a_to_b, const DirectionState &b_to_a);
struct LinkState {
  DirectionState a_to_b, b_to_a;
};
LinkState read_link(StateReader &state, uint32_t latency_cycles, uint64_t cycle);

// The state of a link that was saved at `cycle`, as that of a link of another latency: every token
// comes out when it would have, or so much earlier that all fit. Throws SnapshotError if they are
// too many.
std::vector<uint8_t> retimed_link(StateReader &state, uint32_t latency_cycles, uint64_t cycle);

// The same of a stretch of a direction.
void write_totals(StateWriter &state, const ChannelTotals &totals);
ChannelTotals read_totals(StateReader &state);
void write_faults(StateWriter &state, const std::optional<SavedFaults> &faults);
std::optional<SavedFaults> read_faults(StateReader &state);
void write_tokens(StateWriter &state, const Batch &tokens);
Batch read_tokens(StateReader &state, uint64_t start_cycle, uint32_t cycles);

}  // namespace firesim
