// SPDX-License-Identifier: BSD-3-Clause
// A bridge driver as a user writes it, in a shared object, for driver_library_test.cc: it looks at
// a 64-bit port and forgets what it saw when the blade is saved. DRIVER_OLD says that it was built
// for another interface, DRIVER_SILENT adds nothing, DRIVER_TWICE adds its kind two times.
#include "bridges/driver_library.h"

#ifndef DRIVER_SILENT

namespace {

using namespace firesim::bridges;

class Probe final : public Driver {
 public:
  explicit Probe(const DriverContext &context) : value_(context.ports.output("value", 64)) {
    Config config(context.config, context.where);
    from_cycle_ = config.integer("from_cycle", 0, 0, kNever);
    config.finish();
  }
  uint64_t exchange(uint64_t cycle) override {
    if (cycle < from_cycle_) return from_cycle_;
    last_ = value_();
    return cycle + 1;
  }
  nlohmann::json statistics() const override { return {{"last", last_}}; }

 private:
  OutputPort value_;
  uint64_t from_cycle_, last_ = 0;
};

}  // namespace

#ifdef DRIVER_OLD
extern "C" void firesim_driver_abi(DriverAbi *abi) { *abi = {0, kDriverAbi.layout}; }
extern "C" void firesim_register_drivers(DriverRegistry &registry) { registry.add<Probe>("probe"); }
#else
FIRESIM_DRIVER_LIBRARY(registry) {
  registry.add<Probe>("probe");
#ifdef DRIVER_TWICE
  registry.add<Probe>("probe");
#endif
}
#endif

#endif
