// SPDX-License-Identifier: BSD-3-Clause
//
// A cut-through switch, and an example of how to derive a switch from the stock one.
//
// A packet is stamped when its first flit arrives, which holds the destination address, and every
// flit leaves as soon as the port is free and the switching latency has passed since it arrived.
// So an unloaded port delays a packet by the switching latency alone, whatever its length.
//
// What follows from forwarding before the length is known:
//  - a packet takes room for the longest packet in an output queue (`max_packet_bytes`), though
//    the counters of the queue say what is there;
//  - runts are forwarded, so `min_packet_flits` must be 1;
//  - a packet that is too long is cut off at the longest length, and counted as oversized.
//
// The class is all there is to a switch of one's own: a constructor that takes the configuration,
// and the virtual functions to be changed. cut_through.cc makes it known, by the same line as in a
// file of your own.
#pragma once

#include <utility>

#include "core/model.h"
#include "switch/store_and_forward.h"

namespace firesim {

class CutThroughSwitch : public StoreAndForwardSwitch {
 public:
  explicit CutThroughSwitch(SwitchConfig config) : StoreAndForwardSwitch(std::move(config)) {
    if (this->config().min_packet_flits != 1) {
      throw DescriptionError("switch " + name() + ": \"min_packet_flits\" is " +
                             std::to_string(this->config().min_packet_flits) +
                             ", expected 1, as a cut-through switch forwards runts");
    }
  }

 protected:
  bool forwards_at_first_flit() const override { return true; }
};

}  // namespace firesim
