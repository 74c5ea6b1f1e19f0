// SPDX-License-Identifier: BSD-3-Clause
// A part in the NIC's stream socket, between its DMA and the link: it sees frames whole, may change
// them, take them away, and send frames of its own. A part's model is one if its `stream()` says
// so.
#pragma once

#include <cstdint>
#include <vector>

namespace firesim::functional {

// Flits, of which the first one begins with two pad bytes.
using StreamFrame = std::vector<uint64_t>;

class StreamStage {
 public:
  virtual ~StreamStage() = default;

  // A frame has come from the link; `cycle` is that of its last flit. False: it does not go on.
  virtual bool from_link(StreamFrame &frame, uint64_t cycle) = 0;
  // The same of a frame that DMA has read.
  virtual bool from_dma(StreamFrame & /*frame*/, uint64_t /*cycle*/) { return true; }

  // It has a frame of its own for the link, or nearly: `next_frame` may be empty nevertheless.
  virtual bool has_frame() const { return false; }
  // Asked for when the link is free and it has one.
  virtual StreamFrame next_frame(uint64_t /*cycle*/) { return {}; }
};

}  // namespace firesim::functional
