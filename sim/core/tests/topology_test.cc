// SPDX-License-Identifier: BSD-3-Clause
//
// Distances between models and connected parts.
#include "core/topology.h"

#include <gtest/gtest.h>

namespace firesim {
namespace {

TEST(Topology, DiameterIsTheLargestShortestPath) {
  EXPECT_EQ(diameter_cycles(1, {}), 0u);
  EXPECT_EQ(diameter_cycles(2, {{0, 1, 5}}), 5u);
  EXPECT_EQ(diameter_cycles(3, {{0, 1, 3}, {0, 2, 50}, {1, 2, 7}}), 10u);
  // Two parts: the larger of their diameters.
  EXPECT_EQ(diameter_cycles(5, {{0, 1, 3}, {2, 3, 4}, {3, 4, 4}}), 8u);
  EXPECT_EQ(diameter_cycles(3, {{0, 1, UINT32_MAX}, {1, 2, UINT32_MAX}}), 2 * uint64_t{UINT32_MAX});
}

TEST(Topology, FindsParts) {
  EXPECT_EQ(part_representatives(5, {{1, 4, 1}, {2, 1, 1}}), (std::vector<size_t>{0, 1, 3}));
  EXPECT_EQ(part_representatives(2, {{0, 1, 1}}), (std::vector<size_t>{0}));
}

}  // namespace
}  // namespace firesim
