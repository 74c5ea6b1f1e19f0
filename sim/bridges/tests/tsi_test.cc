// SPDX-License-Identifier: BSD-3-Clause
// The TSI driver against a target of the test's own, which has the words of a small memory: what it
// asks for, in which cycles, and what it does when the target takes its time.
#include "bridges/tsi/tsi.h"

#include <fstream>
#include <iterator>
#include <map>

#include "bench.h"

namespace firesim::bridges {
namespace {

constexpr uint64_t kBase = 0x80000000, kToHost = kBase + 0x1000, kFromHost = kBase + 0x1040;
constexpr uint64_t kWake = 0x2000000;

std::vector<BenchPort> tsi_ports() {
  return {{"out_valid", 1, false, true},
          {"out_bits", 32, false},
          {"in_ready", 1, false},
          {"in_valid", 1, true},
          {"in_bits", 32, true}};
}

nlohmann::json settings(bool has_program) {
  nlohmann::json program;
  if (has_program) {
    program = {{"tohost", kToHost},
               {"fromhost", kFromHost},
               {"memory_base", kBase},
               {"memory_bytes", 1 << 16}};
  }
  return {{"poll_cycles", 500}, {"wake_address", kWake}, {"wake", true}, {"program", program}};
}

// A target that takes a word in every `pace` cycles, and says one of those asked for as often.
class Target {
 public:
  explicit Target(nlohmann::json config, uint64_t pace = 1)
      : bench("tsi", tsi_ports()), pace_(pace) {
    driver = bench.make<TsiDriver>(config);
  }

  void cycle() {
    const bool turn = bench.now % pace_ == 0;
    const bool takes = turn && said_.empty();
    bench.set("in_ready", takes);
    bench.set("out_valid", turn && !said_.empty());
    if (turn && !said_.empty()) {
      bench.set("out_bits", said_.front());
      said_.erase(said_.begin());
    }
    if (takes && bench.get("in_valid") != 0) take(static_cast<uint32_t>(bench.get("in_bits")));
    bench.cycle(*driver);
  }
  void run_until(uint64_t cycle_number) {
    while (bench.now < cycle_number) cycle();
  }
  void put(uint64_t address, uint64_t value) {
    memory[address] = static_cast<uint32_t>(value);
    memory[address + 4] = static_cast<uint32_t>(value >> 32);
  }

  Bench bench;
  std::unique_ptr<TsiDriver> driver;
  std::map<uint64_t, uint32_t> memory;
  std::vector<std::pair<uint64_t, uint64_t>> commands;  // the cycle of its first word, address

 private:
  void take(uint32_t word) {
    if (words_.empty()) commands.emplace_back(bench.now, 0);
    words_.push_back(word);
    if (words_.size() < 5) return;
    const uint64_t address = words_[1] | uint64_t{words_[2]} << 32;
    const uint64_t count = words_[3] + (uint64_t{words_[4]} << 32) + 1;
    commands.back().second = address;
    if (words_[0] == 1) {
      if (words_.size() < 5 + count) return;
      for (uint64_t i = 0; i < count; ++i) memory[address + 4 * i] = words_[5 + i];
    } else {
      ASSERT_EQ(words_[0], 0u);
      for (uint64_t i = 0; i < count; ++i) said_.push_back(memory[address + 4 * i]);
    }
    words_.clear();
  }

  uint64_t pace_;
  std::vector<uint32_t> words_, said_;
};

TEST(Tsi, WakesHartZeroAndLooksInMultiplesOfTheInterval) {
  Target target(settings(true));
  target.run_until(1700);
  const std::vector<std::pair<uint64_t, uint64_t>> expected = {
      {1, kWake}, {501, kToHost}, {1001, kToHost}, {1501, kToHost}};
  EXPECT_EQ(target.commands, expected);
  EXPECT_EQ(target.memory.at(kWake), 1u);
  EXPECT_EQ(target.memory.count(kWake + 4), 0u);
}

TEST(Tsi, WithoutTohostItWakesAndIsSilent) {
  Target target(settings(false));
  target.run_until(3000);
  EXPECT_EQ(target.commands.size(), 1u);
  EXPECT_FALSE(target.driver->ends_blade());
}

TEST(Tsi, WithoutAProgramItIsLeftOut) {
  nlohmann::json config = settings(false);
  config["wake"] = false;
  EXPECT_FALSE(Target(config).driver->listens());
}

class Paces : public testing::TestWithParam<uint64_t> {};

TEST_P(Paces, AProgramPrintsAndEnds) {
  nlohmann::json config = settings(true);
  config["console"] = {{"log", "console.log"}};
  Target target(config, GetParam());
  const uint64_t call = kBase + 0x2000, text = kBase + 0x3005;
  target.put(kBase + 0x3000, 0x6c6c654800000000);  // ends in "ell", begins one byte before "H"
  target.put(kBase + 0x3008, 0x0a6f);
  target.memory[kBase + 0x3004] = 0x6c6c65ff;
  for (uint64_t i = 0; i < 4; ++i) {
    const uint64_t words[] = {64, 1, text, 5};
    target.put(call + 8 * i, words[i]);
  }
  target.put(kToHost, call);
  while (target.memory[kFromHost] == 0) {
    target.cycle();
    ASSERT_LT(target.bench.now, 20'000u);
  }
  EXPECT_EQ(target.memory[kFromHost], 1u);
  EXPECT_EQ(target.memory[kToHost], 0u);
  EXPECT_EQ(target.memory[call], 5u);
  EXPECT_FALSE(target.bench.status().end.ended());
  target.memory[kFromHost] = 0;
  target.put(kToHost, 3 << 1 | 1);
  while (!target.bench.status().end.ended()) {
    target.cycle();
    ASSERT_LT(target.bench.now, 40'000u);
  }
  EXPECT_EQ(target.bench.status().end.exit_code, 3);
  target.driver->finish(target.bench.now);
  std::ifstream log(target.bench.folder() / "console.log");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(log), {}), "ello\n");
}

INSTANTIATE_TEST_SUITE_P(Tsi, Paces, testing::Values(1, 2, 7, 100));

// The driver is saved, and another one goes on from there.
void save_and_load(Target &target, const nlohmann::json &config) {
  StateWriter state;
  target.driver->save(state);
  target.driver = target.bench.make<TsiDriver>(config);
  StateReader saved("state", state);
  target.driver->load(saved);
  saved.finish();
}

TEST(Tsi, ASavedStateGoesOnInTheSameCycles) {
  for (uint64_t cut = 495; cut < 520; ++cut) {
    Target whole(settings(true), 3);
    whole.run_until(cut);
    save_and_load(whole, settings(true));
    Target other(settings(true), 3);
    whole.run_until(1600);
    other.run_until(1600);
    EXPECT_EQ(whole.commands, other.commands) << "saved in cycle " << cut;
  }
}

constexpr uint64_t kLoadedBytes = 3003, kLoadedAt = kBase + 0x4c;

// The same with a file that is written into the target first.
nlohmann::json loading(const Target &target) {
  nlohmann::json config = settings(true);
  const std::filesystem::path file = target.bench.folder() / "program";
  std::ofstream out(file, std::ios::binary);
  for (uint64_t i = 0; i < kLoadedBytes; ++i) out.put(static_cast<char>(1 + i % 251));
  config["load"] = {
      {"base", kBase},
      {"size_bytes", 1 << 16},
      {"load", {{{"file", file.string()}, {"format", "raw"}, {"address", kLoadedAt}}}}};
  return config;
}

TEST(Tsi, LoadsWhatIsNotInMemoryBeforeItWakes) {
  Target target(settings(true));
  target.driver = target.bench.make<TsiDriver>(loading(target));
  target.run_until(3000);
  // From a multiple of 8 bytes on, 256 words a command, each with a head of five.
  const uint64_t first = kLoadedAt - 4;
  const std::vector<std::pair<uint64_t, uint64_t>> expected = {
      {1, first},      {262, first + 0x400}, {523, first + 0x800}, {768, kWake},
      {1001, kToHost}, {1501, kToHost},      {2001, kToHost},      {2501, kToHost}};
  EXPECT_EQ(target.commands, expected);
  for (uint64_t i = 0; i < kLoadedBytes; ++i) {
    const uint64_t at = kLoadedAt + i;
    ASSERT_EQ(target.memory.at(at & ~3ull) >> 8 * (at & 3) & 0xff, 1 + i % 251) << i;
  }
  EXPECT_EQ(target.memory.at(first), 0u);
  EXPECT_EQ(target.memory.at(kWake), 1u);
}

TEST(Tsi, GoesOnLoadingFromASavedState) {
  for (const uint64_t cut : {3, 200, 261, 262, 263, 790, 830}) {
    Target whole(settings(true), 1), other(settings(true), 1);
    for (Target *one : {&whole, &other}) one->driver = one->bench.make<TsiDriver>(loading(*one));
    whole.run_until(cut);
    save_and_load(whole, loading(whole));
    whole.run_until(1600);
    other.run_until(1600);
    EXPECT_EQ(whole.commands, other.commands) << "saved in cycle " << cut;
    EXPECT_EQ(whole.memory, other.memory) << "saved in cycle " << cut;
  }
}

TEST(Tsi, AStateThatCannotBeIsRefused) {
  Target target(settings(true));
  StateWriter state;
  target.driver->save(state);
  Target other(settings(false));
  StateReader saved("state", state);
  EXPECT_THROW(other.driver->load(saved), std::runtime_error);
}

}  // namespace
}  // namespace firesim::bridges
