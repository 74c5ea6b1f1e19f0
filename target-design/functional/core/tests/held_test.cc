// SPDX-License-Identifier: BSD-3-Clause
// A hart whose load, or walk of page tables, has to wait: the instruction is done again, and once.
#include <gtest/gtest.h>

#include <cstring>

#include "assembler.h"
#include "functional/core/hart.h"
#include "functional/core/shared_state.h"

namespace firesim::functional {
namespace {

namespace as = assembler;

constexpr uint64_t kWindow = 0x7800'0000, kMemoryBytes = 1 << 16;
constexpr uint64_t kRoot = 0x4000, kMiddle = 0x5000, kData = 0x8000, kVirtual = 0x4000'0000;
constexpr uint64_t kAllowed = 0xdf;  // all rights of a user's page, accessed, dirty, valid

class Window : public Mmio {
 public:
  Hart *hart = nullptr;
  bool waits = true;
  uint64_t value = 0, reads = 0;

 private:
  bool read(uint64_t, uint32_t, uint64_t, uint64_t &to) override {
    ++reads;
    if (waits) hart->hold();
    to = waits ? 0 : value;
    return true;
  }
  bool write(uint64_t, uint32_t, uint64_t, uint64_t) override { return true; }
  bool has_tables(uint64_t address) const override { return address >= kWindow; }
};

class Held : public testing::TestWithParam<int32_t> {
 protected:
  Held() {
    window.hart = &hart;
    shared.set_translate_after(GetParam());
    const uint32_t words[] = {as::addi(11, 11, 1), as::ld(10, 9, 0), as::addi(12, 12, 1),
                              as::jal(0, 0)};
    std::memcpy(memory.data(), words, sizeof words);
    state.pc = kDramBase;
    state.mstatus = 3 << 11;
    state.pmpaddr[0] = ~uint64_t{0} >> 10;
    state.pmpcfg[0] = 0x1f;
  }

  void put(uint64_t offset, uint64_t word) { std::memcpy(&memory[offset], &word, sizeof word); }
  // It stands at the load from the cycle in which that began on, until it may go on in cycle 100.
  void expect_one_load(uint64_t found, uint64_t reads) {
    hart.set_state(state);
    const uint64_t reached = hart.run(0, 50);
    EXPECT_EQ(reached, 2u) << "the load has taken a cycle";
    EXPECT_TRUE(hart.waiting());
    hart.set_interrupt(7, true);
    EXPECT_TRUE(hart.waiting()) << "no interrupt ends it";
    hart.set_interrupt(7, false);
    EXPECT_EQ(hart.run(reached, 100), reached);
    EXPECT_EQ(hart.pc(), state.pc + 4);
    EXPECT_EQ(hart.state().minstret, 1u);
    window.waits = false;
    hart.go_on();
    EXPECT_FALSE(hart.waiting());
    EXPECT_EQ(hart.run(100, 102), 102u);
    EXPECT_EQ(hart.x(10), found);
    EXPECT_EQ(hart.x(11), 1u);
    EXPECT_EQ(hart.x(12), 1u);
    EXPECT_EQ(hart.state().minstret, 3u);
    EXPECT_EQ(hart.state().mcause, 0u);
    EXPECT_EQ(window.reads, reads);
  }

  std::vector<uint8_t> memory = std::vector<uint8_t>(kMemoryBytes);
  Window window;
  SharedState shared{Dram{kDramBase, kMemoryBytes, memory.data()}};
  Hart hart{0, Dram{kDramBase, kMemoryBytes, memory.data()}, window, 1, shared};
  ArchitecturalState state;
};

TEST_P(Held, ALoadIsDoneAgain) {
  state.privilege = 3;
  state.x[9] = kWindow + 8;
  window.value = 0x1234;
  expect_one_load(0x1234, 2);
}

TEST_P(Held, AWalkIsDoneAgain) {
  state.privilege = 0;
  state.satp = uint64_t{8} << 60 | (kDramBase + kRoot) >> 12;
  put(kRoot + 8 * 2, kDramBase >> 12 << 10 | kAllowed);  // code, in a gigabyte page
  put(kRoot + 8 * 1, (kDramBase + kMiddle) >> 12 << 10 | 1);
  put(kMiddle, kWindow >> 12 << 10 | 1);
  put(kData, 0x5678);
  state.pc = kDramBase;
  state.x[9] = kVirtual;
  window.value = (kDramBase + kData) >> 12 << 10 | kAllowed;
  expect_one_load(0x5678, 2);
}

// Interpreted, and translated to the host's code at once.
INSTANTIATE_TEST_SUITE_P(Each, Held, testing::Values(INT32_MAX, 0));

}  // namespace
}  // namespace firesim::functional
