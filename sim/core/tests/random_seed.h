// SPDX-License-Identifier: BSD-3-Clause
// The seed of a random test: another in every run, or FIRESIM_TEST_SEED to replay one.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <random>

namespace firesim {

inline uint64_t random_seed() {
  const char *chosen = std::getenv("FIRESIM_TEST_SEED");
  return chosen ? std::strtoull(chosen, nullptr, 0) : std::random_device{}();
}

}  // namespace firesim
