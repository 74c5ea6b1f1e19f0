// SPDX-License-Identifier: BSD-3-Clause
// Cycles that a far end says are over while its host waits: those that go back, too far or nowhere
// are a sentence, and a wait has an end whatever is said.
#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>

#include "core/model.h"
#include "hostlib/bridge_part.h"
#include "hostlib/piece_words.h"
#include "hostlib/registers.h"

namespace firesim::hostlib {
namespace {

constexpr uint32_t kMostReads = 20'000'000;
constexpr uint64_t kLimit = 100;
constexpr uint32_t kCycleOfPart = 0x21;

// A target that gives no word, whose registers and those of its part say what a test likes.
class FarEnd final : public HostPlatform {
 public:
  uint32_t read(uint32_t address) override {
    if (++reads > kMostReads) throw std::logic_error("waited without an end");
    switch (address) {
      case kIdentity:
        return kIdentityValue;
      case kVersion:
        return version;
      case kCycle:
        wide_ = cycle();
        return static_cast<uint32_t>(wide_);
      case kStatus:
        return status;
      case kPartValue:
        wide_ = part();
        return static_cast<uint32_t>(wide_);
      case kCycle + 4:
      case kPartValue + 4:
        return static_cast<uint32_t>(wide_ >> 32);
      default:
        return 0;
    }
  }
  void write(uint32_t, uint32_t) override {}
  void send(std::span<const uint64_t>) override {}
  bool receive(std::span<uint64_t> words) override {
    for (uint64_t &word : words) {
      if (up.empty()) return false;
      word = up.front();
      up.erase(up.begin());
    }
    return true;
  }
  std::string name() const override { return "far"; }

  std::function<uint64_t()> cycle = [] { return 0; }, part = [] { return 0; };
  std::vector<uint64_t> up;
  uint32_t reads = 0;
  uint32_t status = 0;
  uint32_t version = kVersionValue;

 private:
  uint64_t wide_ = 0;
};

std::string refusal(const std::function<void()> &work) {
  try {
    work();
    return "";
  } catch (const std::runtime_error &error) {
    return error.what();
  }
}

std::string run(std::function<uint64_t()> cycle) {
  FarEnd end;
  end.cycle = std::move(cycle);
  HostTarget target(end, {}, "0000000000000000", "here");
  return refusal([&] { target.run(kLimit, [](uint64_t) {}); });
}

TEST(Cycles, ATargetGoesForward) {
  uint64_t said = 40;
  EXPECT_EQ(run([&] { return --said; }),
            "far: found 38 cycles of the target over, expected 39 to 100, where its run ends");
  said = 0;
  EXPECT_EQ(run([&] { return said++ % 2 == 0 ? 7 : 6; }),
            "far: found 6 cycles of the target over, expected 7 to 100, where its run ends");
}

TEST(Cycles, ATargetGoesNoFurtherThanItsRun) {
  uint64_t said = 90;
  EXPECT_EQ(run([&] { return said++; }),
            "far: found 101 cycles of the target over, expected 100 to 100, where its run ends");
  EXPECT_EQ(run([&] { return uint64_t{1} << 47; }),
            "far: found 140737488355328 cycles of the target over, expected 0 to 100, where its "
            "run ends");
}

TEST(Cycles, AResetWithinTheRunIsNoticedAtItsEnd) {
  FarEnd end;
  end.up = {uint64_t{1} << 63 | (kLimit - 1) << kNearUp};  // stopped, in the last cycle
  HostTarget target(end, {}, "0000000000000000", "here");
  target.check_end();  // nothing ran
  target.run(kLimit, [](uint64_t) {});
  end.cycle = [] { return kLimit; };
  EXPECT_EQ(refusal([&] { target.check_end(); }), "");
  end.cycle = [] { return kLimit - 30; };
  EXPECT_EQ(refusal([&] { target.check_end(); }),
            "far: found 70 cycles of the target over, expected 100 to 100, where its run ends");
}

TEST(Cycles, AUsedTargetAndRegistersOfAnotherVersionAreRefused) {
  FarEnd used, other;
  used.status = kStatusUsed;
  EXPECT_EQ(refusal([&] { HostTarget(used, {}, "0000000000000000", "here"); }),
            "here: far: its target has run since the bitstream was loaded, and a reset does not "
            "clear its registers and memories: load the bitstream again");
  other.version = kVersionValue - 1;
  EXPECT_EQ(refusal([&] { HostTarget(other, {}, "0000000000000000", "here"); }),
            "here: found registers of version 2 on the platform, expected version 3: build the "
            "bitstream again with this FireSim");
}

TEST(Cycles, ATargetOfASupernodeWaitsForTheOthersUntilItIsGivenUp) {
  for (const uint32_t status : {kStatusRunning, kStatusRunning | kStatusTogether}) {
    FarEnd end;
    end.status = status;
    HostTarget target(end, {}, "0000000000000000", "here");
    EXPECT_EQ(target.together(), status != kStatusRunning);
    int asked = 0;
    end.cycle = [&] {
      if (++asked == 3) target.give_up();
      if (asked == 20) throw std::runtime_error("asked on");
      return uint64_t{7};
    };
    const auto run = [&] { target.run(kLimit, [](uint64_t) {}); };
    if (target.together()) {
      EXPECT_THROW(run(), GivenUp);
      EXPECT_EQ(asked, 3);
    } else {
      EXPECT_EQ(refusal(run), "asked on");
    }
  }
}

// What a part of a target that has run all cycles is waited for.
std::string waited(std::function<uint64_t()> cycle) {
  FarEnd end;
  end.part = std::move(cycle);
  end.up = {uint64_t{1} << 63 | (kLimit - 1) << kNearUp};  // stopped, in the last cycle
  HostTarget target(end, {}, "0000000000000000", "here");
  target.run(kLimit, [](uint64_t) {});
  EXPECT_EQ(target.cycles_here(), kLimit);
  BridgePart part(end, target, 0, {"soc.memory", {}, {}}, {std::chrono::milliseconds{5}, 50});
  return refusal([&] { part.wait_for_target(kCycleOfPart, [] { return false; }); });
}

TEST(Cycles, APartIsWaitedFor) {
  uint64_t said = 98;
  int reads = 0;
  EXPECT_EQ(waited([&] { return ++reads % 20 == 0 ? ++said : said; }), "");
  EXPECT_EQ(said, 100u);
}

TEST(Cycles, APartFollowsItsTarget) {
  EXPECT_EQ(waited([] { return 97; }),
            "far: soc.memory: found it through with 97 cycles, expected 98 at least");
  uint64_t said = 0;
  EXPECT_EQ(waited([&] { return said++ % 2 == 0 ? 99 : 98; }),
            "far: soc.memory: found it through with 98 cycles, expected 99 at least");
  said = 0;
  EXPECT_EQ(waited([&] { return said++; }),
            "far: soc.memory: found it through with 0 cycles, expected 98 at least");
}

TEST(Cycles, APartThatStandsStillIsGivenUp) {
  EXPECT_EQ(waited([] { return 99; }),
            "far: soc.memory: found it through with 99 cycles for 0.005 s, expected 100, as the "
            "target is");
}

}  // namespace
}  // namespace firesim::hostlib
