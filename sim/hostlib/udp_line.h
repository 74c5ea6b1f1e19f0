// SPDX-License-Identifier: BSD-3-Clause
// UDP to a board at its IPv4 address. Both ends have the same port: LiteEth's core answers to no
// other one.
#pragma once

#include "hostlib/datagram_line.h"

namespace firesim::hostlib {

class UdpLine final : public DatagramLine {
 public:
  // Throws std::runtime_error, starting with `address`, when it is none, another run of this host
  // has the board, or the port is not to be had.
  UdpLine(const std::string &address, uint16_t port);
  ~UdpLine() override;

  const std::string &device() const override { return address_; }
  void send(std::span<const uint8_t> bytes) override;
  size_t receive(std::span<uint8_t> bytes, std::chrono::microseconds most) override;

 private:
  void lock(uint16_t port);
  void open(uint16_t port);
  [[noreturn]] void fail(const std::string &what) const;

  const std::string address_;
  int lock_ = -1, file_ = -1;
};

}  // namespace firesim::hostlib
