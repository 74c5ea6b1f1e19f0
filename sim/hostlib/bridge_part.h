// SPDX-License-Identifier: BSD-3-Clause
// The host's side of a bridge that is RTL on the platform: registers of 64 bits, and perhaps a port
// to a DRAM. What they mean is the matter of the bridge's kind.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "hostlib/platform.h"

namespace firesim::hostlib {

struct BridgePartInfo {
  std::string bridge;  // its path
  std::map<std::string, uint64_t> parameters;
  std::optional<uint32_t> memory_port;
};

class BridgePart {
 public:
  // Number `index` on the platform, which outlives this.
  BridgePart(HostPlatform &platform, uint32_t index, BridgePartInfo info)
      : platform_(platform), index_(index), info_(std::move(info)) {}

  const std::string &bridge() const { return info_.bridge; }
  // 0 for one that it does not have.
  uint64_t parameter(const std::string &name) const;
  uint64_t read(uint32_t at);
  void write(uint32_t at, uint64_t value);
  // The content of the memory behind its port, which outlives the platform's use of it.
  void serve_memory(std::span<uint8_t> content);
  // Cycles of the target that are over.
  uint64_t target_cycles();

 private:
  HostPlatform &platform_;
  const uint32_t index_;
  const BridgePartInfo info_;
};

}  // namespace firesim::hostlib
