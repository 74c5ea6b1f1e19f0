// SPDX-License-Identifier: BSD-3-Clause
// The geometry of one AXI4 burst: the address of every beat and the timing accesses it is cut into.
#pragma once

#include <algorithm>
#include <cstdint>

namespace firesim::bridges {

enum class BurstType : uint8_t { kFixed = 0, kIncrement = 1, kWrap = 2 };

struct Burst {
  uint64_t address = 0;
  uint32_t beats = 1;
  uint32_t beat_bytes = 8;  // a power of two
  BurstType type = BurstType::kIncrement;

  uint64_t aligned() const { return address & ~uint64_t{beat_bytes - 1}; }
  uint64_t total_bytes() const { return uint64_t{beats} * beat_bytes; }
  // First byte of the stretch that the beats cover, a multiple of the beat's size.
  uint64_t region_start() const {
    return type == BurstType::kWrap ? address & ~(total_bytes() - 1) : aligned();
  }
  uint64_t region_bytes() const { return type == BurstType::kFixed ? beat_bytes : total_bytes(); }
  // Address of beat `index`; only the first may be unaligned.
  uint64_t beat_address(uint32_t index) const {
    const uint64_t step = uint64_t{index} * beat_bytes;
    switch (type) {
      case BurstType::kFixed:
        return address;
      case BurstType::kIncrement:
        return index == 0 ? address : aligned() + step;
      default:
        return region_start() + ((aligned() - region_start() + step) & (total_bytes() - 1));
    }
  }
  // Nothing when AXI4 allows the burst, else what it breaks.
  const char *violation(uint32_t data_bytes) const {
    if (beat_bytes > data_bytes) return "has beats wider than the data bus";
    if (type > BurstType::kWrap) return "has the reserved burst type";
    if (type == BurstType::kFixed && beats > 16) return "is FIXED with more than 16 beats";
    if (type == BurstType::kWrap) {
      const bool length_ok = beats == 2 || beats == 4 || beats == 8 || beats == 16;
      if (!length_ok) return "is WRAP with a length that is not 2, 4, 8 or 16";
      if (address != aligned()) return "is WRAP with an unaligned address";
    }
    const uint64_t end = region_start() + region_bytes() - 1;
    return region_start() >> 12 == end >> 12 ? nullptr : "crosses a 4 KiB boundary";
  }

  // The accesses of at most `size` bytes (a power of two, 64 or more) that the burst is cut into.
  // At most 64 of them, in the order in which the beats need them.
  uint32_t access_count(uint32_t size) const {
    const uint64_t first = region_start() / size;
    return static_cast<uint32_t>((region_start() + region_bytes() - 1) / size - first + 1);
  }
  // Place, from the lowest, of the access that beat `index` belongs to.
  uint32_t access_of_beat(uint32_t index, uint32_t size) const {
    return static_cast<uint32_t>(beat_address(index) / size - region_start() / size);
  }
  // First byte and length of the access in place `place`.
  uint64_t access_address(uint32_t place, uint32_t size) const {
    return std::max(region_start(), (region_start() / size + place) * size);
  }
  uint32_t access_length(uint32_t place, uint32_t size) const {
    const uint64_t end =
        std::min(region_start() + region_bytes(), (region_start() / size + place + 1) * size);
    return static_cast<uint32_t>(end - access_address(place, size));
  }
};

}  // namespace firesim::bridges
