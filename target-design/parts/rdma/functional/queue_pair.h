// SPDX-License-Identifier: BSD-3-Clause
// What software says of a queue pair, in seven words of the mailbox (docs/how-to/rdma.md), and what
// the parts of the NIC know of all of them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace firesim::functional::rdma {

inline constexpr uint32_t kQps = 64;

struct QpConfig {
  std::array<uint64_t, 7> words{};

  bool enabled() const { return field(0, 0, 1) != 0; }
  // Local key 0 stands for physical addresses.
  bool physical() const { return field(0, 1, 1) != 0; }
  uint32_t mtu_shift() const { return 8 + std::min<uint32_t>(field(0, 8, 3), 4); }
  uint32_t mtu() const { return 1u << mtu_shift(); }
  uint32_t timeout_code() const { return field(0, 16, 5); }
  uint8_t retries() const { return field(0, 21, 3); }
  uint8_t not_ready_retries() const { return field(0, 24, 3); }
  uint8_t not_ready_timer() const { return field(0, 27, 5); }
  uint16_t domain() const { return field(0, 32, 16); }
  uint16_t partition() const { return field(0, 48, 16); }
  uint64_t mac() const { return words[1] & 0xffff'ffff'ffff; }
  uint16_t source_port() const { return field(1, 48, 16); }
  uint32_t ip() const { return field(2, 0, 32); }
  uint32_t peer() const { return field(2, 32, 24); }
  uint8_t traffic_class() const { return field(2, 56, 8); }
  uint32_t send_psn() const { return field(3, 0, 24); }
  uint32_t receive_psn() const { return field(3, 32, 24); }
  // Where entry `index` of a queue is, which has 64 bytes or 32.
  uint64_t send_entry(uint16_t index) const { return entry(4, index, 64); }
  uint64_t receive_entry(uint16_t index) const { return entry(5, index, 32); }
  uint32_t send_cq() const { return field(6, 0, 6); }
  uint32_t receive_cq() const { return field(6, 8, 6); }
  uint32_t most_reads() const { return field(6, 16, 4); }

 private:
  uint32_t field(uint32_t word, uint32_t low, uint32_t bits) const {
    return static_cast<uint32_t>(words[word] >> low & ((uint64_t{1} << bits) - 1));
  }
  uint64_t entry(uint32_t word, uint16_t index, uint64_t bytes) const {
    const uint32_t slots = 1u << field(word, 56, 4);
    return ((words[word] & 0xffff'ffff'ffff) + (index & (slots - 1)) * bytes) & 0xffff'ffff'ffff;
  }
};

struct QueuePairs {
  std::array<QpConfig, kQps> configs;
  std::array<uint16_t, kQps> work{};      // work requests posted so far, modulo 2^16
  std::array<uint16_t, kQps> buffers{};   // and receive requests
  std::array<uint16_t, kQps> received{};  // messages with a completion, in memory
  uint64_t failed = 0;                    // in error, a bit each

  bool has_failed(uint32_t qp) const { return (failed >> qp & 1) != 0; }
  void fail(uint32_t qp) { failed |= uint64_t{1} << qp; }
};

}  // namespace firesim::functional::rdma
