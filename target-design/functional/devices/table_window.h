// SPDX-License-Identifier: BSD-3-Clause
// A part's window onto page tables: walks and loads of harts read entries there, and one may have
// to wait until the part has its value. A part's model has one if its `window()` says so.
#pragma once

#include <cstdint>
#include <optional>

namespace firesim::functional {

class TableWindow {
 public:
  virtual ~TableWindow() = default;

  // Of the 8 bytes at `offset`, from the part's first register on; nothing: the hart waits until
  // `is_released`, and then reads again.
  virtual std::optional<uint64_t> read_entry(uint32_t offset) = 0;
  // Whether reads that wait may be made again, since it was asked last.
  virtual bool is_released() = 0;
};

}  // namespace firesim::functional
