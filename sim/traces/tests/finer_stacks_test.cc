// SPDX-License-Identifier: BSD-3-Clause
// Stacks with inlined functions and lines: without what they tell more they are the plain ones,
// whatever is executed, and through snapshots.
#include "traces/finer_stacks.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <random>
#include <sstream>

#include "core/tests/random_seed.h"
#include "traces/call_stacks.h"
#include "traces/elf_functions.h"

namespace firesim::traces {
namespace {

using Counts = std::map<std::string, uint64_t>;

Counts counts(const StackTree &tree) {
  std::ostringstream text;
  tree.write_folded(text);
  std::istringstream lines(text.str());
  Counts found;
  for (std::string line; std::getline(lines, line);) {
    const size_t end = line.rfind(' ');
    found[line.substr(0, end)] = std::stoull(line.substr(end));
  }
  return found;
}

Counts without_detail(const Counts &finer) {
  Counts found;
  for (const auto &[stack, cycles] : finer) {
    std::istringstream frames(stack);
    std::string plain;
    for (std::string frame; std::getline(frames, frame, ';');) {
      if (frame.ends_with(kInlined)) continue;
      plain += (plain.empty() ? "" : ";") + frame.substr(0, frame.find(" ("));
    }
    found[plain] += cycles;
  }
  return found;
}

class Walk {
 public:
  Walk(std::vector<SymbolFile> files, uint64_t seed)
      : symbols(files, "n", {true, true}), random_(seed) {
    begin_anew();
    stacks->begin(0);
    for (const FunctionRange &each : symbol_functions(INLINED_DEMO, "n")) {
      for (uint64_t pc = each.low; pc < each.high; pc += 2) places_.push_back(pc);
    }
    pc_ = places_[0];
  }
  // What a snapshot is loaded into.
  void begin_anew() {
    finer.emplace(symbols, "hart0");
    stacks.emplace(symbols, "hart0");
    stacks->refine(*finer);
  }
  void go(int commits) {
    static constexpr uint32_t kKinds[] = {0x13,   0x13,   0x13, 0xef,      0xef,
                                          0x8067, 0x8067, 0x6f, 0x30200073};
    for (int i = 0; i < commits; ++i) {
      Commit item;
      item.cycle = now += random_() % 4;
      item.pc = pc_;
      item.trap = random_() % 16 == 0;
      item.cause = random_() % 4;
      item.instruction = kKinds[random_() % std::size(kKinds)];
      const uint64_t behind = pc_ + item.length();
      stacks->add(item);
      if (item.instruction == 0xef && !item.trap) returns_.push_back(behind);
      const bool goes_on = item.instruction == 0x13 && !item.trap;
      pc_ =
          goes_on && symbols.find(behind).function != SymbolTable::kUnknown ? behind : somewhere();
      if (item.instruction == 0x8067 && !returns_.empty() && random_() % 4 != 0) {
        pc_ = returns_.back();
        returns_.pop_back();
      }
      if (random_() % 64 == 0) stacks->charge_to(now += random_() % 3);
      if (random_() % 64 == 0) stacks->skip_to(now += 5);
    }
  }

  SymbolTable symbols;
  std::optional<FinerStacks> finer;
  std::optional<CallStacks> stacks;
  uint64_t now = 0;

 private:
  uint64_t somewhere() { return places_[random_() % places_.size()]; }

  std::mt19937_64 random_;
  std::vector<uint64_t> places_, returns_;
  uint64_t pc_;
};

TEST(FinerStacks, WithoutDetailTheyAreThePlainOnes) {
  const uint64_t seed = random_seed();
  SCOPED_TRACE("FIRESIM_TEST_SEED=" + std::to_string(seed));
  Walk walk({{INLINED_DEMO, std::nullopt}}, seed);
  walk.go(20000);
  const Counts finer = counts(walk.finer->tree()), plain = counts(walk.stacks->tree());
  EXPECT_EQ(without_detail(finer), plain);
  EXPECT_GT(finer.size(), plain.size());
}

TEST(FinerStacks, SnapshotsKeepThem) {
  const uint64_t seed = random_seed();
  SCOPED_TRACE("FIRESIM_TEST_SEED=" + std::to_string(seed));
  Walk whole({{INLINED_DEMO, std::nullopt}}, seed), first({{INLINED_DEMO, std::nullopt}}, seed);
  whole.go(3000);
  first.go(1500);
  StateWriter writer;
  first.stacks->save(writer);
  first.finer->save(writer);
  first.begin_anew();
  StateReader reader("test", writer);
  first.stacks->load(reader);
  first.finer->load(reader);
  reader.finish();
  first.go(1500);
  EXPECT_EQ(counts(first.finer->tree()), counts(whole.finer->tree()));
}

TEST(FinerStacks, WhatWasSavedWithoutIsAsFineAsThePlainStacks) {
  const uint64_t seed = random_seed();
  SCOPED_TRACE("FIRESIM_TEST_SEED=" + std::to_string(seed));
  Walk walk({{INLINED_DEMO, std::nullopt}}, seed);
  walk.go(1500);
  StateWriter writer;
  walk.stacks->save(writer);
  walk.begin_anew();
  StateReader reader("test", writer);
  walk.stacks->load(reader);
  walk.finer->begin_with(walk.stacks->tree());
  walk.go(1500);
  EXPECT_EQ(without_detail(counts(walk.finer->tree())), counts(walk.stacks->tree()));
}

}  // namespace
}  // namespace firesim::traces
