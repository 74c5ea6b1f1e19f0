// SPDX-License-Identifier: BSD-3-Clause
// A stretch of a blade's memory that is kept in a file at the end of a run, wherever the memory is.
// Key `image` of its settings: file, address and bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>

#include "core/registry.h"
#include "devices/config.h"
#include "devices/guest_memory.h"

namespace firesim::bridges {

class MemoryImage {
 public:
  // Wants nothing until it has read settings with the key.
  MemoryImage() = default;
  // Throws ConfigError when the stretch is not in the memory.
  MemoryImage(devices::Config &config, const devices::GuestMemory &memory,
              const SimulationContext &simulation);
  // `read` gives what the memory holds from an offset on. Throws std::runtime_error.
  void write(const std::function<void(uint64_t offset, std::span<uint8_t> bytes)> &read) const;

 private:
  std::filesystem::path file_;
  uint64_t offset_ = 0, bytes_ = 0;
};

}  // namespace firesim::bridges
