// SPDX-License-Identifier: BSD-3-Clause
//
// Packets inside a switch, and the pool they come from.
//
// A packet that arrives whole within one advance borrows its flits from the input batch. Most
// packets leave in the same advance, and the output batch refers to the same memory, so their data
// is never copied. What is still there when the advance ends gets storage of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "core/check.h"
#include "core/flit_buffer.h"

namespace firesim {

// Flits of a packet from `first_flit` on may leave in consecutive cycles from `cycle` on, until the
// next segment. Only packets forwarded before they are complete have segments.
struct ReadySegment {
  uint32_t first_flit = 0;
  uint64_t cycle = 0;
};

// What every packet needs is in the first cache line.
struct alignas(64) Packet {
  const uint64_t *data = nullptr;
  FlitBuffer *buffer = nullptr;  // the one `data` is borrowed from; null if it is in `storage`
  uint64_t stamp = 0;            // first cycle in which it may leave
  uint64_t admission_bytes = 0;  // room it takes in an output queue
  uint32_t ingress = 0;          // port
  uint32_t flits = 0;            // known so far
  bool complete = false;         // the final flit is among them
  bool has_segments = false;

  // Managed by the pool.
  uint32_t references = 0;      // of everything that holds it
  uint32_t borrowed_index = 0;  // of a borrowed one, among those

  std::vector<ReadySegment> segments;
  std::vector<uint64_t> storage;  // the pool's; capacity is kept when the packet is reused

  uint64_t bytes() const { return uint64_t{flits} * 8; }
  // Destination address: bytes 2 to 7 of the frame, byte 2 in bits 7:0.
  uint64_t destination() const { return data[0] >> 16; }
};

class PacketPool {
 public:
  // A packet with one reference whose flits stay where they are until the end of the advance.
  Packet *borrow(const uint64_t *data, uint32_t flits, FlitBuffer *buffer);
  // A packet with one reference and storage of its own, empty.
  Packet *make_empty();
  // Adds flits to a packet made by `make_empty`.
  static void append(Packet &packet, const uint64_t *data, uint32_t flits);

  void release(Packet *packet) {
    FIRESIM_CHECK(packet->references > 0, "packet released more often than it was taken");
    if (--packet->references == 0) reclaim(packet);
  }

  // Ends the advance: packets that still borrow get their own storage.
  void end_advance();

  // Packets in use; for tests.
  size_t in_use() const { return all_.size() - free_.size(); }

 private:
  Packet *take();
  void reclaim(Packet *packet);

  std::deque<Packet> all_;
  std::vector<Packet *> free_;
  std::vector<Packet *> borrowed_;
};

}  // namespace firesim
