// SPDX-License-Identifier: BSD-3-Clause
// A function on PCI that a program on this computer simulates (simulator/board), behind a socket.
#pragma once

#include <chrono>
#include <string>

#include "hostlib/pci_function.h"
#include "hostlib/pci_messages.h"

namespace firesim::hostlib {

class SimulatedPciFunction final : public PciFunction {
 public:
  // Throws std::runtime_error, as all below do, starting with `device`. A far end that neither
  // takes a packet nor answers one for `most` is given up.
  explicit SimulatedPciFunction(const std::string &device, const PciNeeds &needs = {},
                                std::chrono::milliseconds most = std::chrono::seconds(20));
  ~SimulatedPciFunction() override;

  uint32_t load(int bar, uint32_t address) override;
  void store(int bar, uint32_t address, uint32_t value) override;
  void load_words(int bar, uint32_t address, std::span<uint64_t> words) override;
  void store_word(int bar, uint32_t address, uint64_t value) override;
  const std::string &device() const override { return device_; }

 private:
  // `bar` and `address` are as the callers have them.
  void say(PciAccess access, int bar, uint32_t address, uint32_t count, uint64_t value);
  void hear(std::span<uint64_t> words);
  [[noreturn]] void fail(const std::string &what) const;

  const std::string device_;
  const PciNeeds needs_;
  const std::chrono::milliseconds most_;
  int file_ = -1;
};

}  // namespace firesim::hostlib
