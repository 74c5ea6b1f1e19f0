// SPDX-License-Identifier: BSD-3-Clause
//
// The strict reader of JSON: reads what the library it stands on reads, and refuses what that one
// lets through.
#include "core/json_reader.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <random>

#include "core/model.h"
#include "core/tests/random_seed.h"

namespace firesim {
namespace {

using nlohmann::json;

constexpr JsonLimits kLimits{4096, 5};

std::string refusal(const std::string &text) {
  try {
    parse_json(text, kLimits);
  } catch (const JsonError &error) {
    return std::to_string(error.line()) + ": " + error.what();
  }
  return "accepted";
}

TEST(JsonReader, RefusesWhatIsNotStrict) {
  const std::string bad = "not valid JSON";
  EXPECT_EQ(refusal("{\"a\": [1, 2.5, -3, true, null, \"x\"]}"), "accepted");
  EXPECT_EQ(refusal(""), "1: " + bad);
  EXPECT_EQ(refusal("{\n\n\"a\": x}"), "3: " + bad);
  EXPECT_EQ(refusal("{}\n{}"), "2: " + bad);
  EXPECT_EQ(refusal(std::string("{}\n\0rest", 8)), "2: " + bad);
  EXPECT_EQ(refusal("// comment\n1"), "1: " + bad);
  EXPECT_EQ(refusal("\"\xff\""), "1: " + bad);
  EXPECT_EQ(refusal("[NaN]"), "1: " + bad);
  EXPECT_EQ(refusal("{\"a\": 1,\n \"b\": {\"a\": 1},\n \"a\": 2}"),
            "3: found the key \"a\" twice in one object");
  EXPECT_EQ(refusal("[[[[[]]]]]"), "accepted");
  EXPECT_EQ(refusal("[[[[\n{\"a\": []}]]]]"),
            "2: found more than 5 objects and arrays within each other");
  EXPECT_EQ(refusal(std::string(4096, ' ') + "1"), "1: has 4097 bytes, expected at most 4096");
}

TEST(JsonReader, NumbersFit) {
  const std::string expected = ", expected one that fits 64 bits";
  EXPECT_EQ(refusal("[1,\n1e999\n]"), "2: found the number 1e999" + expected);
  EXPECT_EQ(refusal("-1e999"), "1: found the number -1e999" + expected);
  EXPECT_EQ(refusal("18446744073709551616"), "1: found the number 18446744073709551616" + expected);
  EXPECT_EQ(refusal("-9223372036854775809"), "1: found the number -9223372036854775809" + expected);
  EXPECT_EQ(refusal(std::string(400, '9')),
            "1: found the number " + std::string(37, '9') + "..." + expected);
  EXPECT_EQ(parse_json("18446744073709551615", kLimits), UINT64_MAX);
  EXPECT_EQ(parse_json("-9223372036854775808", kLimits), INT64_MIN);
  EXPECT_EQ(parse_json("1.5e308", kLimits), 1.5e308);
}

json random_value(std::mt19937_64 &random, int depth) {
  switch (random() % (depth == 0 ? 6 : 8)) {
    case 0:
      return nullptr;
    case 1:
      return random() % 2 == 0;
    case 2:
      return random();
    case 3:
      return static_cast<int64_t>(random());
    case 4:
      return static_cast<double>(random()) / 1e3;
    case 5:
      return std::string(random() % 5, static_cast<char>(random() % 128));
    case 6: {
      json object = json::object();
      for (uint64_t i = random() % 4; i > 0; --i) {
        object[std::to_string(random() % 50)] = random_value(random, depth - 1);
      }
      return object;
    }
    default: {
      json array = json::array();
      for (uint64_t i = random() % 4; i > 0; --i) array.push_back(random_value(random, depth - 1));
      return array;
    }
  }
}

// Whole values come back as they were; of damaged texts it takes none that the library refuses.
TEST(JsonReader, AgreesWithTheLibrary) {
  const uint64_t seed = random_seed();
  SCOPED_TRACE("FIRESIM_TEST_SEED=" + std::to_string(seed));
  std::mt19937_64 random(seed);
  constexpr JsonLimits kWide{1 << 20, 8};
  for (int i = 0; i < 2000; ++i) {
    const json value = random_value(random, 6);
    std::string text = value.dump(i % 2 == 0 ? -1 : 1);
    ASSERT_EQ(parse_json(text, kWide), value) << text;
    text[random() % text.size()] = static_cast<char>(random() % 256);
    const json other = json::parse(text, nullptr, false);
    try {
      ASSERT_EQ(parse_json(text, kWide), other) << text;
      ASSERT_FALSE(other.is_discarded()) << text;
    } catch (const JsonError &error) {
      const bool stricter = std::string(error.what()) != "not valid JSON";
      ASSERT_TRUE(other.is_discarded() || stricter || text.find('\0') != std::string::npos) << text;
    }
  }
}

TEST(JsonReader, NamesTheFile) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("firesim-json-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const auto said = [&](const std::string &name) -> std::string {
    try {
      read_json_file(folder / name, kLimits);
    } catch (const DescriptionError &error) {
      return std::string(error.what()).substr(folder.string().size() + 1);
    }
    return "accepted";
  };
  std::ofstream(folder / "good") << "[1]";
  std::ofstream(folder / "bad") << "[1,\n]";
  std::ofstream(folder / "long") << std::string(5000, ' ');
  ASSERT_EQ(mkfifo((folder / "fifo").c_str(), 0600), 0);
  std::filesystem::create_symlink("good", folder / "link");
  EXPECT_EQ(said("good"), "accepted");
  EXPECT_EQ(said("link"), "accepted");
  EXPECT_EQ(said("bad"), "bad:2: not valid JSON");
  EXPECT_EQ(said("long"), "long: has 5000 bytes, expected at most 4096");
  EXPECT_EQ(said("fifo"), "fifo: is a FIFO, expected a regular file");
  EXPECT_EQ(said("."), ".: is a directory, expected a regular file");
  EXPECT_EQ(said("none"), "none: is missing");
  std::filesystem::remove_all(folder);
}

TEST(JsonReader, WritesWhateverTextThereIs) {
  EXPECT_EQ(dump_any({{"message", "a\xff z"}}), "{\"message\":\"a\xef\xbf\xbd z\"}");
  EXPECT_EQ(shown(std::string(100, 'a')).size(), 60U);
}

}  // namespace
}  // namespace firesim
