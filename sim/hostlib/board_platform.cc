// SPDX-License-Identifier: BSD-3-Clause
// Words that come up from a board; see board_platform.h.
#include "hostlib/board_platform.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "hostlib/registers.h"

namespace firesim::hostlib {

using Clock = std::chrono::steady_clock;

std::string BoardPlatform::name() const { return fmt::format("fpga at {}", device()); }

void BoardPlatform::fail(const std::string &what) const {
  throw std::runtime_error(fmt::format("{}: {}", device(), what));
}

uint64_t BoardPlatform::target_cycle() {
  const uint64_t low = read(kCycle);
  return low | uint64_t{read(kCycle + 4)} << 32;
}

bool BoardPlatform::receive(std::span<uint64_t> words) {
  auto last = Clock::now();
  while (received_.size() < words.size()) {
    if (look()) {
      last = Clock::now();
    } else if (Clock::now() - last >= quiet_) {
      look_at_cycle();
      if (received_.size() < words.size()) return false;  // a line brings words with any answer
    }
  }
  looks_ = 0;
  std::copy_n(received_.begin(), words.size(), words.begin());
  received_.erase(received_.begin(), received_.begin() + static_cast<ptrdiff_t>(words.size()));
  return true;
}

// A far end that answers and whose target does not go on is not waited for.
void BoardPlatform::look_at_cycle() {
  const std::string why = trouble();
  // A DRAM may still be in training when a word is waited for.
  troubled_looks_ = why.empty() ? 0 : troubled_looks_ + 1;
  if (troubled_looks_ >= still_) fail(why);
  const uint64_t cycle = target_cycle();
  looks_ = cycle == seen_cycle_ ? looks_ + 1 : 0;
  seen_cycle_ = cycle;
  if (looks_ >= still_) {
    fail(fmt::format("the target stands still in cycle {}: no word came for {} s", cycle,
                     quiet_.count() * (looks_ + 1) / 1e3));
  }
}

}  // namespace firesim::hostlib
