// SPDX-License-Identifier: BSD-3-Clause
// Saving and loading what says of itself which fields it has: `each(field)` calls `field(value)`,
// or `field(value, most)` for one that is never greater.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/state.h"

namespace firesim::functional::rdma {

struct SaveField {
  StateWriter &state;

  template <typename Field>
  void operator()(const Field &field, uint64_t = 0) const {
    if constexpr (std::is_signed_v<Field>) {
      state.i64(field);
    } else {
      state.u64(field);
    }
  }
};

struct LoadField {
  StateReader &state;

  template <typename Field>
  void operator()(Field &field, uint64_t most = UINT64_MAX) const {
    if constexpr (std::is_signed_v<Field>) {
      field = static_cast<Field>(state.i64());
    } else {
      const uint64_t greatest = std::numeric_limits<Field>::max();
      field = static_cast<Field>(state.u64(std::min(most, greatest)));
    }
  }
};

template <typename T>
void save_fields(StateWriter &state, T value) {
  value.each(SaveField{state});
}

template <typename T>
void load_fields(StateReader &state, T &value) {
  value.each(LoadField{state});
}

}  // namespace firesim::functional::rdma
