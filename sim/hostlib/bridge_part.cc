// SPDX-License-Identifier: BSD-3-Clause
// A bridge's host's side in RTL; see bridge_part.h.
#include "hostlib/bridge_part.h"

#include "core/check.h"
#include "hostlib/registers.h"

namespace firesim::hostlib {

uint64_t BridgePart::parameter(const std::string &name) const {
  const auto found = info_.parameters.find(name);
  return found == info_.parameters.end() ? 0 : found->second;
}

uint64_t BridgePart::read(uint32_t at) {
  platform_.write(kPart, index_);
  platform_.write(kPartAt, at);
  const uint64_t low = platform_.read(kPartValue);
  return low | uint64_t{platform_.read(kPartValue + 4)} << 32;
}

void BridgePart::write(uint32_t at, uint64_t value) {
  platform_.write(kPart, index_);
  platform_.write(kPartAt, at);
  platform_.write(kPartValue, static_cast<uint32_t>(value));
  platform_.write(kPartValue + 4, static_cast<uint32_t>(value >> 32));
}

void BridgePart::serve_memory(std::span<uint8_t> content) {
  FIRESIM_CHECK(info_.memory_port.has_value(), "a memory is served where there is a port for it");
  platform_.serve_memory(*info_.memory_port, content);
}

uint64_t BridgePart::target_cycles() {
  const uint64_t low = platform_.read(kCycle);
  return low | uint64_t{platform_.read(kCycle + 4)} << 32;
}

}  // namespace firesim::hostlib
