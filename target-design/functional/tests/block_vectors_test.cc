// SPDX-License-Identifier: BSD-3-Clause
// Basic-block vectors: where blocks begin and end, how time is cut, and that a blade which counts
// them is the same blade.
#include "functional/blade/block_vectors.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "core/state.h"
#include "functional/blade/functional_blade.h"

namespace firesim::functional {
namespace {

constexpr uint32_t kNop = 0x13, kBranch = 0x63, kJump = 0x6f, kSmallNop = 1, kSmallJump = 0xa001;
constexpr uint32_t kSmallReturn = 0x8082, kSmallMove = 0x852e;

class Vectors : public testing::Test {
 protected:
  void SetUp() override {
    context_.description_directory = "/";
    context_.results_directory =
        std::filesystem::temp_directory_path() / ("block-vectors-" + std::to_string(::getpid()));
    std::filesystem::create_directories(context_.results_directory);
  }
  void TearDown() override { std::filesystem::remove_all(context_.results_directory); }

  std::string text() const {
    std::ifstream stream(context_.results_directory / "node.bb");
    std::stringstream found;
    found << stream.rdbuf();
    return found.str();
  }
  std::unique_ptr<BlockVectors> vectors(uint64_t interval_cycles) {
    return BlockVectors::make({{"file", "node.bb"}, {"interval_cycles", interval_cycles}}, "n",
                              context_, 16);
  }
  static Retired commit(uint64_t cycle, uint64_t pc, uint32_t instruction) {
    return {cycle, pc, instruction, 3, false, false, 0, 0};
  }

  SimulationContext context_;
};

TEST_F(Vectors, BlocksEndWithBranchesJumpsAndTraps) {
  const auto found = vectors(100);
  uint64_t cycle = 16;
  const auto run = [&](uint64_t pc, uint32_t instruction) {
    found->retired(commit(cycle++, pc, instruction));
  };
  run(0x100, kNop), run(0x104, kSmallNop), run(0x106, kBranch);  // 1, of 3
  run(0x10a, kSmallMove), run(0x10c, kSmallReturn);              // 2, not taken, of 2
  run(0x104, kSmallNop), run(0x106, kBranch);                    // 3, into the middle of 1
  run(0x100, kNop);                                              // 1 again
  found->retired({cycle++, 0x104, kSmallNop, 3, true, false, 2, 0});
  run(0x104, kSmallNop), run(0x106, kJump);  // 3, behind an exception
  run(0x10a, kSmallJump);                    // 2
  found->finish();
  EXPECT_EQ(text(), "T:1:4 :2:3 :3:4\n");
}

TEST_F(Vectors, AnIntervalIsALine) {
  const auto found = vectors(10);
  found->retired(commit(16, 0x100, kNop));
  found->retired(commit(25, 0x104, kNop));
  found->retired(commit(26, 0x108, kJump));
  found->retired(commit(56, 0x200, kNop));  // two intervals later
  found->finish();
  EXPECT_EQ(text(), "T:1:2\nT:1:1\nT\nT\nT:2:1\n");
}

TEST_F(Vectors, ABladeThatCountsThemIsTheSame) {
  const auto state_of = [&](const nlohmann::json &basic_blocks) {
    nlohmann::json node = {{"name", "node"},
                           {"kind", "functional"},
                           {"bridges",
                            {{"uart", {{"log", "node.log"}}},
                             {"block_device", {{"size_sectors", 64}, {"latency_cycles", 2000}}},
                             {"nic", {{"mac", "00:12:6D:00:00:02"}}},
                             {"memory",
                              {{"base", 0x80000000},
                               {"size_bytes", 1 << 20},
                               {"load", {{{"file", STRESS_PROGRAM}, {"format", "elf"}}}}}}}}};
    if (!basic_blocks.is_null()) node["basic_blocks"] = basic_blocks;
    const auto blade = make_functional_blade(node, context_);
    Batch input, output;
    input.reset(0, 50'000);
    output.reset(0, 50'000);
    blade->advance(0, 50'000, {&input, 1}, {&output, 1});
    blade->finish(50'000);
    StateWriter writer;
    blade->save(writer);
    std::vector<uint8_t> state = {writer.data().begin(), writer.data().end()};
    for (const StateWriter::Region &region : writer.regions()) {
      state.insert(state.end(), region.data, region.data + region.bytes);
    }
    return state;
  };
  const auto plain = state_of(nullptr);
  EXPECT_EQ(plain, state_of({{"file", "node.bb"}, {"interval_cycles", 1000}}));
  std::istringstream lines(text());
  uint64_t count = 0, counted = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    std::istringstream blocks(line.substr(1));
    char colon;
    for (uint64_t block, times; blocks >> colon >> block >> colon >> times;) counted += times;
  }
  EXPECT_GT(count, 10u);
  EXPECT_GT(counted, 1000u);
  EXPECT_LE(counted, 1000 * count);
}

TEST_F(Vectors, AreOfALoneHart) {
  const nlohmann::json node = {{"name", "node"},
                               {"kind", "functional"},
                               {"cores", 2},
                               {"basic_blocks", {{"file", "a"}, {"interval_cycles", 1000}}},
                               {"bridges", nullptr}};
  EXPECT_THROW(make_functional_blade(node, context_), DescriptionError);
}

}  // namespace
}  // namespace firesim::functional
