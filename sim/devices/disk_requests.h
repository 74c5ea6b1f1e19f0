// SPDX-License-Identifier: BSD-3-Clause
// Requests of a blade's disk as slices of a timeline, a track for each tag.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "devices/event_file.h"

namespace firesim::devices {

class DiskRequests {
 public:
  explicit DiskRequests(std::unique_ptr<EventFile> file) : file_(std::move(file)) {}

  void begin(uint32_t tag, bool is_write, uint32_t sector, uint32_t count, uint64_t cycle);
  // Requests that a snapshot found under way are not told: where they began is not known.
  void end(uint32_t tag, uint64_t cycle);

 private:
  struct Request {
    uint32_t track = EventFile::kNone;
    uint32_t name = EventFile::kNone;
    uint64_t begin = 0;
    bool is_under_way = false;
  };

  std::unique_ptr<EventFile> file_;
  std::map<uint32_t, Request> requests_;  // by tag
};

}  // namespace firesim::devices
