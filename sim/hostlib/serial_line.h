// SPDX-License-Identifier: BSD-3-Clause
// A serial device of this host: eight bits, no parity, one stop bit, no flow control, at a speed
// given by number. Nothing here waits without a bound.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>

namespace firesim::hostlib {

using Milliseconds = std::chrono::milliseconds;

class SerialLine {
 public:
  // Opens `device` for this process alone. Throws DescriptionError, with the device's name, when it
  // cannot be opened, is no serial device, is in use, or does not have this speed.
  SerialLine(const std::string &device, uint32_t bits_per_s);
  ~SerialLine();
  SerialLine(const SerialLine &) = delete;
  SerialLine &operator=(const SerialLine &) = delete;

  const std::string &device() const { return device_; }
  // Holds the line low for longer than any byte, and forgets what was sent and came before.
  void send_break();
  // Writes all of it. Throws std::runtime_error when the device does not take it within `most`.
  void write(std::span<const uint8_t> bytes, Milliseconds most);
  // Returns how many bytes came, 0 when none did within `most`. Throws std::runtime_error when the
  // device is gone.
  size_t read(std::span<uint8_t> bytes, Milliseconds most);

 private:
  void set_up(uint32_t bits_per_s);
  void forget();
  bool wait(short events, Milliseconds most);

  const std::string device_;
  int file_ = -1;
};

}  // namespace firesim::hostlib
