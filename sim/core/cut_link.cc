// SPDX-License-Identifier: BSD-3-Clause
//
// Halves of links; see cut_link.h.
#include "core/cut_link.h"

#include <stdexcept>
#include <utility>

namespace firesim {

namespace {

Batch moved(Batch tokens, uint64_t to_cycle) {
  tokens.set_start_cycle(to_cycle);
  return tokens;
}

// The tokens of cycles [from, from + cycles), counted from the start of `tokens`, as a batch that
// starts at `start_cycle`.
Batch part_of(const Batch &tokens, uint32_t from, uint32_t cycles, uint64_t start_cycle) {
  Batch part(start_cycle, cycles);
  part.append_part(tokens, from, from + cycles, 0);
  return part;
}

void write_stretch(StateWriter &state, const Batch &tokens) {
  state.u64(tokens.start_cycle());
  state.u64(tokens.cycles());
  write_tokens(state, tokens);
}

Batch read_stretch(StateReader &state) {
  const uint64_t start_cycle = state.u64();
  const auto cycles = static_cast<uint32_t>(state.u64(UINT32_MAX));
  return read_tokens(state, start_cycle, cycles);
}

DirectionState join(DirectionState sent, Batch received) {
  if (received.end_cycle() != sent.in_flight.start_cycle()) {
    throw std::runtime_error("the two halves of a link do not fit");
  }
  received.merge(sent.in_flight);
  return {sent.totals, std::move(received), std::move(sent.faults)};
}

}  // namespace

HalfLink save_half(const CutLink &link, const Scheduler &scheduler, const PeerModel &peer) {
  const bool a_is_here = link.near_end == 0;
  HalfLink half;
  half.sent = scheduler.direction(link.name, a_is_here);
  Batch &in_flight = half.sent.in_flight;
  in_flight.set_start_cycle(in_flight.start_cycle() + link.wire_cycles + link.far_cycles);
  half.received = scheduler.direction(link.name, !a_is_here).in_flight;
  half.received.merge(moved(peer.received(link.port), half.received.end_cycle()));
  return half;
}

void write_half(StateWriter &state, const HalfLink &half) {
  write_totals(state, half.sent.totals);
  write_faults(state, half.sent.faults);
  write_stretch(state, half.sent.in_flight);
  write_stretch(state, half.received);
}

HalfLink read_half(StateReader &state) {
  HalfLink half;
  half.sent.totals = read_totals(state);
  half.sent.faults = read_faults(state);
  half.sent.in_flight = read_stretch(state);
  half.received = read_stretch(state);
  return half;
}

std::vector<uint8_t> join_halves(HalfLink a, HalfLink b) {
  StateWriter state;
  write_link(state, join(std::move(a.sent), std::move(b.received)),
             join(std::move(b.sent), std::move(a.received)));
  return state.data();
}

Batch load_half(const CutLink &link, StateReader &state, uint64_t cycle, Scheduler &scheduler) {
  const LinkState whole = read_link(state, link.latency_cycles(), cycle);
  const bool a_is_here = link.near_end == 0;
  const DirectionState &sent = a_is_here ? whole.a_to_b : whole.b_to_a;
  const DirectionState &received = a_is_here ? whole.b_to_a : whole.a_to_b;
  const uint32_t beyond = link.wire_cycles + link.far_cycles;
  scheduler.restore_direction(
      link.name, a_is_here,
      {sent.totals, part_of(sent.in_flight, beyond, link.near_cycles, cycle), sent.faults});
  scheduler.restore_direction(
      link.name, !a_is_here,
      {received.totals, part_of(received.in_flight, 0, link.near_cycles, cycle), std::nullopt});
  return part_of(received.in_flight, link.near_cycles, link.wire_cycles, cycle);
}

}  // namespace firesim
