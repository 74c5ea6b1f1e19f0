// SPDX-License-Identifier: BSD-3-Clause
// A card behind AMD's XDMA that a program on this computer simulates (simulator/board), behind a
// socket: accesses of pci_messages.h, to three things that have the numbers of BARs here.
//
// The address of a word down, and of words up, is the blade's slot.
//
// A load of words from kXdmaUp asks for one more word than it wants; the first one that comes says
// how many of those after it are of the card.
#pragma once

#include "hostlib/simulated_pci_function.h"
#include "hostlib/xdma_card.h"

namespace firesim::hostlib {

inline constexpr uint32_t kXdmaRegisters = 0, kXdmaDown = 1, kXdmaUp = 2;

class SimulatedXdmaCard final : public XdmaCard {
 public:
  // Throws std::runtime_error as SimulatedPciFunction does.
  explicit SimulatedXdmaCard(const std::string &device, uint32_t slot = 0,
                             std::chrono::milliseconds most = std::chrono::seconds(20))
      : socket_(device,
                {"",
                 {{kXdmaRegisters, {slot * kXdmaRegisterBytes, kXdmaRegisterBytes}},
                  {kXdmaDown, {slot, 1}},
                  {kXdmaUp, {slot, 1}}}},
                most) {}

  uint32_t load(uint32_t address) override { return socket_.load(kXdmaRegisters, address); }
  void store(uint32_t address, uint32_t value) override {
    socket_.store(kXdmaRegisters, address, value);
  }
  void send(std::span<const uint64_t> words) override;
  size_t receive(std::span<uint64_t> words) override;
  const std::string &device() const override { return socket_.device(); }

 private:
  SimulatedPciFunction socket_;
};

}  // namespace firesim::hostlib
