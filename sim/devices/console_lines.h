// SPDX-License-Identifier: BSD-3-Clause
// Lines of a console as instants of a timeline, each at the cycle of its last byte.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "devices/event_file.h"

namespace firesim::devices {

// A line that a snapshot cuts begins where the run goes on.
class ConsoleLines {
 public:
  explicit ConsoleLines(std::unique_ptr<EventFile> file);
  void put(char byte, uint64_t cycle);
  ~ConsoleLines();
  ConsoleLines(const ConsoleLines &) = delete;
  ConsoleLines &operator=(const ConsoleLines &) = delete;

 private:
  void end_line(uint64_t cycle);

  std::unique_ptr<EventFile> file_;
  uint32_t track_;
  std::string line_;
  uint64_t last_cycle_ = 0;
};

}  // namespace firesim::devices
