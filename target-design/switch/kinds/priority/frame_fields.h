// SPDX-License-Identifier: BSD-3-Clause
//
// What a switch with classes reads and writes in frames: the class, the mark of congestion, and
// frames of priority pause. Formats: IEEE 802.1Q (tag), RFC 2474 (DSCP), RFC 3168 (ECN), RFC 1624
// (checksum), IEEE 802.1Qbb and 802.3 annex 31D (priority pause).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace firesim::priority {

inline constexpr uint32_t kClasses = 8;

enum class ClassBy { kPcp, kDscp, kNone };

// The class of a frame: its PCP, or the upper three bits of its DSCP; `otherwise` if it has none.
uint32_t class_of(std::span<const uint64_t> flits, ClassBy by, uint32_t otherwise);

// Whether a sender of IP can take a mark of congestion (ECT or CE).
bool is_ecn_capable(std::span<const uint64_t> flits);

// Marks a frame for which that is so: CE, and the checksum of IPv4 with it.
void mark_congestion(std::span<uint64_t> flits);

// A frame of priority pause: for each class that it is about, how long to pause, in times of 512
// bits; 0 to go on.
struct PriorityPause {
  uint8_t classes = 0;  // a bit each
  std::array<uint16_t, kClasses> quanta{};
};

// Nothing for any other frame.
std::optional<PriorityPause> read_pause(std::span<const uint64_t> flits);

// From the address that a port has on its link alone.
std::vector<uint64_t> pause_frame(const PriorityPause &pause, uint32_t port);

}  // namespace firesim::priority
