// SPDX-License-Identifier: BSD-3-Clause
// A test bench for one driver: the storage of its ports, by name, and the clock.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bridges/driver.h"

namespace firesim::bridges {

// A folder of its own for one test, removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "firesim-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
    path_ = name;
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  std::filesystem::path operator/(const std::string &name) const { return path_ / name; }
  const std::filesystem::path &path() const { return path_; }

 private:
  std::filesystem::path path_;
};

struct BenchPort {
  const char *name;
  uint32_t width_bits;
  bool is_input;  // host to target
};

class Bench {
 public:
  Bench(const std::string &kind, const std::vector<BenchPort> &ports) {
    bridge_.kind = kind;
    bridge_.module = "FireSimTestBridge";
    bridge_.path = "top.bridge";
    for (const BenchPort &port : ports) {
      storage_[port.name].resize(32);
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
  // One target cycle of `driver`, after the test has set the outputs.
  void cycle(Driver &driver) {
    driver.step(now++);
    inputs_.apply();
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
  TemporaryFolder folder_;
  BridgeInfo bridge_;
  std::map<std::string, std::vector<uint8_t>> storage_;
  std::map<std::string, FiresimPort> ports_;
  InputQueue inputs_{64};
  BladeStatus status_;
  nlohmann::json config_;
  SimulationContext simulation_;
};

// The message of the DescriptionError that `action` throws; "" when it throws none.
template <typename Action>
std::string refusal(Action &&action) {
  try {
    action();
  } catch (const DescriptionError &error) {
    return error.what();
  }
  return "";
}

}  // namespace firesim::bridges
