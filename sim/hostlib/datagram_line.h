// SPDX-License-Identifier: BSD-3-Clause
// Datagrams to and from a board, any of which may be lost, come twice or overtake others.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace firesim::hostlib {

class DatagramLine {
 public:
  DatagramLine() = default;
  DatagramLine(const DatagramLine &) = delete;
  DatagramLine &operator=(const DatagramLine &) = delete;
  virtual ~DatagramLine() = default;

  virtual const std::string &device() const = 0;
  virtual void send(std::span<const uint8_t> bytes) = 0;
  // Returns how many bytes a datagram has that came, more than `bytes` when it is longer than that;
  // 0 when none did within `most`.
  virtual size_t receive(std::span<uint8_t> bytes, std::chrono::microseconds most) = 0;
};

}  // namespace firesim::hostlib
