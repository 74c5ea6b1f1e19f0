// SPDX-License-Identifier: BSD-3-Clause
// Harts without floating point, or with M mode alone: what they have not is illegal, and the other
// registers keep the bits that Rocket keeps then.
#include <gtest/gtest.h>

#include "../state_check.h"
#include "assembler.h"
#include "machine.h"

namespace firesim::functional {
namespace {

namespace as = assembler;

constexpr HartFeatures kNoFloats{.floats = false}, kSmall{.floats = false, .supervisor = false};
constexpr uint64_t kAllOnes = ~uint64_t{0}, kIllegal = 2;

// Runs one instruction; x1 is all ones.
ArchitecturalState after(HartFeatures features, uint32_t word) {
  Machine m(kMostCodeBytes, nullptr, features);
  m.state.x[1] = kAllOnes;
  m.state.mstatus |= features.supervisor ? 3 << 13 : 0;
  m.code({word});
  return m.after(1);
}

TEST(Features, WhatIsMissingIsIllegal) {
  constexpr uint32_t kFadd = 0x0200'0053, kFld = 0x0000'b007, kSret = 0x1020'0073;
  constexpr uint32_t kFence = 0x1200'0073;
  for (const uint32_t word : {kFadd, kFld, as::csrrs(2, 0x001, 0), as::csrrs(2, 0x003, 0)}) {
    EXPECT_EQ(after(kNoFloats, word).mcause, kIllegal) << std::hex << word;
    EXPECT_NE(after({}, word).mcause, kIllegal) << std::hex << word;
  }
  std::vector<uint32_t> words{kFadd, kSret, kFence};
  for (const uint32_t number : {0x100, 0x104, 0x105, 0x106, 0x140, 0x141, 0x142, 0x143, 0x144,
                                0x180, 0x302, 0x303, 0x306, 0xc00, 0xc02, 0xc05}) {
    words.push_back(as::csrrs(2, number, 0));
  }
  for (const uint32_t word : words) {
    EXPECT_EQ(after(kSmall, word).mcause, kIllegal) << std::hex << word;
    EXPECT_NE(after({}, word).mcause, kIllegal) << std::hex << word;
  }
}

TEST(Features, MachineModeAloneKeepsWhatRocketKeeps) {
  Machine m(kMostCodeBytes, nullptr, kSmall);
  m.state.x[1] = kAllOnes;
  m.code({as::csrrw(0, 0x300, 1), as::csrrw(0, 0x304, 1), as::csrrw(0, 0x344, 1),
          as::csrrw(0, 0x341, 1), as::csrrw(0, 0x343, 1), as::csrrw(0, 0x7a1, 1),
          as::csrrw(0, 0x7a2, 1), as::csrrs(2, 0x301, 0), as::csrrs(3, 0x300, 0),
          as::csrrw(0, 0x304, 0)});
  const ArchitecturalState s = m.after(10);
  EXPECT_EQ(s.x[2], 0x8000'0000'0080'1105u) << "misa";
  EXPECT_EQ(s.x[3], 0x1888u) << "mstatus";
  EXPECT_EQ(s.mip, 0u);
  EXPECT_EQ(s.mepc, kAllOnes - 1);
  EXPECT_EQ(s.mtval, kAllOnes);
  EXPECT_EQ(impossible(s, kSmall), std::nullopt);
}

// A small core that a blade file gives a floating-point unit.
TEST(Features, MachineModeAloneMayHaveFloats) {
  constexpr HartFeatures kFloatsAlone{.supervisor = false};
  constexpr uint32_t kFadd = 0x0200'0053;
  Machine m(kMostCodeBytes, nullptr, kFloatsAlone);
  m.state.x[1] = kAllOnes;
  m.code({kFadd});
  m.code({as::csrrw(0, 0x300, 1), as::csrrs(2, 0x300, 0), kFadd}, kHandler);
  const ArchitecturalState on = m.after(4);
  EXPECT_EQ(on.mcause, kIllegal) << "they are off at first";
  EXPECT_EQ(on.mepc, kDramBase);
  EXPECT_EQ(on.x[2], 0x8000'0000'0000'7888u) << "mstatus";
  EXPECT_EQ(on.pc, kDramBase + kHandler + 12) << "the addition is made";
  EXPECT_EQ(impossible(on, kFloatsAlone), std::nullopt);
  EXPECT_EQ(impossible(on, kSmall), "mstatus is 0x8000000000007888, which no hart can hold");
}

// The address bits of the 2 GiB: 32; bit 33 of mtval tells a good address from a bad one.
TEST(Features, AddressesOfTrapsHaveNoVirtualBits) {
  for (const auto &[address, told] :
       std::vector<std::pair<uint64_t, uint64_t>>{{0x1'2345'6781, 0x1'2345'6781},
                                                  {0x2'2345'6781, 0xffff'fffe'2345'6781},
                                                  {0x4'2345'6781, 0xffff'fffe'2345'6781}}) {
    Machine m(kMostCodeBytes, nullptr, kSmall);
    m.state.x[1] = address;
    m.code({as::ld(2, 1, 0)});
    EXPECT_EQ(m.after(1).mtval, told) << std::hex << address;
  }
}

TEST(Features, MretStaysInMachineMode) {
  Machine m(kMostCodeBytes, nullptr, kSmall);
  m.state.x[1] = kDramBase + 0x100;
  m.code({as::csrrw(0, 0x300, 0), as::csrrw(0, 0x341, 1), as::kMret});
  const ArchitecturalState s = m.after(3);
  EXPECT_EQ(s.privilege, 3u);
  EXPECT_EQ(s.pc, kDramBase + 0x100);
  EXPECT_EQ(s.mstatus, 0x1880u);
}

TEST(Features, StatesThatAHartCannotHaveAreNamed) {
  ArchitecturalState state;
  state.mstatus = 3 << 11;
  EXPECT_EQ(impossible(state, kSmall), std::nullopt);
  state.stvec = 0x100;
  EXPECT_EQ(impossible(state, kNoFloats), std::nullopt);
  EXPECT_EQ(impossible(state, kSmall), "stvec is 0x100, which no hart can hold");
  state.stvec = 0;
  state.f[7] = 1;
  EXPECT_EQ(impossible(state), std::nullopt);
  EXPECT_EQ(impossible(state, kNoFloats), "f7 is 0x1, which no hart can hold");
  state.f[7] = 0;
  state.privilege = 1;
  EXPECT_EQ(impossible(state, kSmall), "the privilege is 0x1, which no hart can hold");
}

}  // namespace
}  // namespace firesim::functional
