// SPDX-License-Identifier: BSD-3-Clause
//
// Text for terminals: nothing in it is obeyed, and the rest stays as it is.
#include "core/printable.h"

#include <gtest/gtest.h>

namespace firesim {
namespace {

using namespace std::string_literals;

TEST(Printable, TextStaysAsItIs) {
  for (const std::string text : {"", "plain\n\ttext", "h\u00f6he \u2013 \u20ac \U0001f600"}) {
    EXPECT_EQ(printable(text), text);
  }
}

TEST(Printable, WhatATerminalObeysIsShown) {
  EXPECT_EQ(printable("\x1b[2J\a\r\0\x7f"s), "\\x1b[2J\\x07\\x0d\\x00\\x7f");
  EXPECT_EQ(printable("\u009b1m"), "\\x9b1m");
  EXPECT_EQ(printable("a\u202eb\u2066\ufeff"), "a\\u202eb\\u2066\\ufeff");
}

TEST(Printable, BytesThatAreNoTextAreShown) {
  EXPECT_EQ(printable("\x9b\xff"), "\\x9b\\xff");
  EXPECT_EQ(printable("\xc3"), "\\xc3");
  EXPECT_EQ(printable("\xc0\x80"), "\\xc0\\x80");                    // overlong
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // a surrogate
  EXPECT_EQ(printable("\xf5\x80\x80\x80"), "\\xf5\\x80\\x80\\x80");  // beyond Unicode
  EXPECT_EQ(printable("\xe2\x80"), "\\xe2\\x80");                    // cut off
}

}  // namespace
}  // namespace firesim
