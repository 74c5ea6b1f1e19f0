// SPDX-License-Identifier: BSD-3-Clause
// Receive path of the NIC: packets are stored as they arrive, or dropped whole, and written to the
// buffers software gave when they are complete, at 8 bytes a cycle. Memory changes, and the
// completion comes, in the cycle of the last 8 bytes. With several queues, a packet whose queue has
// no buffer waits, and all behind it.
#pragma once

#include <array>
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
  static constexpr uint32_t kMostQueues = 4;
  static constexpr uint32_t kIndirections = 128;  // entries of the table from hashes to queues
  static constexpr uint32_t kTableWords = kIndirections / 32;

  // Where the sum of a received frame begins: after two pad bytes and the Ethernet header.
  static constexpr uint32_t kSumStart = 16;

  explicit NicReceiver(DeviceMemory &memory) : memory_(&memory) {}
  // Completions of packets from now on have their sums, too.
  void make_sums() { sums_ = true; }
  // There are so many queues, a power of two.
  void spread(uint32_t queues) { queues_.resize(queues); }

  // Tokens of cycles after those advanced to.
  FlitTimeline &input() { return input_; }

  // In the cycle advanced to. A request is refused, without effect, when the queue is full.
  void request(uint32_t queue, uint64_t address);
  // The length in bytes of a packet in memory, and its sum from bit 16 on; 0 when there is none.
  uint32_t take_completion(uint32_t queue);
  // Entries of the indirection table, 32 of two bits in each word; for packets that come later.
  uint64_t table(uint32_t word) const { return table_[word]; }
  void set_table(uint32_t word, uint64_t entries) { table_[word] = entries; }

  void advance(uint64_t cycle);
  uint64_t next_event() const;

  uint32_t free_requests(uint32_t queue) const {
    return kQueueDepth - static_cast<uint32_t>(queues_[queue].requests.size());
  }
  uint32_t completions(uint32_t queue) const {
    return static_cast<uint32_t>(queues_[queue].completions.size());
  }
  uint32_t drops() const { return drops_; }
  uint64_t flits() const { return flits_; }
  uint64_t packets() const { return packets_; }

  // Nothing is being written to memory, and no completion waits.
  bool at_rest() const;
  const std::deque<uint64_t> &requests(uint32_t queue) const { return queues_[queue].requests; }
  // What has arrived and is not in memory, in order. With `cut` set, the flits that come next, up
  // to the end of a packet, belong to one that has been dropped.
  std::vector<Flit> unread(bool &cut) const;

  void save(StateWriter &state) const;
  void load(StateReader &state);
  // Of a NIC with several queues: those beyond the first, and the table.
  void save_queues(StateWriter &state) const;
  void load_queues(StateReader &state);

 private:
  struct Queue {
    std::deque<uint64_t> requests;
    std::deque<uint32_t> completions;  // bytes, and the sum from bit 16 on
  };

  // The queue of the oldest packet, which is the one being written.
  Queue &oldest() { return queues_[owners_.front()]; }
  const Queue &oldest() const { return queues_[owners_.front()]; }
  bool has_room() const { return oldest().completions.size() < kQueueDepth; }
  uint32_t owner_of(std::span<const uint64_t> packet) const;
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
  std::deque<uint32_t> owners_;   // and its queue
  uint32_t arriving_words_ = 0;   // of the packet that is arriving
  bool dropping_ = false;         // the rest of it

  std::vector<Queue> queues_{1};
  std::array<uint64_t, kTableWords> table_{};
  bool sums_ = false;
  bool writing_ = false;  // the oldest packet is being written to `address_`
  uint64_t address_ = 0;
  uint64_t write_start_ = 0;  // its word i is written in cycle write_start_ + 1 + i
  uint32_t drops_ = 0;
  uint64_t flits_ = 0, packets_ = 0;
};

}  // namespace firesim::functional
