// SPDX-License-Identifier: BSD-3-Clause
// What a device needs around it in a test: memory, and somebody who listens to its lines.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "functional/devices/carry_over.h"
#include "functional/devices/device_memory.h"
#include "functional/devices/interrupt_lines.h"
#include "functional/devices/register_device.h"

namespace firesim::functional {

class RecordedLines final : public InterruptLines {
 public:
  void set(uint32_t hart, uint32_t cause, bool level) override { levels_[{hart, cause}] = level; }
  void stop(uint32_t) override {}
  void hold(uint32_t) override {}
  void go_on(uint32_t) override {}
  bool level(uint32_t hart, uint32_t cause) const {
    const auto found = levels_.find({hart, cause});
    return found != levels_.end() && found->second;
  }

 private:
  std::map<std::pair<uint32_t, uint32_t>, bool> levels_;
};

struct TestMemory {
  static constexpr uint64_t kBytes = 1 << 20;

  std::vector<uint64_t> words = std::vector<uint64_t>(kBytes / 8);
  std::vector<std::pair<uint64_t, uint64_t>> writes;  // address and bytes
  devices::BladeEnd end;
  DeviceMemory memory{
      Dram{kDramBase, kBytes, reinterpret_cast<uint8_t *>(words.data())},
      [this](uint64_t address, uint64_t bytes) { writes.emplace_back(address, bytes); }, end};
};

// Makes accesses of a warm start to a part at address 0; what they wait for must be so at once.
inline void follow(const std::vector<PartSteps::Step> &steps, RegisterDevice &part) {
  for (const PartSteps::Step &step : steps) {
    const auto offset = static_cast<uint32_t>(step.address);
    if (step.kind == PartSteps::Kind::kWait) {
      EXPECT_EQ(part.read(offset, 4) & step.mask, step.value);
    } else {
      part.write(offset, step.kind == PartSteps::Kind::kWriteEight ? 8 : 4, step.value);
    }
  }
}

}  // namespace firesim::functional
