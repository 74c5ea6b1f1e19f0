// SPDX-License-Identifier: BSD-3-Clause
// Receive path of the NIC: packets are stored as they arrive, or dropped whole, and written to the
// buffers software gave when they are complete, at 8 bytes a cycle. Memory changes, and the
// completion comes, in the cycle of the last 8 bytes.
#pragma once

#include <deque>
#include <vector>

#include "functional/devices/device_memory.h"
#include "functional/devices/flit_timeline.h"
#include "functional/devices/internet_checksum.h"

namespace firesim::functional {

class NicReceiver {
 public:
  static constexpr uint32_t kQueueDepth = 16;
  static constexpr uint32_t kBufferWords = 4096;
  static constexpr uint32_t kMostPackets = 64;
  static constexpr uint32_t kMostFrameWords = 1152;

  // Where the sum of a received frame begins: after two pad bytes and the Ethernet header.
  static constexpr uint32_t kSumStart = 16;

  explicit NicReceiver(DeviceMemory &memory) : memory_(&memory) {}
  // Completions of packets from now on have their sums, too.
  void make_sums() { sums_ = true; }

  // Tokens of cycles after those advanced to.
  FlitTimeline &input() { return input_; }

  // In the cycle advanced to. A request is refused, without effect, when the queue is full.
  void request(uint64_t address);
  // The length in bytes of a packet in memory, and its sum from bit 16 on; 0 when there is none.
  uint32_t take_completion();

  void advance(uint64_t cycle);
  uint64_t next_event() const;

  uint32_t free_requests() const { return kQueueDepth - static_cast<uint32_t>(requests_.size()); }
  uint32_t completions() const { return static_cast<uint32_t>(completions_.size()); }
  uint32_t drops() const { return drops_; }
  uint64_t flits() const { return flits_; }
  uint64_t packets() const { return packets_; }

  // Nothing is being written to memory, and no completion waits.
  bool at_rest() const { return !writing_ && completions_.empty(); }
  const std::deque<uint64_t> &requests() const { return requests_; }
  // What has arrived and is not in memory, in order. With `cut` set, the flits that come next, up
  // to the end of a packet, belong to one that has been dropped.
  std::vector<Flit> unread(bool &cut) const;

  void save(StateWriter &state) const;
  void load(StateReader &state);

 private:
  bool has_room() const { return completions_.size() < kQueueDepth; }
  // Words in the buffer at the beginning of `cycle`, those of an unfinished packet included.
  uint64_t used(uint64_t cycle) const;
  void take_flits(uint32_t count);
  void take_flit(const uint64_t *data, uint64_t cycle, bool last);
  void start_write(uint64_t cycle);
  void finish_write(uint64_t cycle);

  DeviceMemory *memory_;
  FlitTimeline input_;
  uint64_t now_ = 0;

  std::vector<uint64_t> words_;  // the buffer, oldest first, from `first_word_` on
  size_t first_word_ = 0;
  std::deque<uint32_t> lengths_;  // words of each complete packet
  uint32_t arriving_words_ = 0;   // of the packet that is arriving
  bool dropping_ = false;         // the rest of it

  std::deque<uint64_t> requests_;
  std::deque<uint32_t> completions_;  // bytes, and the sum from bit 16 on
  bool sums_ = false;
  bool writing_ = false;  // the oldest packet is being written to `address_`
  uint64_t address_ = 0;
  uint64_t write_start_ = 0;  // its word i is written in cycle write_start_ + 1 + i
  uint32_t drops_ = 0;
  uint64_t flits_ = 0, packets_ = 0;
};

}  // namespace firesim::functional
