// SPDX-License-Identifier: BSD-3-Clause
// A serial device of this host: eight bits, no parity, one stop bit, no flow control, at a speed
// given by number. Nothing here waits without a bound.
#pragma once

#include <functional>

#include "hostlib/byte_line.h"

struct serial_struct;  // of the kernel

namespace firesim::hostlib {

// As ioctl() of a serial device, for the requests TIOCGSERIAL and TIOCSSERIAL.
using SerialControl = std::function<int(unsigned long request, serial_struct *line)>;

// Asks a device's driver to pass on bytes at once: a USB bridge of FTDI's waits 16 ms for more of
// them otherwise. False when the device knows no such thing, as a pseudo-terminal.
bool ask_low_latency(const SerialControl &control);

class SerialLine final : public ByteLine {
 public:
  // Opens `device` for this process alone. Throws DescriptionError, with the device's name, when it
  // cannot be opened, is no serial device, is in use, or does not have this speed.
  SerialLine(const std::string &device, uint32_t bits_per_s);
  ~SerialLine() override;

  const std::string &device() const override { return device_; }
  void send_break() override;
  void write(std::span<const uint8_t> bytes, Milliseconds most) override;
  size_t read(std::span<uint8_t> bytes, Milliseconds most) override;

 private:
  void set_up(uint32_t bits_per_s);
  void forget();
  bool wait(short events, Milliseconds most);

  const std::string device_;
  int file_ = -1;
};

}  // namespace firesim::hostlib
