// SPDX-License-Identifier: BSD-3-Clause
// RoCEv2 on the wire: frames that are the NIC's become packets, and packets become frames.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "parts/rdma/functional/queue_pair.h"

namespace firesim::functional::rdma {

// The NIC's own addresses.
struct Address {
  uint64_t mac = 0;  // as on the wire, first byte lowest
  uint32_t ip = 0;   // first byte highest
};

// A packet to be sent. `extension` has RETH, AETH, immediate and IETH as far as it has them.
struct TxPacket {
  uint32_t qp = 0;
  uint8_t opcode = 0;
  uint32_t psn = 0;
  bool ack_request = false;
  bool solicited = false;
  std::array<uint32_t, 5> extension{};
  uint64_t address = 0;  // of the payload in memory
  uint32_t bytes = 0;

  // Of the whole frame, as the link carries it.
  uint32_t frame_bytes() const;
};

// A packet that has arrived.
struct RxPacket {
  enum class Fault { kNone, kMalformed, kWrongIcrc };
  Fault fault = Fault::kNone;
  bool marked = false;  // by a switch: congestion experienced
  uint8_t opcode = 0;
  uint32_t qp = 0;
  uint32_t psn = 0;
  bool ack_request = false;
  bool solicited = false;
  uint16_t partition = 0;
  uint32_t source_ip = 0;
  std::array<uint32_t, 5> extension{};
  std::span<const uint8_t> payload;  // in the frame

  uint32_t bytes() const { return static_cast<uint32_t>(payload.size()); }
  uint8_t syndrome() const { return static_cast<uint8_t>(extension[0] >> 24); }
  uint64_t remote_address() const { return uint64_t{extension[0]} << 32 | extension[1]; }
  uint32_t remote_key() const { return extension[2]; }
  uint32_t dma_bytes() const { return extension[3]; }
  // The immediate, or the key to be invalidated.
  uint32_t immediate() const;
};

// Whether it is whole, for a queue pair that is set up, and from the end that it is set up for.
bool is_for(const QueuePairs &pairs, const RxPacket &packet);

// What packets to be sent say of congestion.
struct Marking {
  bool markable = false;  // packets with data say that switches may mark them
  uint8_t notification_dscp = 0;
};

// Whether a frame is whole IPv4 (no options, no fragment) for UDP port 4791 of these addresses.
bool is_ours(std::span<const uint64_t> frame, const Address &own);

// Takes such a frame apart. CNPs are malformed unless `notifications` are taken.
RxPacket parse(std::span<const uint64_t> frame, bool notifications);

// The frame of a packet: whole flits, with the two pad bytes in front.
std::vector<uint64_t> build(const TxPacket &packet, const QpConfig &config, const Address &own,
                            const Marking &marking, std::span<const uint8_t> payload);

}  // namespace firesim::functional::rdma
