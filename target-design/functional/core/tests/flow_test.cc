// SPDX-License-Identifier: BSD-3-Clause
// What is told of where instructions lead is what every single instruction tells.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <sstream>
#include <string>

#include "../instruction.h"
#include "machine.h"
#include "sim/core/tests/random_seed.h"

namespace firesim::functional {
namespace {

// What is told of where instructions lead.
struct Told {
  char what;  // 'a' that it arrives, 'j' for a jump, 't' for a trap
  uint64_t cycle, pc;
};

std::string shown(const Told &told) {
  std::ostringstream text;
  text << told.what << " in cycle " << told.cycle << " at 0x" << std::hex << told.pc;
  return text.str();
}

constexpr uint64_t kRangeBytes = 40;  // ranges of code, so that most blocks lie in two

class Flow : public FlowObserver {
 public:
  Range arrives(const Retired &next, bool) override {
    told.push_back({'a', next.cycle, next.pc});
    const uint64_t low = next.pc / kRangeBytes * kRangeBytes;
    return {low, low + kRangeBytes};
  }
  Range happened(const Retired &event, bool) override {
    told.push_back({event.exception ? 't' : 'j', event.cycle, event.pc});
    return {};
  }
  void ran(uint64_t from_cycle, uint64_t to_cycle) override { cycles += to_cycle - from_cycle; }

  std::vector<Told> told;
  uint64_t cycles = 0;
};

// The same, from every instruction.
class FlowOfEach : public RetireObserver {
 public:
  void retired(const Retired &event) override {
    const bool inside = known_ && event.pc / kRangeBytes == range_;
    if (!inside && !event.interrupt) told.push_back({'a', event.cycle, event.pc});
    range_ = event.pc / kRangeBytes;
    known_ = true;
    const Decoded d = decode(event.instruction);
    const bool links = d.opcode == Opcode::jal && d.rd != 0;
    if (event.exception) {
      told.push_back({'t', event.cycle, event.pc});
      known_ = false;
    } else if (links || d.opcode == Opcode::jalr || d.opcode == Opcode::mret) {
      told.push_back({'j', event.cycle, event.pc});
      known_ = false;
    }
  }

  std::vector<Told> told;

 private:
  uint64_t range_ = 0;
  bool known_ = false;  // whether it is in that range
};

TEST(Flow, IsToldWhatEveryInstructionTells) {
  const uint64_t seed = random_seed();
  std::printf("seed %lu\n", seed);
  constexpr uint64_t kCycles = 60'000;
  Machine each, cut;
  FlowOfEach expected;
  Flow found;
  for (Machine *m : {&each, &cut}) {
    std::mt19937_64 random(seed);
    random_program(*m, random);
    m->arm_timer(10);
  }
  each.hart().set_observer(&expected);
  each.run(kCycles);
  std::mt19937_64 random(seed);
  cut.hart().set_flow(&found);
  while (cut.cycle() < kCycles) cut.run(std::min(kCycles, cut.cycle() + random() % 900 + 1));
  const size_t same = std::min(found.told.size(), expected.told.size());
  for (size_t i = 0; i < same; ++i) {
    ASSERT_EQ(shown(found.told[i]), shown(expected.told[i])) << "event " << i;
  }
  EXPECT_EQ(found.told.size(), expected.told.size());
  EXPECT_GT(found.told.size(), 5'000u);
  EXPECT_EQ(found.cycles, kCycles);
  EXPECT_TRUE(each.hart().state() == cut.hart().state());
  EXPECT_TRUE(each.memory() == cut.memory());
  cut.hart().set_flow(nullptr);
  cut.run(2 * kCycles);
  EXPECT_EQ(found.cycles, kCycles);
}

}  // namespace
}  // namespace firesim::functional
