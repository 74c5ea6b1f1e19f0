// SPDX-License-Identifier: BSD-3-Clause
// Slices of requests; see disk_requests.h.
#include "devices/disk_requests.h"

#include <fmt/format.h>

namespace firesim::devices {

void DiskRequests::begin(uint32_t tag, bool is_write, uint32_t sector, uint32_t count,
                         uint64_t cycle) {
  Request &request = requests_[tag];
  if (request.track == EventFile::kNone) {
    request.track = file_->name(EventFile::kNone, fmt::format("disk tag {}", tag));
  }
  const char *what = is_write ? "write" : "read";
  request.name = file_->name(request.track, fmt::format("{} {} at {}", what, count, sector));
  request.begin = cycle;
  request.is_under_way = true;
}

void DiskRequests::end(uint32_t tag, uint64_t cycle) {
  Request &request = requests_[tag];
  if (!request.is_under_way) return;
  request.is_under_way = false;
  file_->slice(request.name, request.begin, cycle);
}

}  // namespace firesim::devices
