// SPDX-License-Identifier: BSD-3-Clause
// A pin of a compiled model that is moved from outside, or several side by side.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "bridges/model_library.h"

namespace firesim::bridges {

class Pin {
 public:
  Pin() = default;
  // Nothing when the model has none of this name and width.
  static std::optional<Pin> find(const ModelInstance &model, const std::string &name,
                                 uint32_t width_bits);
  void set(uint64_t value);
  void set_lane(uint32_t lane, uint64_t value);      // of 64 bits; all others become 0
  void set_lanes(std::span<const uint64_t> values);  // as many as the pin has
  uint64_t get(uint32_t lane = 0) const;

 private:
  explicit Pin(const FiresimPort &port) : port_(port) {}

  FiresimPort port_{};
};

}  // namespace firesim::bridges
