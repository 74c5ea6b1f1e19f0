// SPDX-License-Identifier: BSD-3-Clause
// What harts of one blade see of each other's stores: reservations end, decoded code is dropped.
#include "../shared_state.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "../hart.h"
#include "assembler.h"

namespace firesim::functional {
namespace {

namespace as = assembler;

constexpr uint64_t kDramBytes = 1 << 16, kData = kDramBase + 0x8000, kSecond = 0x2000;

class NoDevices : public Mmio {
  bool read(uint64_t, uint32_t, uint64_t, uint64_t &) override { return false; }
  bool write(uint64_t, uint32_t, uint64_t, uint64_t) override { return false; }
};

struct TwoHarts {
  TwoHarts() {
    ArchitecturalState state;
    state.pc = kDramBase;
    state.x[1] = kData;
    first.set_state(state);
    state.pc = kDramBase + kSecond;
    second.set_state(state);
  }
  void code(uint64_t offset, const std::vector<uint32_t> &words) {
    std::memcpy(memory.data() + offset, words.data(), 4 * words.size());
  }
  std::vector<uint8_t> memory = std::vector<uint8_t>(kDramBytes);
  Dram dram{kDramBase, kDramBytes, memory.data()};
  NoDevices devices;
  SharedState shared{dram};
  Hart first{0, dram, devices, 1, shared};
  Hart second{1, dram, devices, 1, shared};
};

TEST(SharedState, AStoreOfAnotherHartEndsAReservation) {
  TwoHarts harts;
  harts.code(0, {as::r(0x2f, 3, 2 << 2, 2, 1, 0), as::r(0x2f, 3, 3 << 2, 3, 1, 1)});  // lr, sc
  // The first store makes the page writable directly; the second must be seen nevertheless.
  harts.code(kSecond, {as::sd(1, 1, 128), as::sd(1, 1, 32)});
  harts.second.run(0, 1);
  harts.first.run(0, 1);
  EXPECT_TRUE(harts.first.state().reservation_valid);
  harts.second.run(1, 2);
  EXPECT_FALSE(harts.first.state().reservation_valid);
  harts.first.run(1, 2);
  EXPECT_EQ(harts.first.state().x[3], 1u);
}

TEST(SharedState, AStoreOfAnotherHartChangesCode) {
  TwoHarts harts;
  std::vector<uint32_t> loop(60, as::addi(2, 2, 1));
  loop.push_back(as::i(0x67, 0, 0, 4, 0));  // back to x4
  harts.code(0, loop);
  harts.code(kSecond, {as::s(0x23, 2, 4, 5, 0)});
  ArchitecturalState state = harts.first.state();
  state.x[4] = kDramBase;
  harts.first.set_state(state);
  state = harts.second.state();
  state.x[4] = kDramBase;
  state.x[5] = as::addi(2, 2, 100);
  harts.second.set_state(state);
  harts.first.run(0, 61);
  EXPECT_EQ(harts.first.state().x[2], 60u);
  harts.second.run(0, 1);
  harts.first.run(61, 122);
  EXPECT_EQ(harts.first.state().x[2], 60u + 159u);
}

constexpr uint32_t kFenceI = 0x0000100f;

// Hart 0 stores the word in x5 to x4, which is 16 bytes after the start of its code.
struct SelfModifying : TwoHarts {
  SelfModifying(uint32_t fence, uint64_t target) {
    shared.check_fences(2);
    const uint32_t one = as::addi(2, 2, 1);
    code(0, {as::s(0x23, 2, 4, 5, 0), fence, one, one, one, one, one});
    ArchitecturalState state = first.state();
    state.x[4] = kDramBase + target;
    state.x[5] = as::addi(2, 2, 100);
    first.set_state(state);
  }
};

TEST(SharedState, AMissingFenceIsFoundWhereItIsFetched) {
  for (const uint64_t step : {1, 2, 3, 4, 7}) {
    SelfModifying harts(as::addi(3, 3, 1), 16);
    for (uint64_t cycle = 0; cycle < 7 && !harts.shared.fence_check()->found(); cycle += step) {
      harts.first.run(cycle, cycle + step);
    }
    const auto found = harts.shared.fence_check()->found();
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->hart, 0u);
    EXPECT_EQ(found->pc, kDramBase + 16);
    EXPECT_EQ(found->cycle, 4u);
    EXPECT_EQ(harts.first.state().x[2], 2u) << "nothing runs after it";
  }
}

TEST(SharedState, AFenceMakesAStoreVisible) {
  SelfModifying harts(kFenceI, 16);
  harts.first.run(0, 7);
  EXPECT_FALSE(harts.shared.fence_check()->found().has_value());
  EXPECT_EQ(harts.first.state().x[2], 104u);
}

TEST(SharedState, DataBesideCodeNeedsNoFence) {
  SelfModifying harts(as::addi(3, 3, 1), 28);
  harts.first.run(0, 7);
  EXPECT_FALSE(harts.shared.fence_check()->found().has_value());
}

TEST(SharedState, AFenceIsForItsOwnHart) {
  SelfModifying harts(kFenceI, kSecond);
  harts.first.run(0, 7);
  EXPECT_FALSE(harts.shared.fence_check()->found().has_value());
  harts.second.run(0, 1);
  const auto found = harts.shared.fence_check()->found();
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->hart, 1u);
  EXPECT_EQ(found->pc, kDramBase + kSecond);
}

}  // namespace
}  // namespace firesim::functional
