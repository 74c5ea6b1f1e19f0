// SPDX-License-Identifier: BSD-3-Clause
// Programs with tohost on a blade whose host looks at memory: in which cycles, and what it does.
#include <fstream>
#include <iterator>

#include "axi_master.h"

namespace firesim::bridges {
namespace {

constexpr uint64_t kToHost = 0x80001000, kFromHost = 0x80001040, kCall = 0x80002000;

nlohmann::json program(nlohmann::json console = nullptr) {
  nlohmann::json places = {{"tohost", kToHost},
                           {"fromhost", kFromHost},
                           {"memory_base", 0x80000000},
                           {"memory_bytes", 1 << 20}};
  return {{"timing", {{"model", "fixed"}, {"latency_cycles", 5}}},
          {"program", places},
          {"console", console}};
}

uint64_t word(AxiMaster &master, uint64_t address) {
  uint64_t value = 0;
  std::memcpy(&value, master.driver->memory().at(address), sizeof value);
  return value;
}

void put(AxiMaster &master, uint64_t address, uint64_t value) {
  std::memcpy(master.driver->memory().at(address), &value, sizeof value);
}

TEST(ProgramInMemory, EndsInTheLookAfterTheStore) {
  for (const uint64_t at : {1, 1020, 1030}) {
    AxiMaster master(program());
    EXPECT_TRUE(master.driver->ends_blade());
    master.run(at);
    master.write({kToHost}, {{5 << 1 | 1}});
    master.run(3000);
    EXPECT_TRUE(master.bench.status().end.ended());
    EXPECT_EQ(master.bench.status().end.cycle, at < 1024 ? 1024u : 2048u);
    EXPECT_EQ(master.bench.status().end.exit_code, 5);
  }
}

TEST(ProgramInMemory, WritesTextAndAnswersAtOnce) {
  const std::string text = "nine char";
  AxiMaster master(program({{"log", "out.log"}}));
  std::memcpy(master.driver->memory().at(0x80003001), text.data(), text.size());
  put(master, kCall, 64), put(master, kCall + 8, 1);
  put(master, kCall + 16, 0x80003001), put(master, kCall + 24, text.size());
  master.run(1);
  master.write({kToHost}, {{kCall}});
  master.run(1023);
  EXPECT_EQ(word(master, kFromHost), 0u);
  master.run(1);
  EXPECT_EQ(word(master, kFromHost), 1u);
  EXPECT_EQ(word(master, kToHost), 0u);
  EXPECT_EQ(word(master, kCall), text.size());
  EXPECT_FALSE(master.bench.status().end.ended());
  master.driver->finish(1025);
  std::ifstream log(master.bench.folder() / "out.log");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(log), {}), text);
}

TEST(ProgramInMemory, WithoutTohostTheBladeIsNotEndedByIt) {
  AxiMaster master;
  EXPECT_FALSE(master.driver->ends_blade());
}

}  // namespace
}  // namespace firesim::bridges
