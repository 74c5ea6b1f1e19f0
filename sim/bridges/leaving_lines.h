// SPDX-License-Identifier: BSD-3-Clause
// Lines that have left a cache and that what is below does not have yet: they lie in buffers, or
// part here and part there. Each is kept as it was when it left, until what is below has it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace firesim::bridges {

class LeavingLines {
 public:
  bool has(uint64_t address) const {
    return std::any_of(lines_.begin(), lines_.end(),
                       [address](const Line &line) { return line.address == address; });
  }
  void add(uint64_t address, std::vector<uint8_t> data) {
    std::erase_if(lines_, [address](const Line &line) { return line.address == address; });
    lines_.push_back({address, std::move(data)});
  }
  // Forgets what has arrived below: `read(address, bytes)` gives what is there.
  template <typename Read>
  void forget_arrived(const Read &read) {
    std::erase_if(lines_, [&](const Line &line) {
      std::vector<uint8_t> below(line.data.size());
      read(line.address, std::span<uint8_t>(below));
      return below == line.data;
    });
  }
  void lay_over(uint64_t physical, std::span<uint8_t> bytes) const {
    for (const Line &line : lines_) {
      const uint64_t first = std::max(line.address, physical);
      const uint64_t last = std::min(line.address + line.data.size(), physical + bytes.size());
      for (uint64_t at = first; at < last; ++at)
        bytes[at - physical] = line.data[at - line.address];
    }
  }

 private:
  struct Line {
    uint64_t address;
    std::vector<uint8_t> data;
  };
  std::vector<Line> lines_;
};

}  // namespace firesim::bridges
