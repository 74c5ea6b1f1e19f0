// SPDX-License-Identifier: BSD-3-Clause
// The DRAM of a board against a far end that does what rtl/firesim_dram_access.v does, and against
// far ends that err, each of which is a sentence. Against the real Verilog: deploy/tests.
#include "hostlib/dram_access.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <random>
#include <stdexcept>
#include <vector>

#include "core/tests/random_seed.h"
#include "hostlib/registers.h"

namespace firesim::hostlib {
namespace {

constexpr uint32_t kPort = 3;
constexpr uint64_t kNoise = 0x5a5a5a5a5a5a5a5a;

class FarDram final : public HostPlatform {
 public:
  uint32_t read(uint32_t) override { return 0; }
  void write(uint32_t address, uint32_t value) override {
    if (address == kDramRow) {
      row_ = value;
    } else if (address == kDramRows) {
      rows_ = value;
    } else {
      ASSERT_EQ(address, kDram);
      ASSERT_EQ(value >> 8, kPort);
      begin(value & 0xff);
    }
  }
  void send(std::span<const uint64_t> sent) override {
    for (const uint64_t word : sent) {
      ASSERT_LT(place_, rows_ * 8) << "no more words are taken than were said";
      words[row_ * 8 + place_] = word;
      if (++place_ == rows_ * 8) up_.push_back(row_ + rows_ + wrong_row);
    }
  }
  bool receive(std::span<uint64_t> words_up) override {
    if (silent || up_.size() < words_up.size()) return false;
    for (uint64_t &word : words_up) {
      word = up_.front();
      up_.pop_front();
    }
    return true;
  }
  std::string name() const override { return "far"; }

  uint64_t word(uint64_t index) const {
    const auto found = words.find(index);
    return found == words.end() ? kNoise : found->second;
  }

  std::map<uint64_t, uint64_t> words;
  uint64_t wrong_row = 0;
  bool silent = false;

 private:
  void begin(uint32_t operation) {
    place_ = 0;
    if (operation == 3) {
      for (uint64_t i = 0; i < rows_ * 8; ++i) words[row_ * 8 + i] = 0;
      up_.push_back(row_ + rows_ + wrong_row);
    }
    if (operation != 2) return;
    for (uint64_t i = 0; i < rows_ * 8; ++i) up_.push_back(word(row_ * 8 + i));
  }

  uint64_t row_ = 0, rows_ = 0, place_ = 0;
  std::deque<uint64_t> up_;
};

std::string reason(const std::function<void()> &act) {
  try {
    act();
  } catch (const std::runtime_error &error) {
    return error.what();
  }
  return "";
}

TEST(DramAccess, BytesAreWhereTheyWereWrittenAndNoOthersChange) {
  FarDram far;
  DramAccess dram(far, kPort);
  std::mt19937_64 random(random_seed());
  std::vector<uint8_t> expected(1 << 17, 0x5a);
  for (int round = 0; round < 60; ++round) {
    const uint64_t most = round % 3 == 0 ? 50'000 : 200;
    std::vector<uint8_t> bytes(1 + random() % most);
    const uint64_t offset = random() % (expected.size() - bytes.size());
    for (uint8_t &byte : bytes) byte = static_cast<uint8_t>(random());
    dram.write(offset, bytes);
    std::copy(bytes.begin(), bytes.end(), expected.begin() + static_cast<ptrdiff_t>(offset));
    std::vector<uint8_t> found(1 + random() % most);
    const uint64_t from = random() % (expected.size() - found.size());
    dram.read(from, found);
    EXPECT_TRUE(
        std::equal(found.begin(), found.end(), expected.begin() + static_cast<ptrdiff_t>(from)));
  }
}

TEST(DramAccess, WhatIsClearedIsZeroAndNothingBeyond) {
  FarDram far;
  DramAccess dram(far, kPort);
  constexpr uint64_t kBytes = (uint64_t{1} << 21) + 640;
  dram.clear(kBytes);
  EXPECT_EQ(far.words.size(), kBytes / 8);
  EXPECT_EQ(far.word(0), 0);
  EXPECT_EQ(far.word(kBytes / 8 - 1), 0);
  EXPECT_EQ(far.word(kBytes / 8), kNoise);
}

TEST(DramAccess, FarEndsThatErrAreASentence) {
  FarDram far;
  DramAccess dram(far, kPort);
  std::vector<uint8_t> bytes(64);
  EXPECT_EQ(
      reason([&] { dram.clear(DramAccess::kMostBytes + 64); }),
      "far: found 4294967360 bytes of target memory, expected at most 4294967296, what a node "
      "has of the DRAM");
  far.wrong_row = 2;
  EXPECT_EQ(reason([&] { dram.write(128, bytes); }),
            "far: found row 5 of the DRAM, expected 3 after a write");
  far.silent = true;
  EXPECT_EQ(reason([&] { dram.clear(64); }), "far: the DRAM takes no row before row 1");
  EXPECT_EQ(reason([&] { dram.read(64, bytes); }),
            "far: the DRAM does not give the words of row 1");
}

}  // namespace
}  // namespace firesim::hostlib
