// SPDX-License-Identifier: BSD-3-Clause
// The platform behind a window of PCIe memory: words against a window whose loads overtake stores
// at random, and far ends that are none, each of which is a sentence with the device's name, soon.
// Against F2's custom logic: deploy/tests.
#include "hostlib/window_platform.h"

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <random>
#include <stdexcept>

#include "core/tests/random_seed.h"
#include "hostlib/registers.h"

namespace firesim::hostlib {
namespace {

using Words = std::vector<uint64_t>;

constexpr WindowPatience kShort{std::chrono::milliseconds{5}, std::chrono::milliseconds{20}, 3};
constexpr uint32_t kTakeFrom = 0x1000;

// What rtl/firesim_window.v says its window does, with stores that take their time.
class Window final : public PciFunction {
 public:
  explicit Window(uint64_t seed) : random_(seed) {}

  uint32_t load(int bar, uint32_t address) override {
    EXPECT_EQ(bar, 0);
    return address == kIdentity ? kIdentityValue : 0;
  }
  void store(int bar, uint32_t, uint32_t) override { EXPECT_EQ(bar, 0); }
  void store_word(int bar, uint32_t address, uint64_t value) override {
    EXPECT_EQ(bar, 4);
    stores_.push_back({address, value});
  }
  void load_words(int bar, uint32_t address, std::span<uint64_t> words) override {
    EXPECT_EQ(bar, 4);
    EXPECT_LE(address / 8 + words.size(), 8u);
    for (uint64_t &word : words) {
      go_on();
      word = address == 0 ? state() : address / 8 <= up_.size() ? up_[address / 8 - 1] : ~0ull;
      address += 8;
    }
  }
  const std::string &device() const override { return device_; }

  Words down;         // all words that went down
  uint64_t next = 0;  // word that comes up: 0, 1, ...
  uint64_t most_up = 0;

 private:
  uint64_t state() const {
    const uint64_t shown = std::min<size_t>(up_.size(), 7), room = 256 - queue_;
    return shown | room << 4 | (down.size() & 0xffffff) << 16 | (taken_ & 0xffffff) << 40;
  }
  // Some stores arrive, some words come up, some go on to the target.
  void go_on() {
    for (; !stores_.empty() && random_() % 2 == 0; stores_.pop_front()) {
      const auto [address, value] = stores_.front();
      if (address >= kTakeFrom) {
        ASSERT_LE(value, std::min<size_t>(up_.size(), 7));
        up_.erase(up_.begin(), up_.begin() + static_cast<ptrdiff_t>(value));
        taken_ += value;
      } else {
        ASSERT_LT(queue_, 256u) << "the shell would wait";
        down.push_back(value);
        ++queue_;
      }
    }
    for (; up_.size() < 7 && next < most_up && random_() % 4 != 0; ++next) up_.push_back(next);
    queue_ -= std::min<uint64_t>(queue_, random_() % 3);
  }

  std::mt19937_64 random_;
  const std::string device_ = "window";
  std::deque<std::pair<uint32_t, uint64_t>> stores_;
  std::deque<uint64_t> up_;
  uint64_t taken_ = 0, queue_ = 0;
};

TEST(WindowPlatform, WordsBothWaysWithLoadsThatOvertake) {
  const uint64_t seed = random_seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  auto made = std::make_unique<Window>(seed);
  Window &window = *made;
  WindowPlatform platform(std::move(made));
  uint64_t sent = 0, received = 0;
  for (int round = 0; round < 400; ++round) {
    Words down(random() % 600);
    for (uint64_t &word : down) word = sent++;
    platform.send(down);
    const uint64_t up = random() % 40;
    window.most_up += up;
    Words words(up);
    ASSERT_TRUE(platform.receive(words));
    for (const uint64_t word : words) ASSERT_EQ(word, received++);
  }
  window.most_up += 1;  // whatever comes after it, all stores have arrived
  Words last(1);
  ASSERT_TRUE(platform.receive(last));
  for (int i = 0; i < 10'000 && window.down.size() < sent; ++i) {
    uint64_t state = 0;
    window.load_words(4, 0, {&state, 1});
  }
  ASSERT_EQ(window.down.size(), sent);
  for (uint64_t i = 0; i < sent; ++i) ASSERT_EQ(window.down[i], i);
}

// A far end whose loads say what a test likes.
class FarEnd final : public PciFunction {
 public:
  explicit FarEnd(std::function<uint64_t(int, uint32_t)> say) : say_(std::move(say)) {}
  uint32_t load(int bar, uint32_t address) override {
    return static_cast<uint32_t>(say_(bar, address));
  }
  void store(int, uint32_t, uint32_t) override {}
  void load_words(int bar, uint32_t address, std::span<uint64_t> words) override {
    for (uint64_t &word : words) {
      word = say_(bar, address);
      address += 8;
    }
  }
  void store_word(int, uint32_t, uint64_t) override {}
  const std::string &device() const override { return device_; }

 private:
  const std::function<uint64_t(int, uint32_t)> say_;
  const std::string device_ = "far end";
};

uint64_t state(uint64_t shown, uint64_t room, uint64_t sent, uint64_t taken) {
  return shown | room << 4 | sent << 16 | taken << 40;
}

// What is said of a far end whose first state is `first`, and the later ones `later`, when a word
// was sent there and one is waited for.
std::string refusal(uint64_t first, uint64_t later) {
  bool is_first = true;
  auto end = std::make_unique<FarEnd>([=](int bar, uint32_t address) mutable -> uint64_t {
    if (bar == 0 || address != 0) return 5;
    const uint64_t said = is_first ? first : later;
    is_first = false;
    return said;
  });
  try {
    WindowPlatform platform(std::move(end), kShort);
    uint64_t word = 1;
    platform.send({&word, 1});
    while (!platform.receive({&word, 1})) {
    }
    return "";
  } catch (const std::runtime_error &error) {
    const std::string text = error.what();
    EXPECT_EQ(text.rfind("far end: ", 0), 0u) << text;
    return text.substr(9);
  }
}

TEST(WindowPlatform, NoWindow) {
  const std::string ones =
      "found only ones, expected the state of a window: nothing answers there, or the function's "
      "memory is not enabled";
  const uint64_t fresh = state(0, 256, 0, 0);
  EXPECT_EQ(refusal(UINT64_MAX, fresh), ones);
  EXPECT_EQ(refusal(fresh, UINT64_MAX), ones);
  EXPECT_EQ(refusal(state(8, 0, 0, 0), fresh),
            "found a window with 8 words and room for 0, expected at most 7 and 256");
  EXPECT_EQ(refusal(state(0, 257, 0, 0), fresh),
            "found a window with 0 words and room for 257, expected at most 7 and 256");
}

TEST(WindowPlatform, OneThatWasUsed) {
  EXPECT_EQ(refusal(state(0, 256, 9, 4), 0),
            "found a window with 9 words down and 4 taken, expected one that nobody used since the "
            "board's image was loaded: load it again");
}

TEST(WindowPlatform, CountsThatCannotBe) {
  const uint64_t fresh = state(0, 256, 0, 0);
  const std::string expected = ", expected 0 to 1 down and 0 to 0 taken";
  EXPECT_EQ(refusal(fresh, state(0, 256, 2, 0)),
            "found a window with 2 words down, 0 taken and 0 shown" + expected);
  EXPECT_EQ(refusal(fresh, state(3, 256, 0, 0xffffff)),
            "found a window with 0 words down, 16777215 taken and 3 shown" + expected);
}

TEST(WindowPlatform, OneThatStandsStill) {
  const uint64_t fresh = state(0, 256, 0, 0);
  EXPECT_EQ(refusal(fresh, fresh),
            "the target stands still in cycle 21474836485: no word came for 0.02 s");
  EXPECT_EQ(refusal(state(0, 0, 0, 0), state(0, 0, 0, 0)),
            "found no room for a word down for 0.02 s");
}

TEST(WindowPlatform, AFlood) {
  uint64_t taken = 0, shown = 0;
  auto end = std::make_unique<FarEnd>([&](int bar, uint32_t address) -> uint64_t {
    if (bar == 0 || address != 0) return 0;
    const uint64_t said = state(shown, 0, 0, taken);
    taken += shown;
    shown = 7;
    return said;
  });
  WindowPlatform platform(std::move(end), {std::chrono::seconds{60}, std::chrono::seconds{60}, 8});
  const uint64_t word = 0;
  try {
    platform.send({&word, 1});
    FAIL();
  } catch (const std::runtime_error &error) {
    EXPECT_STREQ(error.what(), "far end: found a flood of words that nobody asked for");
  }
}

TEST(WindowPlatform, RandomLoadsEndSoon) {
  const uint64_t seed = random_seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  for (uint64_t round = 0; round < 200; ++round) {
    std::mt19937_64 random(seed + round);
    int loads = 0;
    auto end = std::make_unique<FarEnd>([&](int, uint32_t) -> uint64_t {
      return loads++ == 0 ? state(0, random() % 8, 0, 0)
                          : state(random() % 8, random() % 257, random() % 3, random() % 3);
    });
    try {
      WindowPlatform platform(std::move(end), kShort);
      Words words(random() % 20);
      platform.send(words);
      for (int i = 0; i < 100; ++i) platform.receive({words.data(), words.size() / 4});
    } catch (const std::runtime_error &error) {
      EXPECT_EQ(std::string(error.what()).rfind("far end: ", 0), 0u) << error.what();
    }
  }
}

}  // namespace
}  // namespace firesim::hostlib
