// SPDX-License-Identifier: BSD-3-Clause
// Strict reading of configuration objects: messages are compared exactly.
#include "devices/config.h"

#include "support.h"

namespace firesim::devices {
namespace {

TEST(Config, ReadsValuesAndDefaults) {
  Config config({{"a", 5}, {"b", nullptr}, {"c", "text"}, {"d", true}}, "node0");
  EXPECT_EQ(config.integer("a", 1, 0, 9), 5u);
  EXPECT_EQ(config.integer("b", 7, 0, 9), 7u);
  EXPECT_EQ(config.required_text("c"), "text");
  EXPECT_TRUE(config.boolean("d", false));
  EXPECT_EQ(config.choice("e", {"x", "y"}), "x");
  config.finish();
}

TEST(Config, NamesTheNearestKey) {
  Config config({{"latency_cycels", 5}}, "node0: bridges.memory");
  config.integer("latency_cycles", 1, 0, 9);
  config.integer("size_bytes", 1, 0, 9);
  EXPECT_EQ(refusal([&] { config.finish(); }),
            "node0: bridges.memory: unknown key 'latency_cycels', nearest is 'latency_cycles'");
}

TEST(Config, RefusesWrongTypes) {
  Config config({{"a", -1}, {"b", "5"}, {"c", 1}, {"d", 1.5}}, "x");
  EXPECT_EQ(refusal([&] { config.integer("a", 0, 0, 9); }),
            "x.a: found -1, expected a whole number from 0 to 9");
  EXPECT_EQ(refusal([&] { config.integer("b", 0, 0, 9); }),
            "x.b: found \"5\", expected a whole number from 0 to 9");
  EXPECT_EQ(refusal([&] { config.text("c"); }), "x.c: found 1, expected a non-empty text");
  EXPECT_EQ(refusal([&] { config.integer("d", 0, 0, 9); }),
            "x.d: found 1.5, expected a whole number from 0 to 9");
  EXPECT_EQ(refusal([&] { config.required_integer("e", 1, 2); }),
            "x.e: found nothing, expected a whole number from 1 to 2");
  EXPECT_EQ(refusal([] { Config(5, "y"); }), "y: found 5, expected an object");
}

}  // namespace
}  // namespace firesim::devices
