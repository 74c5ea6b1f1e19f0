// SPDX-License-Identifier: BSD-3-Clause
// A test bench for one driver: the storage of its ports, by name, and the clock.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bridges/driver.h"
#include "devices/tests/support.h"

namespace firesim::bridges {

struct BenchPort {
  const char *name;
  uint32_t width_bits;
  bool is_input;       // host to target
  bool wakes = false;  // an output that wakes the driver
};

class Bench {
 public:
  Bench(const std::string &kind, const std::vector<BenchPort> &ports) {
    bridge_.kind = kind;
    bridge_.module = "FireSimTestBridge";
    bridge_.path = "top.bridge";
    for (const BenchPort &port : ports) {
      storage_[port.name].resize(32);
      if (port.wakes) wakes_.push_back(storage_[port.name].data());
      if (port.is_input) input_names_.push_back(port.name);
      bridge_.ports[port.name] = port.name;
      ports_[port.name] = FiresimPort{port.name, port.width_bits, port.is_input ? 1u : 0u,
                                      storage_[port.name].data()};
    }
    simulation_.description_directory = folder_.path();
    simulation_.results_directory = folder_.path();
  }

  DriverContext context(const nlohmann::json &config) {
    config_ = config;
    return DriverContext{bridge_, BridgePorts(bridge_, ports_),     inputs_, status_,
                         config_, "node0: bridges." + bridge_.kind, "node0", simulation_};
  }
  // Makes the driver and stores its first inputs.
  template <typename T>
  std::unique_ptr<T> make(const nlohmann::json &config) {
    auto driver = std::make_unique<T>(context(config));
    inputs_.apply();
    return driver;
  }
  // One target cycle of `driver`, after the test has set the outputs. It is called in every cycle;
  // in one in which it need not have been, it must do nothing.
  void cycle(Driver &driver) {
    bool due = now >= next_call_;
    for (const uint8_t *wake : wakes_) due = due || *wake != 0;
    const auto before = due ? std::vector<std::vector<uint8_t>>() : inputs();
    const uint64_t next_call = driver.exchange(now);
    inputs_.apply();
    if (!due) {
      EXPECT_EQ(inputs(), before) << "in cycle " << now << ", in which it was not due";
      EXPECT_EQ(next_call, next_call_) << "in cycle " << now;
    }
    next_call_ = next_call;
    ++now;
  }

  // Value of a port of at most 64 bits.
  uint64_t get(const std::string &name) const {
    uint64_t value = 0;
    std::memcpy(&value, storage_.at(name).data(), 8);
    return value;
  }
  void set(const std::string &name, uint64_t value) {
    std::memcpy(storage_.at(name).data(), &value, 8);
  }
  uint8_t *bytes(const std::string &name) { return storage_.at(name).data(); }
  std::map<std::string, uint64_t> &parameters() { return bridge_.parameters; }
  const TemporaryFolder &folder() const { return folder_; }
  BladeStatus &status() { return status_; }

  uint64_t now = 0;

 private:
  std::vector<std::vector<uint8_t>> inputs() const {
    std::vector<std::vector<uint8_t>> values;
    for (const std::string &name : input_names_) values.push_back(storage_.at(name));
    return values;
  }

  TemporaryFolder folder_;
  std::vector<const uint8_t *> wakes_;
  std::vector<std::string> input_names_;
  uint64_t next_call_ = 0;
  BridgeInfo bridge_;
  std::map<std::string, std::vector<uint8_t>> storage_;
  std::map<std::string, FiresimPort> ports_;
  InputQueue inputs_{64};
  BladeStatus status_;
  nlohmann::json config_;
  SimulationContext simulation_;
};

}  // namespace firesim::bridges
