// SPDX-License-Identifier: BSD-3-Clause
//
// The pool of packets inside a switch.
#include "switch/packet.h"

namespace firesim {

Packet *PacketPool::take() {
  Packet *packet = nullptr;
  if (free_.empty()) {
    packet = &all_.emplace_back();
  } else {
    packet = free_.back();
    free_.pop_back();
  }
  packet->references = 1;
  if (packet->has_segments) packet->segments.clear();
  packet->has_segments = false;
  return packet;
}

Packet *PacketPool::borrow(const uint64_t *data, uint32_t flits, FlitBuffer *buffer) {
  Packet *packet = take();
  packet->data = data;
  packet->flits = flits;
  packet->complete = true;
  packet->buffer = buffer;
  packet->borrowed_index = static_cast<uint32_t>(borrowed_.size());
  borrowed_.push_back(packet);
  return packet;
}

Packet *PacketPool::make_empty() {
  Packet *packet = take();
  packet->storage.clear();
  packet->data = packet->storage.data();
  packet->flits = 0;
  packet->complete = false;
  packet->buffer = nullptr;
  // A snapshot holds no trace of the packet that it was before.
  packet->stamp = 0;
  packet->admission_bytes = 0;
  packet->ingress = 0;
  return packet;
}

void PacketPool::append(Packet &packet, const uint64_t *data, uint32_t flits) {
  packet.storage.insert(packet.storage.end(), data, data + flits);
  packet.data = packet.storage.data();
  packet.flits += flits;
}

void PacketPool::reclaim(Packet *packet) {
  if (packet->buffer != nullptr) {
    Packet *moved = borrowed_.back();
    borrowed_.pop_back();
    if (moved != packet) {
      borrowed_[packet->borrowed_index] = moved;
      moved->borrowed_index = packet->borrowed_index;
    }
  }
  free_.push_back(packet);
}

void PacketPool::end_advance() {
  for (Packet *packet : borrowed_) {
    packet->buffer = nullptr;
    packet->storage.assign(packet->data, packet->data + packet->flits);
    packet->data = packet->storage.data();
  }
  borrowed_.clear();
}

}  // namespace firesim
