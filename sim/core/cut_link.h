// SPDX-License-Identifier: BSD-3-Clause
//
// The state of a link between two processes: taken from where it is, put together into that of an
// uncut link, and taken apart again.
//
// A direction of N cycles is cut in three (peer_model.h). When everything stands at cycle C, the
// tokens that come out last are with the sender, and those that come out first with the receiver,
// which by then has also got what was on the wire:
//
//   cycles at the far end   C ........ C+near ........ C+near+wire ........ C+N
//                           | receiver's link | what it has received | sender's link |
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/link_state.h"
#include "core/peer_model.h"
#include "core/scheduler.h"

namespace firesim {

// As the process sees it in which one of its ends is.
struct CutLink {
  std::string name;
  size_t near_end = 0;  // 0: the end "a" is here, 1: the end "b"
  uint32_t near_cycles = 0;
  uint32_t wire_cycles = 0;
  uint32_t far_cycles = 0;
  size_t process = 0;  // the other one
  uint32_t port = 0;   // of the model that stands for it

  uint32_t latency_cycles() const { return near_cycles + wire_cycles + far_cycles; }
};

// What one of the two processes holds, all tokens by the cycle in which they come out.
struct HalfLink {
  DirectionState sent;  // by the model here; the totals are those of the whole direction
  Batch received;       // for the model here
};

// While all models stand at one cycle, and all that was sent before has been received.
HalfLink save_half(const CutLink &link, const Scheduler &scheduler, const PeerModel &peer);

void write_half(StateWriter &state, const HalfLink &half);
HalfLink read_half(StateReader &state);

// The state of the link as if it had never been cut. Throws std::runtime_error for halves that do
// not fit.
std::vector<uint8_t> join_halves(HalfLink a, HalfLink b);

// Gives the process its half of a link that was saved at `cycle`; returns what the peer is to have
// received, by the cycle in which its port puts it out.
Batch load_half(const CutLink &link, StateReader &state, uint64_t cycle, Scheduler &scheduler);

}  // namespace firesim
