// SPDX-License-Identifier: BSD-3-Clause
//
// What a direction of a link holds while its two ends stand at the same cycle, as values and as a
// part of a snapshot.
//
// The saved form depends on the tokens alone: flits of one packet in consecutive cycles are one
// stretch, however the batches were cut that brought them.
#pragma once

#include <cstdint>
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

// A direction that was saved at cycle C: the tokens in flight are those that come out in
// [C, C + latency).
struct DirectionState {
  ChannelTotals totals;
  Batch in_flight;
};

// `latency` of the direction is the length of `in_flight`.
void write_direction(StateWriter &state, const DirectionState &direction);
DirectionState read_direction(StateReader &state, uint32_t latency_cycles, uint64_t cycle);

// The state of a link that was saved at `cycle`, as that of a link of another latency: every token
// comes out when it would have, or so much earlier that all fit. Throws SnapshotError if they are
// too many.
std::vector<uint8_t> retimed_link(StateReader &state, uint32_t latency_cycles, uint64_t cycle);

// The same of a stretch of a direction.
void write_totals(StateWriter &state, const ChannelTotals &totals);
ChannelTotals read_totals(StateReader &state);
void write_tokens(StateWriter &state, const Batch &tokens);
Batch read_tokens(StateReader &state, uint64_t start_cycle, uint32_t cycles);

}  // namespace firesim
