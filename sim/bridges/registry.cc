// SPDX-License-Identifier: BSD-3-Clause
// The bridge drivers there are, by kind. A new driver is one line here.
#include "bridges/block_device.h"
#include "bridges/driver.h"
#include "bridges/memory/memory_driver.h"
#include "bridges/termination.h"
#include "bridges/trace/tracerv.h"
#include "bridges/uart.h"

namespace firesim::bridges {
namespace {

template <typename T>
std::unique_ptr<Driver> make(const DriverContext& context) {
  return std::make_unique<T>(context);
}

}  // namespace

const std::map<std::string, DriverFactory>& driver_registry() {
  static const std::map<std::string, DriverFactory> drivers{
      {"block_device", make<BlockDeviceDriver>},
      {"memory", make<MemoryDriver>},
      {"termination", make<TerminationDriver>},
      {"tracerv", make<TraceRvDriver>},
      {"uart", make<UartDriver>},
  };
  return drivers;
}

}  // namespace firesim::bridges
