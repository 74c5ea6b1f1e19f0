// SPDX-License-Identifier: BSD-3-Clause
// The PLIC as Rocket's: 8 level sources through gateways, priorities of 3 bits, and for each hart a
// context for M and one for S mode (2 * hart and 2 * hart + 1), or one for M mode where that is all
// there is.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "functional/core/address_map.h"
#include "functional/devices/interrupt_lines.h"
#include "functional/devices/register_device.h"

namespace firesim::functional {

class Plic {
 public:
  static constexpr uint32_t kSources = kPlicSources;

  Plic(uint32_t harts, InterruptLines &lines, bool supervisor = true);

  // The level of a device's interrupt; `source` is 1 to kSources.
  void set_level(uint32_t source, bool level);

  uint64_t read(uint32_t offset, uint32_t bytes);
  void write(uint32_t offset, uint32_t bytes, uint64_t value);

  uint32_t contexts() const { return static_cast<uint32_t>(contexts_.size()); }

  // An interrupt has been claimed and not been completed.
  bool has_claims() const { return (in_flight_ & ~pending_) != 0; }

  // Sets all lines anew, after `load`.
  void refresh();

  void save(StateWriter &state) const;
  void load(StateReader &state);

 private:
  // Bit s of a set stands for source s; bit 0 is never set.
  struct Context {
    uint32_t enabled = 0;
    uint32_t threshold = 0;
    bool line = false;
  };

  uint32_t read_lane(uint32_t offset);
  void write_lane(uint32_t offset, uint32_t bytes_given, uint32_t value);
  void write_context(uint32_t offset, uint32_t bytes_given, uint32_t value);
  // The enabled pending source of highest priority, the lowest among equals; 0 when there is none.
  uint32_t best(const Context &context) const;
  void settle();

  void set_line(uint32_t context);

  InterruptLines *lines_;
  uint32_t modes_;  // contexts of each hart
  std::array<uint32_t, kSources + 1> priority_{};
  uint32_t levels_ = 0;
  uint32_t pending_ = 0;
  uint32_t in_flight_ = 0;  // passed on by the gateway and not yet completed
  std::vector<Context> contexts_;
};

}  // namespace firesim::functional
