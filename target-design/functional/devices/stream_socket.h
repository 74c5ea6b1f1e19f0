// SPDX-License-Identifier: BSD-3-Clause
// The stream socket of a NIC with its stages. A frame is seen in the cycle of its last flit. What
// comes from the link goes on to the receive path in that cycle. What is sent waits until the link
// is free: DMA and the stages take turns, a frame each, and a frame's flits follow each other as
// the rate limiter lets them. A new rate counts from the next frame on.
#pragma once

#include <deque>
#include <vector>

#include "functional/devices/flit_timeline.h"
#include "functional/devices/rate_limiter.h"
#include "functional/devices/stream_stage.h"

namespace firesim::functional {

class StreamSocket {
 public:
  // Frames of DMA that wait for the link before it is held up, behind the one that it has begun.
  static constexpr size_t kMostWaiting = 2;

  // A flit sent in cycle t is put into `to_link` for cycle t + `delay_cycles`.
  StreamSocket(uint32_t rate, uint32_t delay_cycles, FlitTimeline &to_dma, FlitTimeline &to_link)
      : limiter_(static_cast<uint16_t>(rate), static_cast<uint16_t>(rate >> 16)),
        delay_cycles_(delay_cycles),
        to_dma_(&to_dma),
        to_link_(&to_link) {}

  // Stands nearer to the link than those before.
  void add(StreamStage &stage) { stages_.push_back(&stage); }

  // Tokens of cycles after those advanced to.
  FlitTimeline &from_link() { return from_link_; }
  void drop_input();
  // What DMA has sent.
  FlitTimeline &from_dma() { return from_dma_; }
  bool is_full() const { return waiting_.size() >= kMostWaiting; }

  // Nothing that DMA has sent is under way, and nothing that a stage has.
  bool at_rest() const { return from_dma_.empty() && leaving_.empty() && !has_frame(); }
  // What has come from the link, and no stage has seen. With `cut` set, the flits that come next,
  // up to the end of a packet, belong to one that is too long.
  std::vector<Flit> unseen(bool &cut) const;

  // Each cycle but once, and each in which something is due.
  void advance(uint64_t cycle);
  uint64_t next_event() const;

  uint32_t rate() const { return limiter_.rate(); }
  void set_rate(uint32_t rate) { limiter_.set_rate(rate, now_ + 1); }

  struct Counts {
    uint64_t flits_in = 0, flits_out = 0, packets_in = 0, packets_out = 0;
  };
  const Counts &counts() const { return counts_; }

  void save(StateWriter &state) const;
  void load(StateReader &state);

 private:
  static constexpr uint64_t kNoCycle = UINT64_MAX;

  bool is_stopped() const { return (limiter_.rate() & 0xffff) == 0; }
  bool has_frame() const;
  // Takes what is due of `flits` to the end of `frame`, which has `most` at most; the cycle of its
  // last flit, if it is complete with that.
  uint64_t gather(FlitTimeline &flits, StreamFrame &frame, size_t most, uint64_t cycle);
  void deliver(uint64_t cycle);
  void queue(uint64_t cycle);
  void send(uint64_t cycle);
  StreamFrame frame_of(size_t source, uint64_t cycle);
  bool pass_to_link(StreamFrame &frame, size_t from_stage, uint64_t cycle);
  void put(const StreamFrame &frame, uint64_t cycle);

  RateLimiter limiter_;
  uint32_t delay_cycles_;
  FlitTimeline *to_dma_, *to_link_;
  std::vector<StreamStage *> stages_;  // the first one is nearest to DMA

  uint64_t now_ = 0;
  FlitTimeline from_link_, from_dma_;
  StreamFrame arriving_, leaving_;   // as far as they have come
  std::deque<StreamFrame> waiting_;  // of DMA
  uint64_t link_free_ = 0;           // no frame before
  size_t last_source_ = 0;           // whose frame was sent last: DMA, then the stages
  Counts counts_;
};

}  // namespace firesim::functional
