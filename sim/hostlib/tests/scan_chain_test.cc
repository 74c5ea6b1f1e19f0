// SPDX-License-Identifier: BSD-3-Clause
// A scan chain against a far end that does what rtl/firesim_scan.v and a target with memories do,
// and against far ends that err or lie, each of which is a sentence. Against the real Verilog:
// sim/goldengate/tests/test_scan.py and deploy/tests.
#include "hostlib/scan_chain.h"

#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <functional>
#include <random>
#include <stdexcept>

#include "core/model.h"
#include "core/tests/random_seed.h"
#include "hostlib/registers.h"

namespace firesim::hostlib {
namespace {

using Words = std::vector<uint64_t>;

// Two memories: one of 7 rows of 70 bits with a latch, one of 4 rows of 64 bits whose address is in
// the chain's first word.
ScanLayout layout() { return {3, 150 + 70, {{"wide", 7, 70, 1}, {"plain", 4, 64, 2}}, {{0, 1}}}; }

class FarChain final : public HostPlatform {
 public:
  explicit FarChain(uint64_t seed) : random_(seed) {
    for (uint64_t &word : chain) word = random_();
    chain.back() &= (1u << 22) - 1;
    latch = {random_(), random_() & 63};
    for (Words &row : wide) row = {random_(), random_() & 63};
    for (Words &row : plain) row = {random_()};
  }

  uint32_t read(uint32_t address) override {
    EXPECT_EQ(address, kScanWords);
    return 3;
  }
  void write(uint32_t address, uint32_t value) override {
    if (address == kScanRow) {
      row_ = value;
      return;
    }
    ASSERT_EQ(address, kScan);
    operation_ = value & 7;
    last_ = value >> 8 & 0xff;
    point_ = value >> 16;
    index_ = 0;
    if (operation_ == 2) fetch();
  }
  void send(std::span<const uint64_t> words) override {
    for (const uint64_t word : words) up_.push_back(spoil(take(word)));
    EXPECT_LE(up_.size(), kept) << "send() would wait for a reader";
  }
  size_t answers_kept() const override { return kept; }
  bool receive(std::span<uint64_t> words) override {
    if (silent) return false;
    EXPECT_LE(words.size(), up_.size());
    for (uint64_t &word : words) {
      word = up_.front();
      up_.pop_front();
    }
    return true;
  }
  std::string name() const override { return "far"; }

  Words chain = Words(3), latch;  // the chain's first word is the first that words go in at
  std::vector<Words> wide = std::vector<Words>(8), plain = std::vector<Words>(4);
  bool silent = false;
  size_t kept = 128;
  std::function<uint64_t(uint32_t, uint64_t)> spoil_word;  // operation, word

 private:
  std::vector<Words> &rows() { return point_ == 1 ? wide : plain; }
  void fetch() {
    const size_t row = row_ % rows().size();
    if (point_ == 1) {
      latch = wide[row];
    } else {
      chain[0] = (chain[0] & ~uint64_t{3}) | row;
    }
  }
  uint64_t spoil(uint64_t word) const { return spoil_word ? spoil_word(operation_, word) : word; }
  uint64_t take(uint64_t word) {
    if (operation_ == 1) {
      chain.insert(chain.begin(), word);
      word = chain.back();
      chain.pop_back();
      return word;
    }
    if (operation_ == 3) {
      Words &row = rows()[row_ % rows().size()];
      row[index_] = point_ == 1 && index_ == 1 ? word & 63 : word;
      word = 0;
    } else {
      word = point_ == 1 ? latch[index_] : plain[chain[0] & 3][0];
    }
    if (index_++ == last_) {
      index_ = 0;
      ++row_;
      if (operation_ == 2) fetch();
    }
    return word;
  }

  std::mt19937_64 random_;
  std::deque<uint64_t> up_;
  uint32_t row_ = 0, operation_ = 0, last_ = 0, point_ = 0, index_ = 0;
};

TEST(ScanChain, ReadsWithoutATraceAndWritesEveryBit) {
  const uint64_t seed = random_seed();
  SCOPED_TRACE(seed);
  FarChain here(seed), there(seed + 1);
  const FarChain before(seed);
  here.kept = 1 + seed % 5;  // fewer than a memory has words
  there.kept = 1 + seed / 5 % 5;
  ScanChain from(here, layout(), "soc"), to(there, layout(), "soc");
  from.read();
  EXPECT_EQ(here.chain, before.chain);
  EXPECT_EQ(here.latch, before.latch);
  EXPECT_EQ(here.wide, before.wide);
  EXPECT_EQ(here.plain, before.plain);
  const std::vector<FiresimSignal> source = from.signals(), target = to.signals();
  ASSERT_EQ(source.size(), 3 + 2 + 2 + 1u);
  for (size_t i = 0; i < source.size(); ++i) {
    const size_t bytes = source[i].width_bits == 6 ? 1 : 8;
    std::memcpy(target[i].storage, source[i].storage, source[i].rows * bytes);
  }
  to.write();
  EXPECT_EQ(there.chain, here.chain);
  EXPECT_EQ(there.latch, here.latch);
  EXPECT_EQ(Words(there.plain[3]), here.plain[3]);
  for (int row = 0; row < 7; ++row) EXPECT_EQ(there.wide[row], here.wide[row]);
}

std::string refusal(const std::function<void(FarChain &)> &change, bool writes = false) {
  FarChain far(7);
  change(far);
  try {
    ScanChain chain(far, layout(), "soc");
    writes ? chain.write() : chain.read();
  } catch (const std::runtime_error &error) {
    return error.what();
  }
  return "";
}

TEST(ScanChain, RefusesWhatNoChainSays) {
  EXPECT_EQ(refusal([](FarChain &far) { far.silent = true; }),
            "far: scan chain: no answer to 3 words");
  EXPECT_EQ(refusal([](FarChain &far) {
              far.spoil_word = [n = 0](uint32_t, uint64_t word) mutable {
                return word ^ (++n == 5);
              };
            }),
            "far: scan chain: found other words than those that had gone in");
  EXPECT_EQ(refusal([](FarChain &far) { far.chain.back() = 1u << 22; }),
            "far: scan chain: found 0x400000 in the last word of the registers, expected 150 bits");
  EXPECT_EQ(refusal([](FarChain &far) { far.latch[1] = 64; }),
            "far: scan chain: found 0x40 in the last word of a register of wide, expected 70 bits");
  EXPECT_EQ(refusal([](FarChain &far) { far.wide[4][1] = 1 << 20; }),
            "far: scan chain: found 0x100000 in the last word of row 4 of wide, expected 70 bits");
  EXPECT_EQ(refusal(
                [](FarChain &far) {
                  far.spoil_word = [](uint32_t operation, uint64_t) -> uint64_t {
                    return operation == 3 ? 1 : 0;
                  };
                },
                true),
            "far: scan chain: found an answer that is not 0 to rows of wide");
  EXPECT_EQ(refusal(
                [](FarChain &far) {
                  far.spoil_word = [n = 0](uint32_t operation, uint64_t word) mutable {
                    return operation == 2 && ++n == 3 ? word ^ 2 : word;
                  };
                },
                true),
            "far: scan chain: found 0x2 in row 1 of wide, expected 0x0, which was written");
}

TEST(ScanChain, RefusesLayoutsThatCannotBe) {
  const auto said = [](const std::function<void(ScanLayout &)> &change) {
    FarChain far(7);
    ScanLayout changed = layout();
    change(changed);
    try {
      ScanChain chain(far, changed, "soc");
    } catch (const DescriptionError &error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(said([](ScanLayout &one) { one.chain_words = 4; }),
            "soc: found a scan chain of 3 words on the platform, expected 4, as the manifest says");
  EXPECT_EQ(said([](ScanLayout &one) { one.chain_words = 0; }),
            "soc: found a scan chain with 0 words");
  EXPECT_EQ(said([](ScanLayout &one) { one.latches[0].memory = 2; }),
            "soc: found a scan chain with 2 as a latch's memory");
  EXPECT_EQ(said([](ScanLayout &one) { one.memories[0].width_bits = 20000; }),
            "soc: found a scan chain with 20000 bits in a row");
  EXPECT_EQ(said([](ScanLayout &one) { one.memories[0].rows = UINT32_MAX; }),
            "soc: found a scan chain with 8589934590 words in its memories");
  EXPECT_EQ(said([](ScanLayout &one) { one.bits = 60; }),
            "soc: found a scan chain with 60 bits in its registers");
}

}  // namespace
}  // namespace firesim::hostlib
