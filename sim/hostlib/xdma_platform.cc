// SPDX-License-Identifier: BSD-3-Clause
// Words through AMD's XDMA; see xdma_platform.h.
#include "hostlib/xdma_platform.h"

#include <fmt/format.h>

#include <vector>

#include "hostlib/registers.h"

namespace firesim::hostlib {

XdmaPlatform::XdmaPlatform(std::unique_ptr<XdmaCard> card, const XdmaPatience &patience)
    : BoardPlatform(patience.quiet, patience.still), card_(std::move(card)) {
  const uint32_t identity = card_->load(kIdentity), words = card_->load(kXdmaWordsUp);
  if (identity != kIdentityValue) {
    fail(fmt::format("found {:#x} in the first register, expected {:#x}: a target of FireSim{}",
                     identity, kIdentityValue,
                     identity == UINT32_MAX ? "; nothing answers there" : ""));
  }
  const uint64_t cycle = target_cycle();
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

}  // namespace firesim::hostlib
