// SPDX-License-Identifier: BSD-3-Clause
// Pins of a compiled model; see pin.h.
#include "bridges/pin.h"

#include <algorithm>
#include <cstring>

#include "bridges/port.h"

namespace firesim::bridges {
namespace {

constexpr uint32_t kLaneBytes = 8;

}  // namespace

std::optional<Pin> Pin::find(const ModelInstance &model, const std::string &name,
                             uint32_t width_bits) {
  const auto found = model.ports().find(name);
  if (found == model.ports().end() || found->second.width_bits != width_bits) return std::nullopt;
  return Pin(found->second);
}

void Pin::set(uint64_t value) { std::memcpy(port_.storage, &value, port_bytes(port_.width_bits)); }

void Pin::set_lane(uint32_t lane, uint64_t value) {
  auto *bytes = static_cast<uint8_t *>(port_.storage);
  std::memset(bytes, 0, port_bytes(port_.width_bits));
  std::memcpy(bytes + size_t{kLaneBytes} * lane, &value, kLaneBytes);
}

void Pin::set_lanes(std::span<const uint64_t> values) {
  std::memcpy(port_.storage, values.data(),
              std::min<size_t>(port_bytes(port_.width_bits), values.size_bytes()));
}

uint64_t Pin::get(uint32_t lane) const {
  uint64_t value = 0;
  const auto *bytes = static_cast<const uint8_t *>(port_.storage) + size_t{kLaneBytes} * lane;
  std::memcpy(&value, bytes, std::min(port_bytes(port_.width_bits), kLaneBytes));
  return value;
}

}  // namespace firesim::bridges
