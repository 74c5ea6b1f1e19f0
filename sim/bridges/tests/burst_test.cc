// SPDX-License-Identifier: BSD-3-Clause
// The geometry of AXI bursts.
#include "bridges/memory/burst.h"

#include <gtest/gtest.h>

namespace firesim::bridges {
namespace {

TEST(Burst, UnalignedIncrementAlignsAfterTheFirstBeat) {
  const Burst burst{0x1003, 3, 8, BurstType::kIncrement};
  EXPECT_EQ(burst.beat_address(0), 0x1003u);
  EXPECT_EQ(burst.beat_address(1), 0x1008u);
  EXPECT_EQ(burst.beat_address(2), 0x1010u);
  EXPECT_EQ(burst.region_start(), 0x1000u);
}

TEST(Burst, WrapReturnsToItsBoundary) {
  const Burst burst{0x1018, 4, 8, BurstType::kWrap};
  EXPECT_EQ(burst.beat_address(0), 0x1018u);
  EXPECT_EQ(burst.beat_address(1), 0x1000u);
  EXPECT_EQ(burst.beat_address(3), 0x1010u);
}

TEST(Burst, IsCutAtMultiplesOfTheAccessSize) {
  const Burst burst{0x1030, 8, 8, BurstType::kIncrement};
  EXPECT_EQ(burst.access_count(64), 2u);
  EXPECT_EQ(burst.access_address(0, 64), 0x1030u);
  EXPECT_EQ(burst.access_length(0, 64), 16u);
  EXPECT_EQ(burst.access_address(1, 64), 0x1040u);
  EXPECT_EQ(burst.access_length(1, 64), 48u);
  EXPECT_EQ(burst.access_of_beat(1, 64), 0u);
  EXPECT_EQ(burst.access_of_beat(2, 64), 1u);
}

TEST(Burst, BoundariesAndLengthsAreChecked) {
  EXPECT_EQ((Burst{0x1ff8, 1, 8, BurstType::kIncrement}.violation(8)), nullptr);
  EXPECT_NE((Burst{0x1ff8, 2, 8, BurstType::kIncrement}.violation(8)), nullptr);
  EXPECT_NE((Burst{0x1000, 17, 8, BurstType::kFixed}.violation(8)), nullptr);
  EXPECT_NE((Burst{0x1004, 4, 8, BurstType::kWrap}.violation(8)), nullptr);
  EXPECT_NE((Burst{0x1000, 1, 16, BurstType::kIncrement}.violation(8)), nullptr);
}

}  // namespace
}  // namespace firesim::bridges
