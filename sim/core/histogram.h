// SPDX-License-Identifier: BSD-3-Clause
//
// Counts of values in bins: each value below 128 has a bin of its own, and each larger power of two
// has 64 bins of equal width, so that a bin is at most 1/64 of its values wide.
#pragma once

#include <bit>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/state.h"

namespace firesim {

class Histogram {
 public:
  static constexpr uint32_t kExactBits = 7;  // values below 2^7 are exact
  static constexpr uint32_t kBinsAPower = 1u << (kExactBits - 1);
  static constexpr size_t kBins = (64 - kExactBits) * kBinsAPower + (size_t{1} << kExactBits);

  // Takes all memory that it will ever need.
  void reserve() { counts_.resize(kBins); }
  // Counts a value `weight` times.
  void add(uint64_t value, uint64_t weight = 1) {
    const size_t bin = bin_of(value);
    if (bin >= counts_.size()) counts_.resize(bin + 1);
    counts_[bin] += weight;
    count_ += weight;
    sum_ += value * weight;
    if (value > largest_) largest_ = value;
  }

  static constexpr size_t bin_of(uint64_t value) {
    if (value >> kExactBits == 0) return value;
    const auto shift = static_cast<uint32_t>(std::bit_width(value)) - kExactBits;
    return size_t{shift} * kBinsAPower + (value >> shift);
  }
  // The least value of a bin.
  static constexpr uint64_t low_of(size_t bin) {
    if (bin >> kExactBits == 0) return bin;
    const size_t shift = bin / kBinsAPower - 1;
    return (bin - shift * kBinsAPower) << shift;
  }

  // {"count", "sum", "largest", "bins": [[least, most, count], …]}, bins with counts, in order.
  nlohmann::json to_json() const;
  // Values within a section that the caller has begun.
  void save(StateWriter &state) const;
  void load(StateReader &state);

 private:
  std::vector<uint64_t> counts_;  // by bin
  uint64_t count_ = 0, sum_ = 0, largest_ = 0;
};

}  // namespace firesim
