// SPDX-License-Identifier: BSD-3-Clause
//
// The targets of hostile input that stand for a board can fail: this program is linked with a
// check of rows and a scan chain that have lost guards (simulator/CMakeLists.txt), and each
// target finds that by seed.
#include <gtest/gtest.h>

#include "simulator/hostile/targets.h"

namespace firesim::hostile {
namespace {

constexpr uint64_t kMostCases = 20'000;

// What is said of the first case that is a defect.
std::string found(const Target &target) {
  for (const std::string &good : target.good) {
    const Verdict verdict = target.take(good);
    EXPECT_TRUE(verdict.accepted && verdict.defect.empty()) << verdict.said << verdict.defect;
  }
  for (uint64_t seed = 0; seed < kMostCases; ++seed) {
    Random random(seed);
    const Verdict verdict = target.take(target.mutate(target.good.front(), random));
    if (!verdict.defect.empty()) return verdict.defect;
  }
  return "";
}

constexpr char kOtherRow[] = "internal error: the last row was of another cycle";

TEST(HostileTargets, ARowBehindTheRunIsFoundOnPcie) {
  EXPECT_EQ(found(far_end_target()), kOtherRow);
}

TEST(HostileTargets, ARowBehindTheRunIsFoundOnASerialLine) {
  EXPECT_EQ(found(serial_line_target()), kOtherRow);
}

TEST(HostileTargets, BitsThatNoRowHasAreFound) {
  EXPECT_EQ(found(scan_chain_target()), "internal error: a row has more bits than it can have");
}

}  // namespace
}  // namespace firesim::hostile
