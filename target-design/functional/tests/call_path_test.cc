// SPDX-License-Identifier: BSD-3-Clause
// Calls of a hart: what is on its stack after calls, returns, traps, and code at lower privilege.
#include "functional/blade/call_path.h"

#include <gtest/gtest.h>

namespace firesim::functional {
namespace {

constexpr uint32_t kNop = 0x13, kCall = 0xef, kRet = 0x8067, kMret = 0x30200073;

class Calls : public testing::Test {
 protected:
  void commit(uint64_t pc, uint32_t instruction = kNop, uint8_t privilege = 3) {
    path.retired({++cycle, pc, instruction, privilege, false, false, 0, 0});
  }
  std::vector<uint64_t> addresses() const {
    std::vector<uint64_t> found;
    for (const devices::CallFrame &frame : path.frames()) found.push_back(frame.return_address);
    return found;
  }
  using Addresses = std::vector<uint64_t>;

  CallPath path;
  uint64_t cycle = 0;
};

TEST_F(Calls, ReturnsLeadBack) {
  commit(0x100, kCall);
  commit(0x200, kCall);
  EXPECT_EQ(addresses(), (Addresses{0, 0x104, 0x204}));
  commit(0x300, kRet);
  EXPECT_EQ(addresses(), (Addresses{0, 0x104, 0x204})) << "where it leads is not known yet";
  commit(0x204);
  EXPECT_EQ(addresses(), (Addresses{0, 0x104}));
}

TEST_F(Calls, AReturnThatSkipsFramesCutsThem) {
  commit(0x100, kCall);
  commit(0x200, kCall);
  commit(0x300, kRet);
  commit(0x104);
  EXPECT_EQ(addresses(), (Addresses{0}));
}

TEST_F(Calls, ATrapIsUndoneByItsReturn) {
  commit(0x100, kCall);
  path.retired({++cycle, 0x200, kNop, 3, true, true, 7, 0});
  ASSERT_EQ(path.frames().size(), 4U);
  EXPECT_TRUE(path.frames()[2].trap && path.frames()[2].interrupt);
  EXPECT_EQ(path.frames()[2].cause, 7U);
  commit(0x400, kMret);
  commit(0x200);
  EXPECT_EQ(addresses(), (Addresses{0, 0x104}));
}

TEST_F(Calls, CodeBelowMachineModeIsNotFollowed) {
  commit(0x100, kCall);
  commit(0x200, kCall, 1);
  EXPECT_EQ(addresses(), (Addresses{0}));
}

TEST_F(Calls, AreSaved) {
  commit(0x100, kCall);
  path.retired({++cycle, 0x200, kNop, 3, true, false, 2, 0});
  commit(0x400, kRet);
  StateWriter writer;
  writer.section("calls", 1);
  path.save(writer);
  CallPath other;
  StateReader reader("test", writer);
  reader.section("calls", 1);
  other.load(reader);
  ASSERT_EQ(other.frames().size(), path.frames().size());
  for (size_t i = 0; i < path.frames().size(); ++i) {
    EXPECT_EQ(other.frames()[i].return_address, path.frames()[i].return_address);
    EXPECT_EQ(other.frames()[i].trap, path.frames()[i].trap);
    EXPECT_EQ(other.frames()[i].cause, path.frames()[i].cause);
  }
}

}  // namespace
}  // namespace firesim::functional
