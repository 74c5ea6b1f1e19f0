// SPDX-License-Identifier: BSD-3-Clause
// What a NIC that reduces adds: data that peers write, to what memory has.
#pragma once

#include <cstdint>
#include <span>

#include "parts/rdma/functional/regions.h"

namespace firesim::functional::rdma {

// The sum of two floats by their bits: rounded to nearest even, with subnormal numbers; one that is
// no number is the canonical one. By integers, as the flags of the host's floating point are those
// of the hart whose access this may be part of.
uint32_t add_fp32(uint32_t a, uint32_t b);

// Adds `more` to `there`, element by element of four bytes.
void reduce(Reduction kind, std::span<uint8_t> there, std::span<const uint8_t> more);

}  // namespace firesim::functional::rdma
