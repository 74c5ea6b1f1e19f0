// SPDX-License-Identifier: BSD-3-Clause
// Loads and stores over datagrams: each done once and in its turn on a link that loses, doubles and
// delays them, words of the window's platform over it, and far ends that are none, each of which is
// a sentence with the device's name, soon. Against a board's whole top: deploy/tests.
#include "hostlib/etherbone_function.h"

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <random>
#include <stdexcept>

#include "core/tests/random_seed.h"
#include "hostlib/registers.h"
#include "hostlib/window_platform.h"

namespace firesim::hostlib {
namespace {

using Micros = std::chrono::microseconds;

constexpr uint32_t kBoard = 0x46534542;
constexpr EtherbonePatience kShort{Micros{40'000}, Micros{1'000}, Micros{50}};
constexpr EtherbonePatience kQuick{Micros{20'000'000}, Micros{50}, Micros{50}};

// What rtl/firesim_etherbone_link.v says a board does, behind a link that does what it likes.
class Board final : public DatagramLine {
 public:
  Board(uint64_t seed, uint32_t loss_percent, uint32_t done)
      : random_(seed), percent_(loss_percent), done_(done) {}

  const std::string &device() const override { return device_; }
  void send(std::span<const uint8_t> bytes) override {
    pass({bytes.begin(), bytes.end()}, to_board_);
    while (!to_board_.empty()) {
      const Datagram one = next(to_board_);
      if (const auto writes = etherbone_writes(one)) take(*writes);
      if (const auto reads = etherbone_reads(one)) pass(answer(*reads), from_board_);
    }
  }
  // An empty link brings nothing, at once: time is only that of the test's.
  size_t receive(std::span<uint8_t> bytes, Micros) override {
    if (from_board_.empty()) return 0;
    const Datagram one = next(from_board_);
    std::copy_n(one.begin(), std::min(one.size(), bytes.size()), bytes.begin());
    return one.size();
  }

  std::vector<std::pair<uint32_t, uint64_t>> did;  // what it was to do, and the value
  std::vector<uint64_t> down;
  uint64_t up_next = 0, most_up = 0;  // words that come up are 0, 1, ...

 private:
  bool happens() { return random_() % 100 < percent_; }
  void pass(const Datagram &one, std::deque<Datagram> &link) {
    if (happens()) return;
    link.push_back(one);
    if (happens()) link.push_back(one);
    if (happens() && &link == &to_board_) kept_.push_back(one);  // comes once more, much later
    if (!kept_.empty() && happens() && &link == &to_board_) link.push_back(next(kept_));
  }
  Datagram next(std::deque<Datagram> &link) {
    const size_t at = happens() ? random_() % link.size() : 0;
    const Datagram one = link[at];
    link.erase(link.begin() + static_cast<ptrdiff_t>(at));
    return one;
  }
  void take(const EtherboneWrites &writes) {
    ASSERT_EQ(writes.words.size() % 4, 0u);
    for (size_t at = 0; at < writes.words.size(); at += 4) {
      if (writes.words[at] != done_) continue;
      ++done_;
      const uint32_t what = writes.words[at + 1];
      const uint64_t value = writes.words[at + 2] | uint64_t{writes.words[at + 3]} << 32;
      did.push_back({what, value});
      if (what >> 30 == 0) registers_[what & 0xff] = static_cast<uint32_t>(value);
      if (what >> 30 == 1) value_ = registers_[what & 0xff];
      if (what >> 30 == 2) store_word(what & 0xffff, value);
      if (what >> 30 == 3) taken_ = 0, down.clear();
    }
  }
  void store_word(uint32_t address, uint64_t value) {
    if (address < 0x1000) {
      ASSERT_LT(queue_, 256u) << "the board would wait";
      down.push_back(value);
      ++queue_;
      return;
    }
    ASSERT_LE(value, up_.size());
    up_.erase(up_.begin(), up_.begin() + static_cast<ptrdiff_t>(value));
    taken_ += value;
  }
  Datagram answer(const EtherboneReads &reads) {
    queue_ -= std::min<uint64_t>(queue_, random_() % 3);
    for (; up_.size() < 7 && up_next < most_up && random_() % 3 != 0; ++up_next) {
      up_.push_back(up_next);
    }
    std::vector<uint64_t> view{up_.size() | (256 - queue_) << 4 | (down.size() & 0xffffff) << 16 |
                               (taken_ & 0xffffff) << 40};
    view.insert(view.end(), up_.begin(), up_.end());
    view.resize(8);
    EtherboneWrites found{reads.number, {}};
    for (const uint32_t at : reads.addresses) {
      found.words.push_back(at >= 64  ? static_cast<uint32_t>(view[at / 8 - 8] >> 8 * (at % 8))
                            : at == 0 ? kBoard
                            : at == 4 ? done_
                                      : value_);
    }
    return etherbone_packet(found);
  }

  std::mt19937_64 random_;
  const uint32_t percent_;
  const std::string device_ = "board";
  std::deque<Datagram> to_board_, from_board_, kept_;
  std::deque<uint64_t> up_;
  uint32_t registers_[256] = {};
  uint32_t done_, value_ = 0;
  uint64_t queue_ = 0, taken_ = 0;
};

TEST(EtherboneFunction, EachAccessIsDoneOnceAndInItsTurn) {
  const uint64_t seed = random_seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  for (const uint32_t loss_percent : {0u, 10u, 40u}) {
    std::mt19937_64 random(seed);
    auto made = std::make_unique<Board>(seed, loss_percent, static_cast<uint32_t>(-50));
    Board &board = *made;
    EtherboneFunction function(std::move(made), kQuick);
    std::vector<std::pair<uint32_t, uint64_t>> asked{{3u << 30, 0}};
    uint32_t registers[256] = {};
    for (int round = 0; round < 2000; ++round) {
      const auto at = static_cast<uint32_t>(random() % 64 * 4);
      const auto value = static_cast<uint32_t>(random());
      if (random() % 8 != 0) {
        function.store(0, at, registers[at] = value);
        asked.push_back({at, value});
        continue;
      }
      ASSERT_EQ(function.load(0, at), registers[at]);
      asked.push_back({1u << 30 | at, 0});
      ASSERT_EQ(board.did, asked);
    }
  }
}

TEST(EtherboneFunction, WordsOfTheWindowOnALossyLink) {
  const uint64_t seed = random_seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  for (const uint32_t loss_percent : {0u, 10u, 40u}) {
    std::mt19937_64 random(seed);
    auto made = std::make_unique<Board>(seed, loss_percent, 7);
    Board &board = *made;
    WindowPlatform platform(std::make_unique<EtherboneFunction>(std::move(made), kQuick));
    uint64_t sent = 0, received = 0;
    for (int round = 0; round < 30; ++round) {
      std::vector<uint64_t> down(random() % 300), up(random() % 30);
      for (uint64_t &word : down) word = sent++;
      platform.send(down);
      board.most_up += up.size();
      while (!platform.receive(up)) {
      }
      for (const uint64_t word : up) ASSERT_EQ(word, received++);
    }
    platform.read(kIdentity);
    ASSERT_EQ(board.down.size(), sent);
    for (uint64_t i = 0; i < sent; ++i) ASSERT_EQ(board.down[i], i);
  }
}

// A far end that answers each datagram with what a test likes.
class FarEnd final : public DatagramLine {
 public:
  explicit FarEnd(std::function<Datagram(const Datagram &)> say) : say_(std::move(say)) {}
  const std::string &device() const override { return device_; }
  void send(std::span<const uint8_t> bytes) override { said_ = say_({bytes.begin(), bytes.end()}); }
  size_t receive(std::span<uint8_t> bytes, Micros) override {
    const Datagram said = std::exchange(said_, {});
    std::copy_n(said.begin(), std::min(said.size(), bytes.size()), bytes.begin());
    return said.size();
  }

 private:
  const std::function<Datagram(const Datagram &)> say_;
  const std::string device_ = "far end";
  Datagram said_;
};

std::string refusal(std::function<Datagram(const Datagram &)> say) {
  try {
    EtherboneFunction function(std::make_unique<FarEnd>(std::move(say)), kShort);
    function.load(0, 0);
    return "";
  } catch (const std::runtime_error &error) {
    const std::string text = error.what();
    EXPECT_EQ(text.rfind("far end: ", 0), 0u) << text;
    return text.substr(9);
  }
}

// Answers reads with these values, whatever they are of.
std::string refusal_of(std::vector<uint32_t> first, std::vector<uint32_t> later) {
  return refusal([=, is_first = true](const Datagram &one) mutable -> Datagram {
    const auto reads = etherbone_reads(one);
    if (!reads) return {};
    return etherbone_packet(
        EtherboneWrites{reads->number, std::exchange(is_first, false) ? first : later});
  });
}

TEST(EtherboneFunction, NoBoard) {
  EXPECT_EQ(refusal([](const Datagram &) {
              return Datagram{};
            }).rfind("found no answer for 0 s to what was sent ", 0),
            0u);
  EXPECT_EQ(refusal([](const Datagram &) {
              return Datagram{'n', 'o'};
            }),
            "found 2 bytes that are no answer, expected one of Etherbone");
  EXPECT_EQ(refusal([](const Datagram &) { return Datagram(3000, 7); }),
            "found 3000 bytes that are no answer, expected one of Etherbone");
  EXPECT_EQ(refusal([](const Datagram &one) { return one; }),
            "found 24 bytes that are no answer, expected one of Etherbone");
  EXPECT_EQ(refusal_of({5, 5}, {}),
            "found 0x5 in the first word, expected 0x46534542: a board of FireSim");
  EXPECT_EQ(refusal_of({kBoard}, {}), "found an answer of 1 words, expected 2");
}

TEST(EtherboneFunction, AnotherHost) {
  EXPECT_EQ(refusal_of({kBoard, 4}, {9}),
            "found 9 accesses done, expected 5: another host uses the board, or it was reset");
  EXPECT_EQ(refusal_of({kBoard, 4}, {3}),
            "found 3 accesses done, expected 5: another host uses the board, or it was reset");
  EXPECT_EQ(refusal_of({kBoard, 4}, {4}).rfind("found no answer for ", 0), 0u);
}

TEST(EtherboneFunction, RandomAnswersEndSoon) {
  const uint64_t seed = random_seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  for (uint64_t round = 0; round < 300; ++round) {
    std::mt19937_64 random(seed + round);
    refusal([&](const Datagram &one) {
      const auto reads = etherbone_reads(one);
      if (!reads) return Datagram{};
      std::vector<uint32_t> words(reads->addresses.size() + (random() % 16 == 0 ? 1 : 0));
      for (uint32_t &word : words) word = random() % 4 == 0 ? kBoard : random() % 4;
      Datagram said = etherbone_packet(EtherboneWrites{reads->number, words});
      if (random() % 8 == 0) said[random() % said.size()] ^= 1 << random() % 8;
      if (random() % 16 == 0) said.resize(random() % said.size());
      return said;
    });
  }
}

}  // namespace
}  // namespace firesim::hostlib
