// SPDX-License-Identifier: BSD-3-Clause
// Devices' accesses to DRAM; see device_memory.h.
#include "functional/devices/device_memory.h"

#include <cstring>

namespace firesim::functional {

void DeviceMemory::fail(const std::string &what, uint64_t cycle) {
  if (end_->ended()) return;
  *end_ = {devices::BladeEnd::Kind::kAssert, 1, cycle,
           "assert failed in cycle " + std::to_string(cycle) + ": 'the " + what +
               " memory that does not exist'"};
}

const uint8_t *DeviceMemory::read(uint64_t address, uint64_t bytes, uint64_t cycle,
                                  const char *who) {
  if (contains(address, bytes)) return dram_.data + (address - dram_.base);
  fail(std::string(who) + " reads", cycle);
  return nullptr;
}

void DeviceMemory::write(uint64_t address, const void *data, uint64_t bytes, uint64_t cycle,
                         const char *who) {
  if (!contains(address, bytes)) {
    fail(std::string(who) + " writes", cycle);
    return;
  }
  std::memcpy(dram_.data + (address - dram_.base), data, bytes);
  written_(address, bytes);
}

}  // namespace firesim::functional
