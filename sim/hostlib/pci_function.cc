// SPDX-License-Identifier: BSD-3-Clause
// Chooses how a function on PCI is reached; see pci_function.h.
#include "hostlib/pci_function.h"

#include <sys/stat.h>

#include "hostlib/mapped_pci_function.h"
#include "hostlib/simulated_pci_function.h"

namespace firesim::hostlib {

std::unique_ptr<PciFunction> open_pci_function(const std::string &device, const PciNeeds &needs) {
  struct stat found {};
  if (stat(device.c_str(), &found) == 0 && S_ISSOCK(found.st_mode)) {
    return std::make_unique<SimulatedPciFunction>(device, needs);
  }
  return std::make_unique<MappedPciFunction>(device, needs);
}

}  // namespace firesim::hostlib
