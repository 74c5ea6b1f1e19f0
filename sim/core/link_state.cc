// SPDX-License-Identifier: BSD-3-Clause
//
// The saved form of links; see link_state.h.
#include "core/link_state.h"

#include <algorithm>
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

namespace {

// Of n tokens the one with number i leaves room for those after it, and so comes out in one of the
// first `latency_cycles - (n - i)` cycles: times stay in order, since both limits are.
Batch retimed(const Batch &tokens, uint32_t latency_cycles, StateReader &state) {
  const uint64_t count = tokens.flit_count();
  if (count > latency_cycles) {
    state.fail("found " + std::to_string(count) + " tokens in flight, expected at most " +
               std::to_string(latency_cycles) + ", the latency of the link in this system");
  }
  Batch moved(tokens.start_cycle(), latency_cycles);
  auto latest = static_cast<uint32_t>(latency_cycles - count);
  for (const Run &run : tokens.runs()) {
    for (uint32_t i = 0; i < run.length; ++i, ++latest) {
      moved.append_flit(std::min(run.offset + i, latest), run.data[i],
                        run.last && i + 1 == run.length);
    }
  }
  return moved;
}

}  // namespace

std::vector<uint8_t> retimed_link(StateReader &state, uint32_t latency_cycles, uint64_t cycle) {
  StateWriter writer;
  state.section("link", 1);
  writer.section("link", 1);
  for (int direction = 0; direction < 2; ++direction) {
    const auto saved_cycles = static_cast<uint32_t>(state.u64(UINT32_MAX));
    const ChannelTotals totals = read_totals(state);
    const Batch tokens = read_tokens(state, cycle, saved_cycles);
    write_direction(writer, {totals, retimed(tokens, latency_cycles, state)});
  }
  state.finish();
  return writer.data();
}

}  // namespace firesim
