// SPDX-License-Identifier: BSD-3-Clause
// Rows that no target tells of are refused before a driver sees them.
#include "hostlib/row_check.h"

#include <gtest/gtest.h>

namespace firesim::hostlib {
namespace {

std::string refusal(const RowHead &row) {
  std::vector<HostChannel> outputs(3);
  outputs[0].listened = outputs[1].listened = outputs[1].stops = true;
  try {
    check_row(row, 10, 20, outputs, "board");
    return "";
  } catch (const std::runtime_error &error) {
    return error.what();
  }
}

TEST(RowCheck, RowsOfATarget) {
  EXPECT_EQ(refusal({10, 1, false}), "");
  EXPECT_EQ(refusal({15, 2, true}), "");
  EXPECT_EQ(refusal({19, 0, true}), "");
}

TEST(RowCheck, OtherRows) {
  EXPECT_EQ(refusal({9, 1, false}), "board: found a row of cycle 9, expected 10 to 19");
  EXPECT_EQ(refusal({20, 1, true}), "board: found a row of cycle 20, expected 10 to 19");
  const std::string channel = "board: found a token of channel ";
  EXPECT_EQ(refusal({12, 4, false}),
            channel + "2 in cycle 12, expected those that are listened to");
  EXPECT_EQ(refusal({12, uint64_t{1} << 63, false}),
            channel + "63 in cycle 12, expected those that are listened to");
  EXPECT_EQ(refusal({12, 1, true}),
            "board: found that the target stops after cycle 12, expected the contrary");
  EXPECT_EQ(refusal({19, 1, false}),
            "board: found that the target goes on after cycle 19, expected the contrary");
}

}  // namespace
}  // namespace firesim::hostlib
