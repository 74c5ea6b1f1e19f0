// SPDX-License-Identifier: BSD-3-Clause
// Words through AMD's XDMA; see xdma_platform.h.
#include "hostlib/xdma_platform.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "hostlib/registers.h"

namespace firesim::hostlib {
namespace {

using Clock = std::chrono::steady_clock;

// Far more than a run's rows that come before the host asks for them, and than wait on a board.
constexpr uint32_t kMostWords = 1 << 16;

}  // namespace

XdmaPlatform::XdmaPlatform(std::unique_ptr<XdmaCard> card, const XdmaPatience &patience)
    : card_(std::move(card)), patience_(patience) {
  const uint32_t identity = card_->load(kIdentity), words = card_->load(kXdmaWordsUp);
  if (identity != kIdentityValue) {
    fail(fmt::format("found {:#x} in the first register, expected {:#x}: a target of FireSim{}",
                     identity, kIdentityValue,
                     identity == UINT32_MAX ? "; nothing answers there" : ""));
  }
  const uint64_t low = card_->load(kCycle), cycle = low | uint64_t{card_->load(kCycle + 4)} << 32;
  if (words != 0 || cycle != 0) {
    fail(
        fmt::format("found a target in cycle {}, with {} words up, expected one that nobody used "
                    "since the board's bitstream was loaded: load it again",
                    cycle, words));
  }
}

std::string XdmaPlatform::name() const { return fmt::format("fpga at {}", card_->device()); }

void XdmaPlatform::fail(const std::string &what) const {
  throw std::runtime_error(fmt::format("{}: {}", card_->device(), what));
}

uint32_t XdmaPlatform::read(uint32_t address) { return card_->load(address); }

void XdmaPlatform::write(uint32_t address, uint32_t value) {
  card_->store(address, value);
  // The registers do one access after the other: when this load is over, so is the store. A word
  // that is sent next finds the register set.
  card_->load(kIdentity);
}

void XdmaPlatform::send(std::span<const uint64_t> words) { card_->send(words); }

// Keeps the words that came up. True when there were any.
bool XdmaPlatform::look() {
  const uint32_t count = card_->load(kXdmaWordsUp), there = count - taken_;
  if (there == 0) return false;
  if (there > kMostWords || received_.size() + there > kMostWords) {
    fail(fmt::format("found a count of {} words up, {} of them taken, expected at most {} more",
                     count, taken_, kMostWords));
  }
  std::vector<uint64_t> words(there);
  for (std::span<uint64_t> left(words); !left.empty();) left = left.subspan(card_->receive(left));
  received_.insert(received_.end(), words.begin(), words.end());
  taken_ = count;
  return true;
}

bool XdmaPlatform::receive(std::span<uint64_t> words) {
  auto last = Clock::now();
  while (received_.size() < words.size()) {
    if (look()) {
      last = Clock::now();
    } else if (Clock::now() - last >= patience_.quiet) {
      look_at_cycle();
      return false;
    }
  }
  looks_ = 0;
  std::copy_n(received_.begin(), words.size(), words.begin());
  received_.erase(received_.begin(), received_.begin() + static_cast<ptrdiff_t>(words.size()));
  return true;
}

// A far end that answers and whose target does not go on is not waited for.
void XdmaPlatform::look_at_cycle() {
  const uint64_t low = read(kCycle), cycle = low | uint64_t{read(kCycle + 4)} << 32;
  looks_ = cycle == seen_cycle_ ? looks_ + 1 : 0;
  seen_cycle_ = cycle;
  if (looks_ >= patience_.still) {
    fail(fmt::format("the target stands still in cycle {}: no word came for {} s", cycle,
                     patience_.quiet.count() * (looks_ + 1) / 1e3));
  }
}

}  // namespace firesim::hostlib
