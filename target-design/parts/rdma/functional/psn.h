// SPDX-License-Identifier: BSD-3-Clause
// Packet sequence numbers: 24 bits, counted on through 0.
#pragma once

#include <cstdint>

namespace firesim::functional::rdma {

inline constexpr uint32_t kPsnMask = 0xff'ffff;

inline uint32_t psn_add(uint32_t psn, uint32_t count) { return (psn + count) & kPsnMask; }
// How far `to` is behind `from`.
inline uint32_t psn_distance(uint32_t from, uint32_t to) { return (to - from) & kPsnMask; }

}  // namespace firesim::functional::rdma
