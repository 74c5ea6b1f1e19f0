// SPDX-License-Identifier: BSD-3-Clause
// A card behind AMD's XDMA as its host reaches it: registers on its AXI4-Lite, one stream of 64-bit
// words each way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace firesim::hostlib {

// What is asked for happens in its order. Each throws std::runtime_error, starting with the device.
class XdmaCard {
 public:
  XdmaCard() = default;
  XdmaCard(const XdmaCard &) = delete;
  XdmaCard &operator=(const XdmaCard &) = delete;
  virtual ~XdmaCard() = default;

  // Addresses are a multiple of 4 below kXdmaRegisterBytes. A store may still be on its way when
  // this returns; a load is over.
  virtual uint32_t load(uint32_t address) = 0;
  virtual void store(uint32_t address, uint32_t value) = 0;
  // Returns when the card has taken all words.
  virtual void send(std::span<const uint64_t> words) = 0;
  // Fills `words`, which is not empty, from the front as far as a packet of the card reaches;
  // returns how many words that were, one at least. Asked for a word that is not there it waits,
  // and fails in the end: a card's owner looks first.
  virtual size_t receive(std::span<uint64_t> words) = 0;
  // The path by which it was opened.
  virtual const std::string &device() const = 0;
};

inline constexpr size_t kXdmaRegisterBytes = 0x1000;  // of a blade; the next one's follow
inline constexpr uint32_t kMostXdmaBlades = 4;        // as many streams as AMD's core has
// Bits 23:0 words up so far, 31:24 resets so far (platforms/xdma/top.v).
inline constexpr uint32_t kXdmaWordsUp = 0x100;

// Opens what blade `slot` has of the devices that begin with `device`, as in /dev/xdma0 (of slot 0
// /dev/xdma0_user, _h2c_0, _c2h_0), or the socket of a simulated card. Throws std::runtime_error,
// starting with `device`, when it is neither, or in use.
std::unique_ptr<XdmaCard> open_xdma_card(const std::string &device, uint32_t slot = 0);

}  // namespace firesim::hostlib
