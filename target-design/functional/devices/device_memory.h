// SPDX-License-Identifier: BSD-3-Clause
// DRAM as the devices see it: they read and write it at once, in whole 8-byte words, and an access
// beyond it ends the blade, as the asserts of the RTL do.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "devices/blade_end.h"
#include "functional/core/memory_map.h"

namespace firesim::functional {

class DeviceMemory {
 public:
  // `written` is told of every change. `end` is set by a bad access. References outlive this.
  using Written = std::function<void(uint64_t address, uint64_t bytes)>;
  DeviceMemory(const Dram &dram, Written written, devices::BladeEnd &end)
      : dram_(dram), written_(std::move(written)), end_(&end) {}

  // The memory has been replaced by another one of the same size.
  void set_dram(const Dram &dram) { dram_ = dram; }

  // The memory at `address`, or nullptr if it is not all there: then the blade has ended in
  // `cycle`. `who` is "NIC" or "block device".
  const uint8_t *read(uint64_t address, uint64_t bytes, uint64_t cycle, const char *who);
  void write(uint64_t address, const void *data, uint64_t bytes, uint64_t cycle, const char *who);

 private:
  bool contains(uint64_t address, uint64_t bytes) const {
    return address >= dram_.base && bytes <= dram_.size_bytes &&
           address - dram_.base <= dram_.size_bytes - bytes;
  }
  void fail(const std::string &what, uint64_t cycle);

  Dram dram_;
  Written written_;
  devices::BladeEnd *end_;
};

}  // namespace firesim::functional
