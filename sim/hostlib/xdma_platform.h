// SPDX-License-Identifier: BSD-3-Clause
// The platform of a board behind AMD's XDMA with the top of platforms/xdma: control registers on
// AXI4-Lite, a stream each way.
//
// A word is read when the card's count says that it is there, since a transfer that waits too long
// is ended by AMD's driver, and may lose what came meanwhile. The count is not trusted: it must be
// one of words that were asked for, and nothing is waited for without a bound. With the count comes
// how often the board was reset; a reset within a run ends it.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "hostlib/board_platform.h"
#include "hostlib/xdma_card.h"

namespace firesim::hostlib {

// How long is waited.
struct XdmaPatience {
  // Without a word, until receive() looks whether the target goes on.
  std::chrono::milliseconds quiet{1000};
  // Looks after each of which the target was in the same cycle.
  int still = 8;
};

class XdmaPlatform final : public BoardPlatform {
 public:
  // Throws std::runtime_error, starting with the card's device, when no target of ours is there, or
  // one that was used since the board's bitstream was loaded.
  explicit XdmaPlatform(std::unique_ptr<XdmaCard> card, const XdmaPatience &patience = {});

  uint32_t read(uint32_t address) override;
  // Returns when the register has its value.
  void write(uint32_t address, uint32_t value) override;
  void send(std::span<const uint64_t> words) override;
  // Half of what AMD's converter between the clocks keeps each way; send() is one transfer by DMA,
  // during which nothing is read.
  size_t answers_kept() const override { return 8; }
  std::string trouble() override;

 private:
  bool look() override;
  const std::string &device() const override { return card_->device(); }

  const std::unique_ptr<XdmaCard> card_;
  uint32_t resets_ = 0;  // of the board, as the card counts them
  uint32_t taken_ = 0;   // words up so far, modulo 2^24 as the card counts them
};

}  // namespace firesim::hostlib
