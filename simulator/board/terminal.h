// SPDX-License-Identifier: BSD-3-Clause
// The near side of a pseudo-terminal that stands for a board's serial device.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace firesim {

class Terminal {
 public:
  // Makes it, and the link `link` to it unless that is empty. Throws std::runtime_error.
  explicit Terminal(const std::string &link);
  ~Terminal();
  Terminal(const Terminal &) = delete;
  Terminal &operator=(const Terminal &) = delete;

  const std::string &device() const { return device_; }
  // Waits up to `most_ms` for the far side to do something. Puts the bytes that came, at most
  // `most`, at the end of `bytes`. True when the far side flushed the line before them.
  bool read(std::vector<uint8_t> &bytes, size_t most, int most_ms);
  // Writes bytes from the front as far as there is room, and takes them away.
  void write(std::deque<uint8_t> &bytes);

 private:
  int near_ = -1;
  int far_ = -1;  // keeps the terminal from ending whenever nobody else has it open
  std::string device_;
  const std::string link_;
};

}  // namespace firesim
