// SPDX-License-Identifier: BSD-3-Clause
// Rows that no target tells of are refused before a driver sees them.
#include "hostlib/row_check.h"

#include <gtest/gtest.h>

namespace firesim::hostlib {
namespace {

// Three channels: of one piece, of three, and of one that nobody listens to.
std::string refusal(const RowHead &row) {
  std::vector<HostChannel> outputs(3);
  outputs[0].width_bits = outputs[2].width_bits = 32;
  outputs[1].width_bits = 65;
  outputs[0].listened = outputs[1].listened = outputs[1].stops = true;
  try {
    check_row(row, 10, 20, outputs, "board");
    return "";
  } catch (const std::runtime_error &error) {
    return error.what();
  }
}

TEST(RowCheck, RowsOfATarget) {
  EXPECT_EQ(refusal({10, false, {1}}), "");
  EXPECT_EQ(refusal({15, true, {0b1000}}), "");
  EXPECT_EQ(refusal({15, false, {0b0010}}), "");
  EXPECT_EQ(refusal({19, true, {0}}), "");
}

TEST(RowCheck, OtherRows) {
  EXPECT_EQ(refusal({9, false, {1}}), "board: found a row of cycle 9, expected 10 to 19");
  EXPECT_EQ(refusal({20, true, {1}}), "board: found a row of cycle 20, expected 10 to 19");
  const std::string listened =
      " of the tokens in cycle 12, expected those of channels that are "
      "listened to";
  EXPECT_EQ(refusal({12, false, {0b10000}}), "board: found piece 4" + listened);
  EXPECT_EQ(refusal({12, false, {uint64_t{1} << 46}}), "board: found piece 46" + listened);
  EXPECT_EQ(refusal({12, false, {1, 2}}), "board: found piece 65" + listened);
  EXPECT_EQ(refusal({12, false, {0}}),
            "board: found a row without a token in cycle 12, expected that only the last one "
            "before 20 may be so");
  EXPECT_EQ(refusal({12, true, {1}}),
            "board: found that the target stops after cycle 12, expected the contrary");
  EXPECT_EQ(refusal({19, false, {1}}),
            "board: found that the target goes on after cycle 19, expected the contrary");
}

TEST(RowCheck, TokensHaveNoMoreBitsThanTheirChannel) {
  HostChannel channel{"uart", false, 10, {}};
  EXPECT_NO_THROW(check_token(channel, {0x3ff}, 7, "board"));
  try {
    check_token(channel, {0x400}, 7, "board");
    FAIL();
  } catch (const std::runtime_error &error) {
    EXPECT_STREQ(error.what(),
                 "board: found 0x400 at the end of a token of uart in cycle 7, expected 10 bits");
  }
  channel.width_bits = 128;
  EXPECT_NO_THROW(check_token(channel, {~uint64_t{0}, ~uint64_t{0}}, 7, "board"));
}

}  // namespace
}  // namespace firesim::hostlib
