// SPDX-License-Identifier: BSD-3-Clause
// The host's side of a bridge that is RTL on the platform: registers of 64 bits, and perhaps a port
// to a DRAM. What they mean is the matter of the bridge's kind.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "hostlib/dram_access.h"
#include "hostlib/host_target.h"
#include "hostlib/platform.h"

namespace firesim::hostlib {

struct BridgePartInfo {
  std::string bridge;  // its path
  std::map<std::string, uint64_t> parameters;
  std::optional<uint32_t> memory_port;
};

// How long a part that counts no further is waited for: both, since a process may be stopped.
struct PartPatience {
  std::chrono::milliseconds still{10'000};
  uint32_t reads = 1000;
};

class BridgePart {
 public:
  // Number `index` of a target on a platform, which both outlive this.
  BridgePart(HostPlatform &platform, const HostTarget &target, uint32_t index, BridgePartInfo info,
             const PartPatience &patience = {})
      : platform_(platform),
        target_(target),
        index_(index),
        info_(std::move(info)),
        patience_(patience) {}

  const std::string &bridge() const { return info_.bridge; }
  // 0 for one that it does not have.
  uint64_t parameter(const std::string &name) const;
  uint64_t read(uint32_t at);
  void write(uint32_t at, uint64_t value);
  // The content of the memory behind its port, which outlives the platform's use of it. All but
  // `filled` is zeroes. Where the platform has a DRAM the content is copied there, before the part
  // starts. Throws std::runtime_error when it does not fit there.
  void serve_memory(std::span<uint8_t> content, std::span<const DramRange> filled);
  // What the memory holds now, while the target stands and the part is through with its cycles.
  void read_memory(uint64_t offset, std::span<uint8_t> bytes);
  // Until the part is through with the target's cycles, which it counts at address `at`, or `fails`
  // says so. Throws std::runtime_error when it counts as none does that follows its target.
  void wait_for_target(uint32_t at, const std::function<bool()> &fails);

 private:
  [[noreturn]] void fail(const std::string &found) const;

  HostPlatform &platform_;
  const HostTarget &target_;
  const uint32_t index_;
  const BridgePartInfo info_;
  const PartPatience patience_;
  std::span<uint8_t> served_;       // of a platform that has no DRAM of its own
  std::optional<DramAccess> dram_;  // of one that has
};

}  // namespace firesim::hostlib
