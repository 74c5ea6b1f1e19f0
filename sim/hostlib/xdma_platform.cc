// SPDX-License-Identifier: BSD-3-Clause
// Words through AMD's XDMA; see xdma_platform.h.
#include "hostlib/xdma_platform.h"

#include <fmt/format.h>

#include <vector>

#include "hostlib/board_status.h"
#include "hostlib/registers.h"

namespace firesim::hostlib {
namespace {

constexpr uint32_t kCounts = (1 << 24) - 1;

}  // namespace

XdmaPlatform::XdmaPlatform(std::unique_ptr<XdmaCard> card, const XdmaPatience &patience)
    : BoardPlatform(patience.quiet, patience.still), card_(std::move(card)) {
  if (const auto why = clock_trouble(card_->load(kBoardStatus)); !why.empty()) fail(why);
  const uint32_t identity = card_->load(kIdentity), count = card_->load(kXdmaWordsUp);
  if (identity != kIdentityValue) {
    fail(fmt::format("found {:#x} in the first register, expected {:#x}: a target of FireSim{}",
                     identity, kIdentityValue,
                     identity == UINT32_MAX ? "; nothing answers there" : ""));
  }
  const uint64_t cycle = target_cycle();
  const uint32_t words = count & kCounts;
  resets_ = count >> 24;
  if (words != 0 || cycle != 0) {
    fail(
        fmt::format("found a target in cycle {}, with {} words up, expected one that nobody used "
                    "since the board's bitstream was loaded: load it again",
                    cycle, words));
  }
}

uint32_t XdmaPlatform::read(uint32_t address) { return card_->load(address); }

void XdmaPlatform::write(uint32_t address, uint32_t value) {
  card_->store(address, value);
  // The registers do one access after the other: when this load is over, so is the store. A word
  // that is sent next finds the register set.
  card_->load(kIdentity);
}

void XdmaPlatform::send(std::span<const uint64_t> words) { card_->send(words); }

std::string XdmaPlatform::trouble() { return board_trouble(card_->load(kBoardStatus)); }

// Keeps the words that came up. True when there were any.
bool XdmaPlatform::look() {
  const uint32_t found = card_->load(kXdmaWordsUp), count = found & kCounts;
  if (const uint32_t resets = found >> 24; resets != resets_) {
    fail(
        fmt::format("found reset {} of the board's host side, expected {}: the board was reset "
                    "while it ran{}",
                    resets, resets_, found == UINT32_MAX ? ", or nothing answers there" : ""));
  }
  const uint32_t there = (count - taken_) & kCounts;
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

}  // namespace firesim::hostlib
