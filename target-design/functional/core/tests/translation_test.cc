// SPDX-License-Identifier: BSD-3-Clause
// Translated code does what the interpreter's loop does: every instruction with registers of all
// kinds, programs that change themselves, in little memory, in a copy of the process, and when a
// device throws.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <random>
#include <stdexcept>

#include "../code_store.h"
#include "assembler.h"
#include "machine.h"
#include "sim/core/tests/random_seed.h"

namespace firesim::functional {
namespace {

namespace as = assembler;

// x8 to x15 are in registers of the host's; x3 and x9 hold addresses of data and are never written.
constexpr uint32_t kRegisters[] = {0, 1, 5, 8, 10, 15, 16, 30};
constexpr uint32_t kBases[] = {3, 9};
constexpr uint32_t kWords = 300;

uint32_t pick(std::mt19937_64 &random, uint32_t below) {
  return static_cast<uint32_t>(random() % below);
}
uint32_t any_register(std::mt19937_64 &random) { return kRegisters[pick(random, 8)]; }

uint32_t any_access(std::mt19937_64 &random) {
  const uint32_t base = kBases[pick(random, 2)], x = any_register(random);
  const int32_t offset = static_cast<int32_t>(pick(random, 64)) * 4 - 128;
  switch (pick(random, 5)) {
    case 0:
      return as::s(0x23, pick(random, 4), base, x, offset);
    case 3:  // LR, SC, AMOs
      return as::r(0x2f, 2 + pick(random, 2), pick(random, 16) * 4 * (1 + pick(random, 2)),
                   any_register(random), base, x);
    case 1:
      return as::i(0x07, 2 + pick(random, 2), x, base, offset);  // flw, fld
    case 2:
      return as::s(0x27, 2 + pick(random, 2), base, x, offset);  // fsw, fsd
    default:
      return as::i(0x03, pick(random, 7), x, base, offset);
  }
}

uint32_t any_float(std::mt19937_64 &random) {
  // Add, subtract, multiply, divide, square root, signs, least, compare, convert, move.
  constexpr uint32_t kKinds[] = {0,    4,    8,    0xc,  0x2c, 0x10, 0x14,
                                 0x50, 0x20, 0x60, 0x68, 0x70, 0x78};
  constexpr uint32_t kRoundings[] = {7, 7, 7, 7, 0, 1, 2, 4};
  const uint32_t rd = any_register(random), a = any_register(random), b = any_register(random);
  const uint32_t format = pick(random, 2), rounding = kRoundings[pick(random, 8)];
  if (pick(random, 4) == 0) {  // multiply and add
    return as::r(0x43 + 4 * pick(random, 4), rounding, any_register(random) << 2 | format, rd, a,
                 b);
  }
  const uint32_t kind = kKinds[pick(random, 13)];
  const bool converts = kind >= 0x20 && kind != 0x50, moves = kind >= 0x70;
  const bool selects = kind == 0x10 || kind == 0x14 || kind == 0x50;  // by the rounding's field
  return as::r(0x53,
               moves     ? 0
               : selects ? pick(random, 3)
                         : rounding,
               kind | format, rd, a,
               moves || kind == 0x2c ? 0
               : converts            ? pick(random, 4)
               : pick(random, 2)     ? a
                                     : b);
}

uint64_t any_float_value(std::mt19937_64 &random) {
  constexpr uint64_t kBox = 0xffff'ffff'0000'0000;
  constexpr uint64_t kSpecial[] = {0,
                                   uint64_t{1} << 63,
                                   0x7ff0'0000'0000'0000,   // infinite
                                   0x7ff8'0000'0000'0000,   // a NaN
                                   0x7ff0'0000'0000'0001,   // a signaling one
                                   1,                       // not normal
                                   0x41df'ffff'ffc0'0000,   // 2^31 - 1
                                   0xc1e0'0000'0020'0000};  // less than -2^31
  constexpr uint64_t kSingle[] = {0, 0x8000'0000, 0x7f80'0000, 0x7f80'0001, 0x3f80'0000, 1};
  switch (pick(random, 4)) {
    case 0:
      return kSpecial[pick(random, 8)];
    case 1:
      return kBox | kSingle[pick(random, 6)];
    case 2:
      return kBox | pick(random, 0xffff'ffff);
    default:
      return (random() & 0x803f'ffff'ffff'ffff) | 0x3fc0'0000'0000'0000;
  }
}

// Some of what this makes is illegal.
uint32_t any_instruction(std::mt19937_64 &random) {
  constexpr uint32_t kFunct7[] = {0, 0x20, 1};
  const uint32_t rd = any_register(random), a = any_register(random), b = any_register(random);
  const uint32_t f3 = pick(random, 8), f7 = kFunct7[pick(random, 3)];
  const int32_t immediate = static_cast<int32_t>(pick(random, 4096)) - 2048;
  const bool shifts = (f3 & 3) == 1;
  switch (pick(random, 12)) {
    case 0:
    case 1:
      return as::r(0x33, f3, f7, rd, a, b);
    case 2:
    case 3:
      return as::r(0x3b, f3, f7, rd, a, b);
    case 4:
      return as::i(
          0x13, f3, rd, a,
          shifts ? static_cast<int32_t>(pick(random, 64) | pick(random, 2) << 10) : immediate);
    case 5:
      return as::i(
          0x1b, f3, rd, a,
          shifts ? static_cast<int32_t>(pick(random, 32) | pick(random, 2) << 10) : immediate);
    case 6:
      return as::branch(f3, a, b, 4 * static_cast<int32_t>(1 + pick(random, 4)));
    case 7:
      return pick(random, 2) ? as::lui(rd, static_cast<uint32_t>(random()))
                             : (as::lui(rd, static_cast<uint32_t>(random())) & 0xfff) | 0x17;
    case 8:
    case 9:
    case 10:
      return any_float(random);
    default:
      return any_access(random);
  }
}

// Goes on behind what is illegal or not aligned.
void put_handler(Machine &m) {
  m.code({as::csrrw(31, 0x340, 31), as::csrrs(31, 0x341, 0), as::addi(31, 31, 4),
          as::csrrw(0, 0x341, 31), as::csrrw(31, 0x340, 31), as::kMret},
         kHandler);
}

void put_instructions(Machine &m, std::mt19937_64 &random) {
  constexpr uint64_t kCorners[] = {0, 1, ~uint64_t{0}, uint64_t{1} << 63, 0x8000'0000};
  std::vector<uint32_t> words;
  for (uint32_t n = 0; n < kWords; ++n) words.push_back(any_instruction(random));
  words.push_back(as::jal(0, -4 * static_cast<int32_t>(kWords)));
  m.code(words);
  put_handler(m);
  for (const uint32_t x : kRegisters) {
    if (x != 0) m.state.x[x] = pick(random, 2) ? kCorners[pick(random, 5)] : random();
  }
  for (const uint32_t base : kBases) m.state.x[base] = kDramBase + kData + 0x800 * base;
  for (uint64_t &value : m.state.f) value = any_float_value(random);
  m.state.fcsr = pick(random, 2) == 0 ? 0 : pick(random, 5) << 5;
  if (pick(random, 4) != 0) m.state.mstatus |= 3 << 13;
  m.hart().set_state(m.state);
}

void expect_the_same(Machine &one, Machine &other) {
  const ArchitecturalState a = one.hart().state(), b = other.hart().state();
  EXPECT_EQ(a.pc, b.pc);
  EXPECT_EQ(a.x, b.x);
  EXPECT_EQ(a.f, b.f);
  EXPECT_EQ(a, b);
  EXPECT_EQ(one.memory(), other.memory());
}

TEST(Translation, EveryInstructionDoesTheSame) {
  const uint64_t seed = random_seed();
  SCOPED_TRACE("FIRESIM_TEST_SEED=" + std::to_string(seed));
  for (uint64_t program = 0; program < 60; ++program) {
    Machine interpreted, translated;
    interpreted.shared().set_translate_after(kNeverTranslated);
    translated.shared().set_translate_after(0);
    for (Machine *m : {&interpreted, &translated}) {
      std::mt19937_64 same(seed + program);
      put_instructions(*m, same);
      m->run(4 * kWords);
    }
    expect_the_same(interpreted, translated);
    if (testing::Test::HasFailure()) break;
  }
}

// Programs that store into their own code and are interrupted, cut at random places.
void run_random_programs(CodeStore *store) {
  const uint64_t seed = random_seed();
  SCOPED_TRACE("FIRESIM_TEST_SEED=" + std::to_string(seed));
  std::mt19937_64 cut(seed);
  for (uint64_t program = 0; program < 6; ++program) {
    Machine interpreted, translated(kMostCodeBytes, store);
    interpreted.shared().set_translate_after(kNeverTranslated);
    translated.shared().set_translate_after(static_cast<int32_t>(pick(cut, 3)));
    for (Machine *m : {&interpreted, &translated}) {
      std::mt19937_64 same(seed + program);
      random_program(*m, same);
      m->arm_timer(10);
    }
    for (uint64_t stop = 500; stop <= 20'000; stop += 500) {
      interpreted.run(stop);
      while (translated.cycle() < stop) {
        translated.run(std::min(stop, translated.cycle() + 1 + cut() % 400));
      }
      ASSERT_NO_FATAL_FAILURE(expect_the_same(interpreted, translated));
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(Translation, AProgramThatChangesItselfRunsTheSame) { run_random_programs(nullptr); }

TEST(Translation, SharedCodeThatIsChangedRunsTheSame) {
  CodeStore store(4 << 20);
  run_random_programs(&store);
}

// More blocks than there is room for, round and round, and so little that none is translated.
TEST(Translation, WhatHasNoRoomIsDropped) {
  constexpr uint64_t kApart = 64, kBlocks = 256, kRounds = 3, kInstructions = 3;
  for (const size_t kibibytes : {16, 192, 256}) {
    const bool shares = kibibytes == 256;
    CodeStore store(shares ? kibibytes << 10 : 0);
    Machine m(kibibytes << 10, shares ? &store : nullptr);
    m.shared().set_translate_after(0);
    for (uint64_t i = 0; i < kBlocks; ++i) {
      const uint64_t next = (i * 97 + 1) % kBlocks;
      m.code({as::addi(1, 1, 1), as::sd(3, 1, static_cast<int32_t>(i * 4 & ~7u)),
              as::jal(0, static_cast<int32_t>((next - i) * kApart) - 8)},
             0x10000 + i * kApart);
    }
    m.state.pc = kDramBase + 0x10000;
    m.state.x[3] = kDramBase + kData;
    EXPECT_EQ(m.after(kRounds * kBlocks * kInstructions).x[1], kRounds * kBlocks);
  }
}

// Both go on from the same state, and make code of their own.
TEST(Translation, ACopyOfTheProcessGoesOn) {
  const uint64_t seed = random_seed();
  SCOPED_TRACE("FIRESIM_TEST_SEED=" + std::to_string(seed));
  Machine whole, copied;
  for (Machine *m : {&whole, &copied}) {
    m->shared().set_translate_after(0);
    std::mt19937_64 same(seed);
    random_program(*m, same);
    m->arm_timer(10);
  }
  constexpr uint64_t kCopied = 5'000, kEnd = 20'000;
  whole.run(kEnd);
  copied.run(kCopied);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  copied.run(kEnd);
  const bool same = copied.hart().state() == whole.hart().state();
  if (child == 0) _exit(same ? 0 : 1);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "the copy differs";
  EXPECT_TRUE(same);
}

class ThrowingDevice : public Mmio {
  bool read(uint64_t, uint32_t, uint64_t cycle, uint64_t &value) override {
    value = cycle;
    if (cycle > 20) throw std::runtime_error("it ends");
    return true;
  }
  bool write(uint64_t, uint32_t, uint64_t, uint64_t) override { return false; }
};

TEST(Translation, WhatADeviceThrowsIsThrown) {
  std::vector<uint8_t> memory(1 << 16);
  const Dram dram{kDramBase, memory.size(), memory.data()};
  ThrowingDevice device;
  SharedState shared(dram);
  shared.set_translate_after(0);
  Hart hart(0, dram, device, 1, shared);
  const uint32_t words[] = {as::ld(10, 9, 0), as::addi(11, 11, 1), as::jal(0, -8)};
  std::memcpy(memory.data(), words, sizeof words);
  ArchitecturalState state;
  state.pc = kDramBase;
  state.x[9] = kUartBase;
  hart.set_state(state);
  EXPECT_THROW(hart.run(0, 100), std::runtime_error);
  EXPECT_EQ(hart.x(10), 18u);
  EXPECT_EQ(hart.x(11), 7u);
}

}  // namespace
}  // namespace firesim::functional
