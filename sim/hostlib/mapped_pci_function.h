// SPDX-License-Identifier: BSD-3-Clause
// A function on PCI whose BARs the kernel maps for us, by the files of its folder in sysfs.
#pragma once

#include <map>
#include <string>

#include "hostlib/pci_function.h"

namespace firesim::hostlib {

class MappedPciFunction final : public PciFunction {
 public:
  // Throws std::runtime_error as open_pci_function does. Nothing of the BARs is read here.
  MappedPciFunction(const std::string &device, const PciNeeds &needs);
  ~MappedPciFunction() override;

  uint32_t load(int bar, uint32_t address) override;
  void store(int bar, uint32_t address, uint32_t value) override;
  void load_words(int bar, uint32_t address, std::span<uint64_t> words) override;
  void store_word(int bar, uint32_t address, uint64_t value) override;
  const std::string &device() const override { return device_; }

 private:
  struct Mapping {
    int file = -1;
    volatile uint8_t *bytes = nullptr;
    size_t count = 0;
  };

  void check_id(const std::string &id) const;
  void map(int bar, const PciRange &range);
  void unmap();
  template <typename Number>
  volatile Number &at(int bar, uint32_t address);

  const std::string device_;
  std::map<int, Mapping> bars_;
};

}  // namespace firesim::hostlib
