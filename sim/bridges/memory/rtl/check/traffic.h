// SPDX-License-Identifier: BSD-3-Clause
// Random settings and random traffic for the timing models, from a seed.
#pragma once

#include <random>
#include <string>

#include "bridges/memory/timing_registers.h"

namespace firesim::bridges::check {

class Random {
 public:
  explicit Random(uint64_t seed) : generator_(seed) {}
  uint64_t below(uint64_t limit) { return generator_() % limit; }
  uint64_t from(uint64_t least, uint64_t most) { return least + below(most - least + 1); }
  uint64_t bits() { return generator_(); }
  bool one_in(uint64_t many) { return below(many) == 0; }
  // A power of two from 1 to `most`, each as likely.
  uint64_t power_of_two(uint64_t most);

 private:
  std::mt19937_64 generator_;
};

// What a recipe could say of a memory, within what the hardware has.
struct RandomSettings {
  nlohmann::json timing, llc;
};
RandomSettings random_settings(Random &random, const TimingHardware &hardware);

// What is asked in one target cycle: so many accesses, or none for a while.
enum class Shape { kStreams, kBanks, kScattered, kBursts, kIdle, kMixed };
constexpr int kShapes = 6;
const char *shape_name(Shape shape);

// Draws accesses of one shape; tags are the caller's.
class Traffic {
 public:
  // `access_bytes` is the model's, `row_bytes` the DRAM's.
  Traffic(Random &random, Shape shape, uint32_t access_bytes, uint64_t row_bytes,
          uint64_t memory_bytes);
  // How many accesses the next target cycle would make.
  uint32_t wanted();
  MemoryAccess next();

 private:
  Random &random_;
  Shape shape_;
  uint32_t access_bytes_;
  uint64_t row_bytes_, memory_bytes_;
  uint64_t streams_[4];
  uint64_t writes_in_16_;
  uint64_t idle_ = 0;
  uint64_t spacing_;
};

}  // namespace firesim::bridges::check
