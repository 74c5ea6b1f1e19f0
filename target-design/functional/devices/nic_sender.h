// SPDX-License-Identifier: BSD-3-Clause
// Send path of the NIC: pieces of packets become flits, one a cycle at most and no more than the
// rate limiter lets pass. The memory of a piece is read when the piece before it is done, and the
// piece is complete in the cycle in which its last flit is sent.
#pragma once

#include <deque>
#include <vector>

#include "functional/devices/device_memory.h"
#include "functional/devices/flit_timeline.h"
#include "functional/devices/internet_checksum.h"
#include "functional/devices/rate_limiter.h"

namespace firesim::functional {

class NicSender {
 public:
  static constexpr uint32_t kQueueDepth = 16;
  static constexpr size_t kMostGatheredBytes = 9216;

  // A flit sent in cycle t is put into `output` for cycle t + `delay_cycles`.
  NicSender(uint16_t rate_increment, uint16_t rate_period, uint32_t delay_cycles,
            DeviceMemory &memory, FlitTimeline &output)
      : limiter_(rate_increment, rate_period),
        delay_cycles_(delay_cycles),
        memory_(&memory),
        output_(&output) {}

  // Sends into a stream socket, a flit a cycle; that puts the flits on the link.
  void redirect(FlitTimeline &socket) {
    output_ = &socket;
    delay_cycles_ = 0;
    limiter_ = RateLimiter(1, 1);
    redirected_ = true;
  }
  // The socket has no room for a packet more: no piece begins.
  void hold(bool held);

  // In the cycle advanced to. A request is refused, without effect, when the queue is full.
  void request(uint64_t value);
  // The next packet whose first piece is requested gets a checksum: it is gathered before it goes.
  void ask_for_checksum(uint32_t value) { asked_ = value; }
  bool take_completion();
  void set_rate(uint32_t rate);

  void advance(uint64_t cycle);
  uint64_t next_event() const { return active_ && has_room() ? done_cycle_ : kNoCycle; }
  // The cycle of the last flit of the packet that is being sent, if its last piece is.
  uint64_t packet_end() const {
    return active_ && ends_packet_ && next_flit_ != flits_left_.size() ? done_cycle_ : kNoCycle;
  }

  uint32_t free_requests() const { return kQueueDepth - static_cast<uint32_t>(queue_.size()); }
  uint32_t completions() const { return completions_; }
  uint32_t rate() const { return limiter_.rate(); }
  uint64_t flits() const { return flits_; }
  uint64_t packets() const { return packets_; }
  bool idle() const { return !active_; }
  // All requests have been sent, to the last byte.
  bool at_rest() const { return !active_ && queue_.empty() && carry_.empty() && asked_ == 0; }

  void save(StateWriter &state) const;
  void load(StateReader &state);
  // What is known of checksums, for a NIC that makes them.
  void save_checksums(StateWriter &state) const;
  void load_checksums(StateReader &state);

 private:
  static constexpr uint64_t kNoCycle = UINT64_MAX;

  bool has_room() const { return completions_ < kQueueDepth; }
  void start_piece();
  void send_until(uint64_t cycle);
  void plan();
  void check_next_flit(const StateReader &state) const;

  RateLimiter limiter_;
  uint32_t delay_cycles_;
  DeviceMemory *memory_;
  FlitTimeline *output_;

  uint64_t now_ = 0;
  std::deque<uint64_t> queue_;   // requests as written
  std::deque<uint32_t> wanted_;  // for each of them, the checksum of the packet it begins, or 0
  uint32_t asked_ = 0;           // of the packet that begins next
  bool redirected_ = false;
  bool held_ = false;
  bool begins_ = true;          // the next request begins a packet
  ChecksumPlace gathering_{0};  // of the packet that is being sent
  uint32_t completions_ = 0;

  bool active_ = false;               // a piece is being sent
  bool ends_packet_ = false;          // it is the last one of its packet
  std::vector<uint64_t> flits_left_;  // from `next_flit_` on
  size_t next_flit_ = 0;
  uint64_t next_cycle_ = 0;  // no flit before
  uint64_t done_cycle_ = 0;  // in which the piece will be complete
  // Bytes of the packet that do not fill a flit yet, fewer than 8; all, while it is gathered.
  std::vector<uint8_t> carry_;
  uint64_t flits_ = 0, packets_ = 0;
};

}  // namespace firesim::functional
