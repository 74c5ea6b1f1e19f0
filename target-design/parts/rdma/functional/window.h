// SPDX-License-Identifier: BSD-3-Clause
// What the requester knows of a queue pair and of its work requests on the wire, and their packets.
#pragma once

#include <array>
#include <cstdint>

#include "parts/rdma/functional/completions.h"
#include "parts/rdma/functional/packet.h"
#include "parts/rdma/functional/psn.h"

namespace firesim::functional::rdma {

// Work requests of a queue pair that may be on the wire at a time.
inline constexpr uint32_t kWindow = 16;
// Most numbers on the wire: half of all, so that old ones and new ones can be told apart.
inline constexpr uint32_t kMostPsns = 1 << 23;

// A work request of 64 bytes, as software writes it.
struct WorkEntry {
  std::array<uint64_t, 8> words{};

  uint32_t id() const { return static_cast<uint32_t>(words[0]); }
  uint64_t address() const { return words[1] << 32 | words[0] >> 32; }
  uint32_t bytes() const { return static_cast<uint32_t>(words[1] >> 32); }
  uint8_t opcode() const { return static_cast<uint8_t>(words[2]); }
  uint8_t flags() const { return static_cast<uint8_t>(words[2] >> 8); }
  uint32_t awaited_qp() const { return words[2] >> 16 & (kQps - 1); }
  uint64_t remote_address() const { return words[3] << 32 | words[2] >> 32; }
  uint32_t remote_key() const { return static_cast<uint32_t>(words[3] >> 32); }
  uint16_t awaited() const { return static_cast<uint16_t>(words[4]); }
  uint32_t immediate() const { return static_cast<uint32_t>(words[6]); }
  uint32_t local_key() const { return static_cast<uint32_t>(words[6] >> 32); }
  bool known() const { return opcode() <= kWorkRead || opcode() == kWorkSendInvalidate; }
};

// A work request that has been checked, and has its packet sequence numbers.
struct Work {
  uint32_t id = 0;
  uint8_t opcode = 0;
  uint8_t flags = 0;
  uint64_t address = 0;  // physical
  uint32_t bytes = 0;
  uint64_t remote_address = 0;
  uint32_t remote_key = 0;
  uint32_t immediate = 0;
  uint32_t first_psn = 0;
  uint32_t packets = 0;  // requests, or responses of a READ
  uint32_t awaited_qp = 0;
  uint16_t awaited = 0;

  Work() = default;
  Work(const WorkEntry &entry, uint64_t physical, const QpConfig &config, uint32_t psn);

  bool is_read() const { return opcode == kWorkRead; }
  bool is_write() const { return opcode <= kWorkWriteImmediate; }
  bool signaled() const { return (flags & 1) != 0; }
  bool fenced() const { return (flags & 4) != 0; }
  bool awaits() const { return (flags & 8) != 0; }
  // First number of the next work request.
  uint32_t end_psn() const { return psn_add(first_psn, packets); }
  // Bytes before the packet with this number.
  uint32_t offset(const QpConfig &config, uint32_t psn) const {
    return psn_distance(first_psn, psn) << config.mtu_shift();
  }
  // The packet with this number; a READ asks for all from there on.
  TxPacket packet(uint32_t qp, const QpConfig &config, uint32_t psn) const;
  Completion completion(uint32_t qp, const QpConfig &config, Status status) const;

  template <typename Field>
  void each(Field &&field) {
    field(id), field(opcode), field(flags), field(address), field(bytes), field(remote_address);
    field(remote_key), field(immediate), field(first_psn, kPsnMask), field(packets, kPsnMask);
    field(awaited_qp, kQps - 1), field(awaited);
  }

 private:
  uint8_t packet_opcode(bool first, bool last) const;
};

// A queue pair's window. Work requests are counted from the first one of its send queue: those from
// `head` up to `send` have been sent, and wait for the peer; the one at `send` is being sent;
// `tail` is the next one to be fetched. Packets are counted by their numbers, in the same way.
struct Window {
  uint16_t head = 0, send = 0, tail = 0;
  uint32_t oldest = 0;  // not acknowledged
  uint32_t next = 0;    // to be sent
  uint32_t most = 0;    // greatest `next` so far
  uint32_t end = 0;     // first one of the next work request
  uint8_t reads = 0;    // READs from `head` up to `send`
  uint8_t retries = 0;  // that are left
  uint8_t not_ready_retries = 0;
  bool gap = false;      // responses are missing, and have been asked for again
  bool waits = false;    // as the peer was not ready
  bool timed = false;    // its timer runs
  bool blocked = false;  // the next work request is looked at again when the window is empty
  std::array<Work, kWindow> works;

  Work &at(uint16_t index) { return works[index % kWindow]; }
  const Work &at(uint16_t index) const { return works[index % kWindow]; }
  bool is_empty() const { return head == tail; }
  // No work request is to be fetched now.
  bool is_full() const {
    return static_cast<uint16_t>(tail - head) >= kWindow || (blocked && !is_empty());
  }
  // There is a packet that may be sent now.
  bool sendable(const QpConfig &config) const;
  // Numbers on the wire, and those of a work request behind them.
  bool fits(uint32_t packets) const { return psn_distance(oldest, end) + packets <= kMostPsns; }

  template <typename Field>
  void each(Field &&field) {
    field(head), field(send), field(tail), field(oldest, kPsnMask), field(next, kPsnMask);
    field(most, kPsnMask), field(end, kPsnMask), field(reads), field(retries, 7);
    field(not_ready_retries, 7), field(gap), field(waits), field(timed), field(blocked);
    for (Work &work : works) work.each(field);
  }
};

}  // namespace firesim::functional::rdma
