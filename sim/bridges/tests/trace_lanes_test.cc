// SPDX-License-Identifier: BSD-3-Clause
// A hart that commits several instructions in a cycle: one trace of them all, in program order.
#include <fstream>
#include <iterator>
#include <map>

#include "bench.h"
#include "bridges/tracerv/tracerv.h"
#include "traces/elf_functions.h"

namespace firesim::bridges {
namespace {

class Lane {
 public:
  Lane(Bench &bench, uint32_t lane, uint32_t lanes, const std::vector<std::string> &outputs)
      : bench_(bench) {
    bench.parameters() = {{"HART", 3}, {"LANE", lane}, {"LANES", lanes}};
    config_ = {{"enabled", true}, {"outputs", outputs}, {"directory", "."}, {"elf", {CALL_DEMO}}};
    driver_ = std::make_unique<TraceRvDriver>(bench.context(config_));
  }
  void commit(uint64_t cycle, uint64_t pc, uint32_t instruction = 0x13) {
    bench_.set("valid", 1);
    bench_.set("pc", pc);
    bench_.set("instruction", instruction);
    driver_->exchange(cycle);
    bench_.set("valid", 0);
  }
  TraceRvDriver &driver() { return *driver_; }

 private:
  Bench &bench_;
  nlohmann::json config_;
  std::unique_ptr<TraceRvDriver> driver_;
};

Bench bench() {
  return Bench("tracerv", {{"valid", 1, false, true},
                           {"exception", 1, false, true},
                           {"interrupt", 1, false},
                           {"pc", 64, false},
                           {"instruction", 32, false},
                           {"privilege", 3, false},
                           {"cause", 64, false},
                           {"tval", 64, false}});
}

TEST(TraceLanes, CommitsOfACycleAreOneTrace) {
  Bench bench = firesim::bridges::bench();
  Lane first(bench, 0, 2, {"text", "binary"}), second(bench, 1, 2, {"text", "binary"});
  first.commit(20, 0x80000000);
  second.commit(20, 0x80000004);
  second.commit(22, 0x80000008);
  EXPECT_FALSE(first.driver().gate());
  EXPECT_EQ(first.driver().statistics()["commits"], 3);
  EXPECT_TRUE(second.driver().statistics().is_null());
  first.driver().finish(30);
  second.driver().finish(30);
  std::ifstream log(bench.folder().path() / "hart3.log");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(log), {}),
            "core   3: 0 0x0000000080000000 (0x00000013) cycle 20\n"
            "core   3: 0 0x0000000080000004 (0x00000013) cycle 20\n"
            "core   3: 0 0x0000000080000008 (0x00000013) cycle 22\n");
}

// A call and the first instruction of what is called, in one cycle, and a return with what follows.
TEST(TraceLanes, StacksFollowCallsWithinACycle) {
  constexpr uint32_t kCall = 0xef, kReturn = 0x8067;
  std::map<std::string, uint64_t> at;
  for (const auto &function : traces::dwarf_functions(CALL_DEMO, "n")) {
    at[function.name] = function.low;
  }
  Bench bench = firesim::bridges::bench();
  Lane first(bench, 0, 2, {"folded"}), second(bench, 1, 2, {"folded"});
  first.commit(20, at["main"], kCall);
  second.commit(20, at["middle"]);
  first.commit(23, at["middle"] + 4, kCall);
  second.commit(23, at["leaf"]);
  first.commit(27, at["leaf"] + 4, kReturn);
  second.commit(27, at["middle"] + 8);
  second.commit(32, at["middle"] + 12, kReturn);
  first.driver().finish(40);
  second.driver().finish(40);
  std::ifstream folded(bench.folder().path() / "hart3.folded");
  // The first commit of a cycle has the cycles since the one before.
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(folded), {}),
            "hart3;main 1\nhart3;main;middle 8\nhart3;main;middle;leaf 4\n");
}

TEST(TraceLanes, LanesOutOfOrderAreRefused) {
  Bench bench = firesim::bridges::bench();
  Lane first(bench, 0, 3, {});
  EXPECT_THROW(Lane(bench, 2, 3, {}), ConfigError);
  EXPECT_THROW(Lane(bench, 1, 2, {}), ConfigError);
  Bench other = firesim::bridges::bench();
  EXPECT_THROW(Lane(other, 1, 2, {}), ConfigError);
}

}  // namespace
}  // namespace firesim::bridges
