// SPDX-License-Identifier: BSD-3-Clause
// The platform behind AMD's XDMA: words through a card whose packets end where they like, and cards
// that are none, each of which is a sentence with the device's name, soon. Against the top of the
// boards: deploy/tests.
#include "hostlib/xdma_platform.h"

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <random>
#include <stdexcept>
#include <vector>

#include "core/tests/random_seed.h"
#include "hostlib/board_status.h"
#include "hostlib/registers.h"

namespace firesim::hostlib {
namespace {

using Words = std::vector<uint64_t>;

constexpr XdmaPatience kShort{std::chrono::milliseconds{5}, 3};

// A card that says what a test likes.
class Card final : public XdmaCard {
 public:
  uint32_t load(uint32_t address) override { return registers(address); }
  void store(uint32_t address, uint32_t value) override { stores.emplace_back(address, value); }
  void send(std::span<const uint64_t> words) override {
    down.insert(down.end(), words.begin(), words.end());
  }
  size_t receive(std::span<uint64_t> words) override { return give(words); }
  const std::string &device() const override { return device_; }

  std::function<uint32_t(uint32_t)> registers;
  std::function<size_t(std::span<uint64_t>)> give = [](std::span<uint64_t>) -> size_t { return 0; };
  std::vector<std::pair<uint32_t, uint32_t>> stores;
  Words down;

 private:
  const std::string device_ = "card";
};

TEST(XdmaPlatform, WordsBothWaysInPacketsOfAnyLength) {
  const uint64_t seed = random_seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  auto made = std::make_unique<Card>();
  Card &card = *made;
  uint64_t up = 0, most_up = 0, given = 0;  // words there, to come, and read
  card.registers = [&](uint32_t address) -> uint32_t {
    if (address == kIdentity) return kIdentityValue;
    if (address != kXdmaWordsUp) return 0;
    up = std::min(most_up, up + random() % 20);
    return static_cast<uint32_t>(up);
  };
  card.give = [&](std::span<uint64_t> words) {
    EXPECT_LE(given + words.size(), up) << "the driver would wait";
    const size_t count = 1 + random() % words.size();
    for (uint64_t &word : words.first(count)) word = given++;
    return count;
  };
  XdmaPlatform platform(std::move(made));
  uint64_t sent = 0, received = 0;
  for (int round = 0; round < 400; ++round) {
    Words down(random() % 600);
    for (uint64_t &word : down) word = sent++;
    platform.send(down);
    Words words(random() % 40);
    most_up += words.size();
    ASSERT_TRUE(platform.receive(words));
    for (const uint64_t word : words) ASSERT_EQ(word, received++);
  }
  ASSERT_EQ(card.down.size(), sent);
  for (uint64_t i = 0; i < sent; ++i) ASSERT_EQ(card.down[i], i);
  platform.write(kListen, 5);
  EXPECT_EQ(card.stores, (std::vector<std::pair<uint32_t, uint32_t>>{{kListen, 5}}));
}

// What is said of a card with this first register, this cycle and count, and later that count, when
// a word is waited for.
std::string refusal(uint32_t identity, uint32_t cycle, uint32_t count, uint32_t later) {
  auto card = std::make_unique<Card>();
  int counts = 0;
  card->registers = [=](uint32_t address) mutable {
    if (address == kIdentity) return identity;
    if (address == kXdmaWordsUp) return counts++ == 0 ? count : later;
    return address == kCycle ? cycle : 0;
  };
  try {
    XdmaPlatform platform(std::move(card), kShort);
    uint64_t word = 1;
    while (!platform.receive({&word, 1})) {
    }
    return "";
  } catch (const std::runtime_error &error) {
    const std::string text = error.what();
    EXPECT_EQ(text.rfind("card: ", 0), 0u) << text;
    return text.substr(6);
  }
}

TEST(XdmaPlatform, CardsThatAreNone) {
  EXPECT_EQ(refusal(7, 0, 0, 0),
            "found 0x7 in the first register, expected 0x4653494d: a target of FireSim");
  EXPECT_EQ(refusal(UINT32_MAX, 0, 0, 0),
            "found 0xffffffff in the first register, expected 0x4653494d: a target of FireSim; "
            "nothing answers there");
}

TEST(XdmaPlatform, OneThatWasUsed) {
  const std::string expected =
      ", expected one that nobody used since the board's bitstream was loaded: load it again";
  EXPECT_EQ(refusal(kIdentityValue, 12, 0, 0),
            "found a target in cycle 12, with 0 words up" + expected);
  EXPECT_EQ(refusal(kIdentityValue, 0, 4, 0),
            "found a target in cycle 0, with 4 words up" + expected);
}

TEST(XdmaPlatform, OneThatStandsStill) {
  EXPECT_EQ(refusal(kIdentityValue, 0, 0, 0),
            "the target stands still in cycle 0: no word came for 0.02 s");
}

TEST(XdmaPlatform, CountsThatCannotBe) {
  EXPECT_EQ(refusal(kIdentityValue, 0, 0, 65'537),
            "found a count of 65537 words up, 0 of them taken, expected at most 65536 more");
  EXPECT_EQ(refusal(kIdentityValue, 0, 0, 0xffffff),
            "found a count of 16777215 words up, 0 of them taken, expected at most 65536 more");
}

TEST(XdmaPlatform, AResetWhileItRuns) {
  // A reset before a run is none within it.
  EXPECT_EQ(refusal(kIdentityValue, 0, 3u << 24, 4u << 24 | 1),
            "found reset 4 of the board's host side, expected 3: the board was reset while it ran");
  EXPECT_EQ(refusal(kIdentityValue, 0, 3u << 24, UINT32_MAX),
            "found reset 255 of the board's host side, expected 3: the board was reset while it "
            "ran, or nothing answers there");
}

TEST(XdmaPlatform, ABoardThatKnowsWhy) {
  const auto with = [](uint32_t first, uint32_t later) {
    auto card = std::make_unique<Card>();
    int looks = 0;
    card->registers = [=](uint32_t address) mutable -> uint32_t {
      if (address == kBoardStatus) return looks++ == 0 ? first : later;
      return address == kIdentity ? kIdentityValue : 0;
    };
    try {
      XdmaPlatform platform(std::move(card), kShort);
      uint64_t word = 1;
      while (!platform.receive({&word, 1})) {
      }
      return std::string();
    } catch (const std::runtime_error &error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(with(0x42530000, 0), "card: the board's host clock is not locked");
  EXPECT_EQ(with(0x42530001, 0), "card: the board holds its host side in reset");
  EXPECT_EQ(with(0x42530003, 0x42530000), "card: the board's host clock is not locked");
  EXPECT_EQ(with(0x42530003, 0x42530007), "card: the board's DRAM is not calibrated");
  EXPECT_EQ(
      with(0x42530007, 0x4253001f),
      "card: the board's DRAM answered an access with an error, and none has been sent since");
  EXPECT_EQ(with(0x42530003, 0x42530003),
            "card: the target stands still in cycle 0: no word came for 0.02 s");
}

}  // namespace
}  // namespace firesim::hostlib
