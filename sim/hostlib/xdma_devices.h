// SPDX-License-Identifier: BSD-3-Clause
// A card by the character devices of AMD's driver for XDMA (github.com/Xilinx/dma_ip_drivers).
//
// A read or a write of a stream is one transfer by DMA. The driver ends a transfer that takes
// longer than its limit, 10 s unless it was loaded with another one, and returns an error, so
// nothing here waits longer. A read returns when the card's packet ends, or when it has all that
// was asked for.
#pragma once

#include <array>

#include "hostlib/xdma_card.h"

namespace firesim::hostlib {

class XdmaDevices final : public XdmaCard {
 public:
  // Throws std::runtime_error as open_xdma_card does. Nothing of the card is read here.
  XdmaDevices(const std::string &device, uint32_t slot);
  ~XdmaDevices() override;

  uint32_t load(uint32_t address) override;
  void store(uint32_t address, uint32_t value) override;
  void send(std::span<const uint64_t> words) override;
  size_t receive(std::span<uint64_t> words) override;
  const std::string &device() const override { return device_; }

 private:
  // A page is one descriptor of the driver, and aligned as it wants a buffer to be.
  static constexpr size_t kPageWords = 512;

  int open_one(const std::string &kind, int flags);
  void map();
  void close_all();
  volatile uint32_t &at(uint32_t address);
  [[noreturn]] void fail(const std::string &what) const;
  std::string said(const std::string &kind) const;

  const std::string device_;
  const uint32_t slot_;
  const std::string down_name_, up_name_;
  int user_ = -1, down_ = -1, up_ = -1;
  volatile uint8_t *registers_ = nullptr;
  alignas(4096) std::array<uint64_t, kPageWords> page_{};
};

}  // namespace firesim::hostlib
