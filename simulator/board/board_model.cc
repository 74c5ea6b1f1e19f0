// SPDX-License-Identifier: BSD-3-Clause
// Pins of a compiled model; see board_model.h.
#include "simulator/board/board_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "bridges/port.h"
#include "core/model.h"

namespace firesim {
namespace {

constexpr uint32_t kLaneBytes = 8;

}  // namespace

Pin::Pin(const bridges::ModelInstance &model, const char *name, uint32_t width_bits,
         const char *of) {
  const auto found = model.ports().find(name);
  if (found == model.ports().end() || found->second.width_bits != width_bits) {
    throw DescriptionError(fmt::format("board: found no pin '{}' of {} bits, expected those of {}",
                                       name, width_bits, of));
  }
  port_ = found->second;
}

void Pin::set(uint64_t value) {
  std::memcpy(port_.storage, &value, bridges::port_bytes(port_.width_bits));
}

void Pin::set_lane(uint32_t lane, uint64_t value) {
  auto *bytes = static_cast<uint8_t *>(port_.storage);
  std::memset(bytes, 0, bridges::port_bytes(port_.width_bits));
  std::memcpy(bytes + size_t{kLaneBytes} * lane, &value, kLaneBytes);
}

uint64_t Pin::get(uint32_t lane) const {
  uint64_t value = 0;
  const auto *bytes = static_cast<const uint8_t *>(port_.storage) + size_t{kLaneBytes} * lane;
  std::memcpy(&value, bytes, std::min(bridges::port_bytes(port_.width_bits), kLaneBytes));
  return value;
}

}  // namespace firesim
