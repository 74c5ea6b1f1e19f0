// SPDX-License-Identifier: BSD-3-Clause
// What a hart of the functional blade sees besides its registers: DRAM and devices.
#pragma once

#include <cstdint>

#include "functional/core/address_map.h"

namespace firesim::functional {

// Main memory: `data` is the host's copy, at least 16-byte aligned, alive as long as the harts.
// base and size_bytes are multiples of 4096. Nobody but the harts writes `data` while harts exist,
// unless Hart::write_by_device is told afterwards.
struct Dram {
  uint64_t base = kDramBase;
  uint64_t size_bytes = 0;
  uint8_t *data = nullptr;
  uint32_t address_bits = 32;  // of Rocket's physical addresses, with its room for DRAM
};

// Everything that is not DRAM. `bytes` is 1, 2, 4 or 8 and `address` is a multiple of it; `value`
// is little-endian and zero-extended (a read sets only its low `bytes` bytes). `cycle` is the
// target cycle of the accessing instruction. Returning false makes the access an access fault.
// Instructions are fetched from here (2 bytes at a time) only within the boot ROM. An AMO is a read
// and a write of the same cycle; LR and SC on devices are access faults without a call.
//
// A callback may call Hart::stop, Hart::set_interrupt and Hart::write_by_device of any hart; an
// interrupt it raises is taken before the next instruction of the hart. A read may call Hart::hold
// of the hart that reads: its value is not there yet.
class Mmio {
 public:
  virtual ~Mmio() = default;
  virtual bool read(uint64_t address, uint32_t bytes, uint64_t cycle, uint64_t &value) = 0;
  virtual bool write(uint64_t address, uint32_t bytes, uint64_t cycle, uint64_t value) = 0;
  // Whether page-table walks read here. Elsewhere outside of DRAM they end in access faults.
  virtual bool has_tables(uint64_t /*address*/) const { return false; }
};

}  // namespace firesim::functional
