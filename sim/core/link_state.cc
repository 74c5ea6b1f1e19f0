// SPDX-License-Identifier: BSD-3-Clause
//
// The saved form of links; see link_state.h.
#include "core/link_state.h"

#include <vector>

namespace firesim {

void write_totals(StateWriter &state, const ChannelTotals &totals) {
  state.u64(totals.flits);
  state.u64(totals.packets);
  state.u64(totals.hash);
}

ChannelTotals read_totals(StateReader &state) {
  ChannelTotals totals;
  totals.flits = state.u64();
  totals.packets = state.u64();
  totals.hash = state.u64();
  return totals;
}

// Stretches by the cycle of their first flit, each with its flits.
void write_tokens(StateWriter &state, const Batch &tokens) {
  std::vector<uint64_t> stretch;
  const std::span<const Run> runs = tokens.runs();
  for (size_t i = 0; i < runs.size();) {
    const uint64_t first = tokens.start_cycle() + runs[i].offset;
    stretch.clear();
    bool last = false;
    do {
      stretch.insert(stretch.end(), runs[i].data, runs[i].data + runs[i].length);
      last = runs[i].last;
      ++i;
    } while (!last && i < runs.size() && runs[i].offset == runs[i - 1].end());
    state.u64(first);
    state.u64s(stretch);
    state.boolean(last);
  }
  state.u64(UINT64_MAX);
}

Batch read_tokens(StateReader &state, uint64_t start_cycle, uint32_t cycles) {
  Batch tokens(start_cycle, cycles);
  uint64_t next = start_cycle;
  for (uint64_t at = state.u64(); at != UINT64_MAX; at = state.u64()) {
    const std::vector<uint64_t> flits = state.u64s(cycles);
    if (at < next || at - start_cycle > cycles - flits.size()) {
      state.fail("found tokens in flight in cycle " + std::to_string(at) + ", expected " +
                 std::to_string(next) + " to " + std::to_string(start_cycle + cycles - 1));
    }
    next = at + flits.size();
    tokens.append_run(static_cast<uint32_t>(at - start_cycle), flits.data(),
                      static_cast<uint32_t>(flits.size()), state.boolean());
  }
  return tokens;
}

void write_direction(StateWriter &state, const DirectionState &direction) {
  state.u64(direction.in_flight.cycles());
  write_totals(state, direction.totals);
  write_tokens(state, direction.in_flight);
}

DirectionState read_direction(StateReader &state, uint32_t latency_cycles, uint64_t cycle) {
  state.expect("the latency in cycles", latency_cycles);
  DirectionState direction;
  direction.totals = read_totals(state);
  direction.in_flight = read_tokens(state, cycle, latency_cycles);
  return direction;
}

}  // namespace firesim
