// SPDX-License-Identifier: BSD-3-Clause
// What is written into a gate, and what it is asked (rtl/firesim_gate_registers.v says what that
// means; the two meet in deploy/tests/test_trace_gates.py).
#include "hostlib/channel_gate.h"

#include <gtest/gtest.h>

#include <map>
#include <stdexcept>
#include <vector>

#include "hostlib/registers.h"

namespace firesim::hostlib {
namespace {

// The registers of gates, one word each.
class Registers final : public HostPlatform {
 public:
  uint32_t read(uint32_t address) override {
    if (address == kGates) return 3;
    if (address == kGateValue) return state.at(at >> 8);
    throw std::logic_error("no such register");
  }
  void write(uint32_t address, uint32_t value) override {
    if (address == kGateAt) {
      at = value;
    } else if (address == kGateValue) {
      words[at] = value;
      ++writes;
    } else {
      throw std::logic_error("no such register");
    }
  }
  void send(std::span<const uint64_t>) override {}
  bool receive(std::span<uint64_t>) override { return false; }
  std::string name() const override { return "registers"; }

  uint32_t at = 0;
  uint32_t writes = 0;
  std::map<uint32_t, uint32_t> words;  // by gate and address
  std::vector<uint32_t> state = {0, 0, 0};
};

const GateSetting kSetting{"instruction",
                           {0x1111'2222'3333'4444, 0x5555'6666'7777'8888},
                           {0x9999'aaaa'bbbb'cccc, 0xdddd'eeee'ffff'0000},
                           true};

TEST(ChannelGate, AWindowIsWritten) {
  Registers registers;
  EXPECT_EQ(ChannelGate::count(registers), 3u);
  ChannelGate gate(registers, 2, {"pc", "instruction"});
  ASSERT_TRUE(gate.close_around(kSetting));
  const std::map<uint32_t, uint32_t> expected{
      {0x200, 0x3333'4444}, {0x201, 0x1111'2222}, {0x202, 0x7777'8888},
      {0x203, 0x5555'6666}, {0x204, 0xbbbb'cccc}, {0x205, 0x9999'aaaa},
      {0x206, 0xffff'0000}, {0x207, 0xdddd'eeee}, {0x208, 0x103}};
  EXPECT_EQ(registers.words, expected);
}

TEST(ChannelGate, ItIsAskedOnlyWhileItDecides) {
  Registers registers;
  ChannelGate gate(registers, 1, {"pc", "instruction"});
  EXPECT_EQ(gate.open(), std::nullopt);
  gate.pass_all();
  EXPECT_EQ(registers.writes, 0u) << "it passes all from the start";
  ASSERT_TRUE(gate.close_around(kSetting));
  registers.state = {3, 1, 3};
  EXPECT_EQ(gate.open(), false);
  registers.state = {1, 3, 1};
  EXPECT_EQ(gate.open(), true);
  gate.pass_all();
  EXPECT_EQ(registers.words.at(0x108), 0u);
  EXPECT_EQ(gate.open(), std::nullopt);
}

TEST(ChannelGate, APortThatItDoesNotCompareIsNotWritten) {
  Registers registers;
  ChannelGate gate(registers, 0, {"pc"});
  EXPECT_FALSE(gate.close_around(kSetting));
  EXPECT_EQ(registers.writes, 0u);
  EXPECT_EQ(gate.open(), std::nullopt);
}

}  // namespace
}  // namespace firesim::hostlib
