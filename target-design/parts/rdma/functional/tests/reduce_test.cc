// SPDX-License-Identifier: BSD-3-Clause
// Sums of floats by integers are those of the host's floating point, bit for bit.
#include "parts/rdma/functional/reduce.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "core/tests/random_seed.h"

namespace firesim::functional::rdma {
namespace {

uint32_t by_host(uint32_t a, uint32_t b) {
  const float sum = std::bit_cast<float>(a) + std::bit_cast<float>(b);
  return std::isnan(sum) ? 0x7fc0'0000 : std::bit_cast<uint32_t>(sum);
}

TEST(RdmaReduce, FloatsAreRoundedAsIeee754Says) {
  const uint64_t seed = random_seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  const std::vector<uint32_t> special = {0,           0x8000'0000, 1,           0x8000'0001,
                                         0x007f'ffff, 0x0080'0000, 0x3f80'0000, 0xbf80'0000,
                                         0x7f7f'ffff, 0x7f80'0000, 0xff80'0000, 0x7fc0'0001};
  for (const uint32_t a : special) {
    for (const uint32_t b : special) EXPECT_EQ(add_fp32(a, b), by_host(a, b)) << a << " " << b;
  }
  for (int i = 0; i < 200'000; ++i) {
    const auto a = static_cast<uint32_t>(random());
    auto b = static_cast<uint32_t>(random());
    // Exponents near each other, so that there is something to round and to cancel.
    if (i % 2 == 0) b = (b & 0x807f'ffff) | ((a + ((b >> 23 & 31) << 23)) & 0x7f80'0000);
    ASSERT_EQ(add_fp32(a, b), by_host(a, b)) << a << " " << b;
  }
}

TEST(RdmaReduce, ElementsAreAddedByTheRegionsKind) {
  uint32_t there[] = {1, 0xffff'ffff, 0x3f80'0000}, more[] = {2, 3, 0x4000'0000};
  const auto bytes = [](uint32_t(&words)[3]) {
    return std::span<uint8_t>(reinterpret_cast<uint8_t *>(words), sizeof words);
  };
  reduce(Reduction::kInt32, bytes(there).first(8), bytes(more).first(8));
  reduce(Reduction::kFp32, bytes(there).subspan(8), bytes(more).subspan(8));
  EXPECT_EQ(there[0], 3u);
  EXPECT_EQ(there[1], 2u);
  EXPECT_EQ(there[2], 0x4040'0000u);
}

}  // namespace
}  // namespace firesim::functional::rdma
