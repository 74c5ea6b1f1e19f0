// SPDX-License-Identifier: BSD-3-Clause
// Bytes to and from a board: what the serial platform needs of its line.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>

namespace firesim::hostlib {

using Milliseconds = std::chrono::milliseconds;

class ByteLine {
 public:
  ByteLine() = default;
  ByteLine(const ByteLine &) = delete;
  ByteLine &operator=(const ByteLine &) = delete;
  virtual ~ByteLine() = default;

  virtual const std::string &device() const = 0;
  // Holds the line low for longer than any byte, and forgets what was sent and came before.
  virtual void send_break() = 0;
  // Writes all of it. Throws std::runtime_error when the device does not take it within `most`.
  virtual void write(std::span<const uint8_t> bytes, Milliseconds most) = 0;
  // Returns how many bytes came, 0 when none did within `most`. Throws std::runtime_error when the
  // device is gone.
  virtual size_t read(std::span<uint8_t> bytes, Milliseconds most) = 0;
};

}  // namespace firesim::hostlib
