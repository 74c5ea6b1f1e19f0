// SPDX-License-Identifier: BSD-3-Clause
//
// A node for tests of the gateway: answers ARP, pings an address at given cycles, and serves TCP on
// any port by sending back what it gets. It relies on a network that loses nothing.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/model.h"

namespace firesim::testing_guest {

using Bytes = std::vector<uint8_t>;

struct GuestConfig {
  std::string name = "guest";
  std::array<uint8_t, 6> mac{0x00, 0x12, 0x6d, 0x00, 0x00, 0x02};
  std::array<uint8_t, 4> ip{172, 16, 0, 2};
  std::array<uint8_t, 4> gateway{172, 16, 255, 254};
  std::vector<uint64_t> ping_cycles;
  // TCP segments, answered or not, after which the node ends; 0 = ends by `end_cycle` alone.
  bool end_after_connection = false;
  uint64_t end_cycle = 0;
};

class EchoGuest final : public Model {
 public:
  explicit EchoGuest(GuestConfig config);

  uint32_t port_count() const override { return 1; }
  void advance(uint64_t start_cycle, uint32_t cycles, std::span<Batch> inputs,
               std::span<Batch> outputs) override;

  // Whole frames received, without the pad bytes.
  const std::vector<Bytes> &received() const { return received_; }
  uint64_t echo_replies() const { return echo_replies_; }
  const std::array<uint8_t, 6> &gateway_mac() const { return gateway_mac_; }
  bool closed() const { return closed_; }

 private:
  void take(const Bytes &frame);
  void take_arp(const Bytes &frame);
  void take_tcp(const Bytes &frame);
  void ask_for_gateway();
  void ping();
  void send_ip(uint8_t protocol, const uint8_t *to_mac, const uint8_t *to_ip, Bytes payload);
  void send_frame(const Bytes &frame);

  const GuestConfig config_;
  Bytes arriving_;
  std::vector<Bytes> received_;
  std::vector<std::vector<uint64_t>> queue_;  // to send
  size_t next_ping_ = 0;
  std::array<uint8_t, 6> gateway_mac_{};
  uint64_t echo_replies_ = 0;
  uint32_t send_sequence_ = 0;  // TCP: next byte of ours
  bool closed_ = false;
};

}  // namespace firesim::testing_guest
