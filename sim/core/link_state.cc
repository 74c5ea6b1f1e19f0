// SPDX-License-Identifier: BSD-3-Clause
//
// The saved form of links; see link_state.h.
#include "core/link_state.h"

#include <algorithm>
#include <vector>

namespace firesim {

namespace {

constexpr size_t kMostFaultBytes = size_t{1} << 34;

}  // namespace

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

void write_faults(StateWriter &state, const std::optional<SavedFaults> &faults) {
  state.boolean(faults.has_value());
  if (!faults) return;
  state.u64(faults->lookahead_cycles);
  state.boolean(faults->is_idle);
  state.bytes(faults->state);
}

std::optional<SavedFaults> read_faults(StateReader &state) {
  if (!state.boolean()) return std::nullopt;
  SavedFaults faults;
  faults.lookahead_cycles = state.u64(UINT32_MAX);
  faults.is_idle = state.boolean();
  faults.state = state.bytes(kMostFaultBytes);
  return faults;
}

namespace {

void write_direction(StateWriter &state, const DirectionState &direction) {
  state.u64(direction.in_flight.cycles());
  write_totals(state, direction.totals);
  write_tokens(state, direction.in_flight);
}

// `latency_cycles` is what it must be, if that is known.
DirectionState read_direction(StateReader &state, std::optional<uint32_t> latency_cycles,
                              uint64_t cycle) {
  DirectionState direction;
  if (latency_cycles) state.expect("the latency in cycles", *latency_cycles);
  const auto cycles =
      latency_cycles ? *latency_cycles : static_cast<uint32_t>(state.u64(UINT32_MAX));
  direction.totals = read_totals(state);
  direction.in_flight = read_tokens(state, cycle, cycles);
  return direction;
}

LinkState read_any_link(StateReader &state, std::optional<uint32_t> latency_cycles,
                        uint64_t cycle) {
  state.section("link", 1);
  LinkState link;
  link.a_to_b = read_direction(state, latency_cycles, cycle);
  link.b_to_a = read_direction(state, latency_cycles, cycle);
  if (state.next_section_is("faults")) {
    state.section("faults", 1);
    link.a_to_b.faults = read_faults(state);
    link.b_to_a.faults = read_faults(state);
  }
  state.finish();
  return link;
}

}  // namespace

void write_link(StateWriter &state, const DirectionState &a_to_b, const DirectionState &b_to_a) {
  state.section("link", 1);
  write_direction(state, a_to_b);
  write_direction(state, b_to_a);
  if (!a_to_b.faults && !b_to_a.faults) return;
  state.section("faults", 1);
  write_faults(state, a_to_b.faults);
  write_faults(state, b_to_a.faults);
}

LinkState read_link(StateReader &state, uint32_t latency_cycles, uint64_t cycle) {
  return read_any_link(state, latency_cycles, cycle);
}

namespace {

// Of n tokens the one with number i leaves room for those after it, and so comes out in one of the
// first `latency_cycles - (n - i)` cycles: times stay in order, since both limits are. With faults
// they end before the cycles of those that the faults hold.
void retime(DirectionState &direction, uint32_t latency_cycles, StateReader &state) {
  const uint64_t held = direction.faults ? direction.faults->lookahead_cycles : 0;
  const uint64_t room = held < latency_cycles ? latency_cycles - held : 0;
  const Batch &tokens = direction.in_flight;
  const uint64_t count = tokens.flit_count();
  if (count > room) {
    state.fail("found " + std::to_string(count) + " tokens in flight, expected at most " +
               std::to_string(room) + ", the latency of the link in this system");
  }
  Batch moved(tokens.start_cycle(), latency_cycles);
  auto latest = static_cast<uint32_t>(room - count);
  for (const Run &run : tokens.runs()) {
    for (uint32_t i = 0; i < run.length; ++i, ++latest) {
      moved.append_flit(std::min(run.offset + i, latest), run.data[i],
                        run.last && i + 1 == run.length);
    }
  }
  direction.in_flight = std::move(moved);
}

}  // namespace

std::vector<uint8_t> retimed_link(StateReader &state, uint32_t latency_cycles, uint64_t cycle) {
  LinkState link = read_any_link(state, std::nullopt, cycle);
  retime(link.a_to_b, latency_cycles, state);
  retime(link.b_to_a, latency_cycles, state);
  StateWriter writer;
  write_link(writer, link.a_to_b, link.b_to_a);
  return writer.data();
}

}  // namespace firesim
