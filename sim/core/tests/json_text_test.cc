// SPDX-License-Identifier: BSD-3-Clause
//
// JSON text written without a tree, against what the reader finds in it and what a tree writes.
#include "core/json_text.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>

#include "core/json_reader.h"
#include "core/tests/random_seed.h"

namespace firesim {
namespace {

constexpr JsonLimits kLimits{4096, 4};

template <typename Value>
std::string text_of(const Value &value) {
  std::string text;
  append_json(text, value);
  return text;
}

TEST(JsonText, EscapesAsATreeDoes) {
  for (int letter = 0; letter < 256; ++letter) {
    const std::string text = std::string("a") + static_cast<char>(letter) + "b";
    EXPECT_EQ(text_of(std::string_view(text)), dump_any(text)) << letter;
  }
  const uint64_t seed = random_seed();
  SCOPED_TRACE("FIRESIM_TEST_SEED=" + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int round = 0; round < 2000; ++round) {
    std::string text(random() % 12, ' ');
    // Half of them of letters that need no escape, or nearly.
    for (char &letter : text) letter = static_cast<char>(round % 2 ? random() : 32 + random() % 96);
    EXPECT_EQ(text_of(std::string_view(text)), dump_any(text));
    EXPECT_NO_THROW(parse_json(text_of(std::string_view(text)), kLimits));
  }
}

TEST(JsonText, NumbersAreReadAsTheSame) {
  const uint64_t seed = random_seed();
  SCOPED_TRACE("FIRESIM_TEST_SEED=" + std::to_string(seed));
  std::mt19937_64 random(seed);
  const auto same = [](double value) {
    const nlohmann::json read = parse_json(text_of(value), kLimits);
    ASSERT_TRUE(read.is_number_float()) << text_of(value);
    EXPECT_EQ(std::bit_cast<uint64_t>(read.get<double>()), std::bit_cast<uint64_t>(value));
  };
  using Double = std::numeric_limits<double>;
  for (const double value :
       {0.0, -0.0, 1.0, 1e-6, 1e22, -2.5e-7, Double::max(), Double::denorm_min()}) {
    same(value);
  }
  for (int round = 0; round < 5000; ++round) {
    const auto value = std::bit_cast<double>(random());
    if (std::isfinite(value)) same(value);
    same(static_cast<double>(random() % 1'000'000'000) / 1e6);
  }
  for (const double none : {Double::infinity(), -Double::infinity(), Double::quiet_NaN()}) {
    EXPECT_EQ(text_of(none), "null");
  }
  EXPECT_EQ(text_of(UINT64_MAX), "18446744073709551615");
  EXPECT_EQ(text_of(std::numeric_limits<int>::min()), "-2147483648");
}

}  // namespace
}  // namespace firesim
