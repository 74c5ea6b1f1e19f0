// SPDX-License-Identifier: BSD-3-Clause
// A function on PCI as its host reaches it: loads from its BARs and stores into them. A board on
// Ethernet has what F2 has in its BARs (etherbone_function.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>

namespace firesim::hostlib {

// Loads and stores happen in the order in which they are asked for, each in one piece. A store may
// still be on its way when this returns; a load is over. Addresses count from the beginning of what
// is needed of the BAR and are a multiple of the access' size.
class PciFunction {
 public:
  PciFunction() = default;
  PciFunction(const PciFunction &) = delete;
  PciFunction &operator=(const PciFunction &) = delete;
  virtual ~PciFunction() = default;

  virtual uint32_t load(int bar, uint32_t address) = 0;
  virtual void store(int bar, uint32_t address, uint32_t value) = 0;
  // One load of 8 bytes after another, the lowest address first.
  virtual void load_words(int bar, uint32_t address, std::span<uint64_t> words) = 0;
  virtual void store_word(int bar, uint32_t address, uint64_t value) = 0;
  // The path by which it was opened.
  virtual const std::string &device() const = 0;
};

// A part of a BAR. Nobody else has it open, while other parts may be in use.
struct PciRange {
  size_t first;  // a multiple of 4 KiB, where it is mapped
  size_t bytes;
};

// What is needed of a function.
struct PciNeeds {
  std::string id;                  // vendor and device, as in "1d0f:f002"
  std::map<int, PciRange> ranges;  // of each BAR
};

// Opens a function's folder of /sys/bus/pci/devices, or the socket of a simulated one. Throws
// std::runtime_error, starting with `device`, when it is neither, another function, or in use.
std::unique_ptr<PciFunction> open_pci_function(const std::string &device, const PciNeeds &needs);

}  // namespace firesim::hostlib
