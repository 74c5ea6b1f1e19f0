// SPDX-License-Identifier: BSD-3-Clause
// Pins of a board; see board_model.h.
#include "simulator/board/board_model.h"

#include <fmt/format.h>

#include "core/model.h"

namespace firesim {

Pin BoardModel::pin(const char *name, uint32_t width_bits, const char *of) const {
  if (const auto found = Pin::find(*model_, name, width_bits)) return *found;
  throw DescriptionError(fmt::format("board: found no pin '{}' of {} bits, expected those of {}",
                                     name, width_bits, of));
}

}  // namespace firesim
