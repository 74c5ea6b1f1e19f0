// SPDX-License-Identifier: BSD-3-Clause
// Harts: decoding, CSRs, page tables, traps, and that cutting time changes nothing.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "../instruction.h"
#include "assembler.h"
#include "machine.h"
#include "sim/core/tests/random_seed.h"

namespace firesim::functional {
namespace {

namespace as = assembler;

TEST(Decode, ExpandsCompressed) {
  EXPECT_EQ(expand_compressed(0x4501), 0x0000'0513u);  // c.li a0, 0
  EXPECT_EQ(expand_compressed(0x8082), 0x0000'8067u);  // ret
  EXPECT_EQ(expand_compressed(0x9002), 0x0010'0073u);  // c.ebreak
  EXPECT_EQ(expand_compressed(0x6105), 0x0201'0113u);  // c.addi16sp sp, 32
  EXPECT_EQ(expand_compressed(0xe406), 0x0011'3423u);  // c.sdsp ra, 8
  EXPECT_EQ(expand_compressed(0x60a2), 0x0081'3083u);  // c.ldsp ra, 8
  EXPECT_EQ(expand_compressed(0x852e), 0x00b0'0533u);  // c.mv a0, a1
  EXPECT_EQ(expand_compressed(0xc501), 0x0005'0463u);  // c.beqz a0, 8
  EXPECT_EQ(expand_compressed(0x0000), 0u);
  EXPECT_EQ(expand_compressed(0x2001), 0u);  // c.addiw x0
}

TEST(Decode, TellsReservedFromDefined) {
  EXPECT_EQ(decode(0xffff'ffff).opcode, Opcode::illegal);
  EXPECT_EQ(decode(as::i(0x13, 1, 1, 1, 0x400)).opcode, Opcode::illegal);  // slli with bit 30
  EXPECT_EQ(decode(as::i(0x13, 5, 1, 1, 0x43f)).opcode, Opcode::srai);
  EXPECT_EQ(decode(0x3020'0073).opcode, Opcode::mret);
  EXPECT_EQ(decode(0x0200'0053).opcode, Opcode::fadd_d);
  EXPECT_EQ(decode(0x0400'0053).opcode, Opcode::illegal);  // no half precision
}

// Round and round from block to block, by jumps that are looked up.
void run_blocks(size_t code_bytes, uint64_t blocks) {
  constexpr uint64_t kApart = 32, kStride = 97 * kApart, kInstructions = 6, kRounds = 5;
  Machine small(code_bytes), large;
  for (Machine *m : {&small, &large}) {
    for (uint64_t i = 0; i < blocks; ++i) {
      m->code({as::addi(1, 1, 1),
               as::i(0x13, 4, 2, 1, static_cast<int32_t>(i % 2048)),  // xori x2, x1, i % 2048
               as::r(0x33, 0, 0, 3, 3, 2),                            // add x3, x3, x2
               as::r(0x33, 0, 0, 5, 5, 7),                            // add x5, x5, x7
               as::r(0x33, 7, 0, 5, 5, 6),                            // and x5, x5, x6
               as::i(0x67, 0, 0, 5, 0)},                              // jalr x0, 0(x5)
              i * kApart);
    }
    m->state.x[5] = kDramBase;
    m->state.x[6] = kDramBase | ((blocks - 1) * kApart);
    m->state.x[7] = kStride;
  }
  uint64_t sum = 0, block = 0;
  for (uint64_t n = 1; n <= kRounds * blocks; ++n) {
    sum += n ^ (block % 2048);
    block = (block + kStride / kApart) % blocks;
  }
  const ArchitecturalState found = small.after(kRounds * blocks * kInstructions);
  EXPECT_EQ(found.x[1], kRounds * blocks);
  EXPECT_EQ(found.x[3], sum);
  EXPECT_EQ(found, large.after(kRounds * blocks * kInstructions));
}

TEST(Code, IsDecodedAnewWhenItsMemoryIsFull) { run_blocks(16 << 10, 256); }
TEST(Code, IsFoundAgainWhenItBecomesMuch) { run_blocks(4 << 20, 8192); }

TEST(Csr, ThereIsNoTime) {
  Machine m;
  m.code({as::csrrs(1, 0xc01, 0)});
  const ArchitecturalState s = m.after(1);
  EXPECT_EQ(s.mcause, 2u);
  EXPECT_EQ(s.mtval, as::csrrs(1, 0xc01, 0));
  EXPECT_EQ(s.mepc, kDramBase);
  EXPECT_EQ(s.pc, kDramBase + kHandler);
  EXPECT_EQ(s.minstret, 0u);
  EXPECT_EQ(s.mcycle, 1u);
}

TEST(Csr, KeepsTheBitsRocketKeeps) {
  Machine m;
  m.state.x[1] = ~uint64_t{0} >> 1 & ~(uint64_t{7} << 60);
  m.state.x[2] = uint64_t{8} << 60 | 0xffff'f000'0008'0000;
  m.state.x[3] = ~uint64_t{0};
  m.code({as::csrrw(0, 0x180, 2), as::csrrw(0, 0x302, 3), as::csrrw(0, 0x303, 3),
          as::csrrw(0, 0x304, 3), as::csrrw(0, 0x3b0, 3), as::csrrw(0, 0x305, 3),
          as::csrrs(4, 0x301, 0), as::csrrw(0, 0x344, 3), as::csrrs(5, 0x344, 0)});
  const ArchitecturalState s = m.after(9);
  EXPECT_EQ(s.satp, 0u) << "mode 15 is not written";
  EXPECT_EQ(s.medeleg, 0xb15du);
  EXPECT_EQ(s.mideleg, 0x222u);
  EXPECT_EQ(s.mie, 0xaaau);
  EXPECT_EQ(s.pmpaddr[0], 0x3fff'ffffu);
  EXPECT_EQ(s.mtvec, 0xffff'ff01u);
  EXPECT_EQ(s.x[4], 0x8000'0000'0094'112du);
  EXPECT_EQ(s.x[5], 0x222u);
}

TEST(Csr, CountersCountFromWhatIsWritten) {
  Machine m;
  m.state.x[1] = 1000;
  m.code({as::csrrw(0, 0xb00, 1), as::csrrs(2, 0xb00, 0), as::csrrw(0, 0xb02, 1),
          as::csrrs(3, 0xb02, 0), as::csrrs(4, 0xb02, 0)});
  const ArchitecturalState s = m.after(5);
  EXPECT_EQ(s.x[2], 1000u);
  EXPECT_EQ(s.x[3], 1000u);
  EXPECT_EQ(s.x[4], 1001u);
  EXPECT_EQ(s.mcycle, 1004u);
}

TEST(Memory, MisalignedAccessesTrap) {
  const std::vector<std::pair<uint32_t, uint64_t>> cases{
      {as::ld(2, 1, 4), 4}, {as::sd(1, 2, 4), 6}, {as::r(0x2f, 3, 0, 2, 1, 3), 6}};
  for (const auto &[word, cause] : cases) {
    Machine m;
    m.state.x[1] = kDramBase + kData + (cause == 6 && word % 128 == 0x2f ? 4 : 0);
    m.code({word});
    const ArchitecturalState s = m.after(1);
    EXPECT_EQ(s.mcause, cause);
    EXPECT_EQ(s.mtval, kDramBase + kData + 4);
  }
}

// Sv39 with one page at virtual 0x4000'0000, whose leaf has these bits; code is in a gigabyte page.
ArchitecturalState access_page(uint64_t leaf, uint32_t word, uint64_t status_bits = 0) {
  constexpr uint64_t kRoot = 0x2000, kMiddle = 0x3000, kLeaves = 0x4000;
  const auto entry = [](uint64_t physical, uint64_t bits) { return physical >> 12 << 10 | bits; };
  Machine m;
  m.put(kRoot + 8, entry(kDramBase + kMiddle, 1), 8);
  m.put(kRoot + 16, entry(kDramBase, 0xcf), 8);
  m.put(kMiddle, entry(kDramBase + kLeaves, 1), 8);
  m.put(kLeaves, entry(kDramBase + kData, leaf), 8);
  m.put(kData + 8, 0x1234, 8);
  m.state.satp = uint64_t{8} << 60 | (kDramBase + kRoot) >> 12;
  m.state.pmpcfg[0] = 0x1f;
  m.state.pmpaddr[0] = 0x3fff'ffff;
  m.state.privilege = 1;
  m.state.mstatus = status_bits;
  m.state.x[1] = 0x4000'0000;
  m.code({word});
  return m.after(1);
}

TEST(PageTable, RightsDecide) {
  const uint32_t load = as::ld(2, 1, 8), store = as::sd(1, 1, 8);
  EXPECT_EQ(access_page(0xc7, load).x[2], 0x1234u);
  EXPECT_EQ(access_page(0xc7, store).mcause, 0u);
  EXPECT_EQ(access_page(0x87, load).mcause, 13u) << "not accessed before";
  EXPECT_EQ(access_page(0x47, store).mcause, 15u) << "not dirty before";
  EXPECT_EQ(access_page(0x47, load).mcause, 0u);
  EXPECT_EQ(access_page(0xd7, load).mcause, 13u) << "a user page";
  EXPECT_EQ(access_page(0xd7, load, 1 << 18).mcause, 0u) << "a user page with SUM";
  EXPECT_EQ(access_page(0xc9, load).mcause, 13u) << "execute only";
  EXPECT_EQ(access_page(0xc9, load, 1 << 19).x[2], 0x1234u) << "execute only with MXR";
  EXPECT_EQ(access_page(0xc5, load).mcause, 13u) << "write without read";
  EXPECT_EQ(access_page(0xc7 | uint64_t{1} << 40, load).mcause, 5u) << "beyond 32 bits";
  EXPECT_EQ(access_page(0xd7, load).mtval, 0x4000'0008u);
}

TEST(Wait, EndsWithThePendingInterrupt) {
  Machine m;
  m.state.mie = 1 << 3;
  m.code({as::kWfi, as::addi(1, 1, 1)});
  m.hart().set_state(m.state);
  EXPECT_EQ(m.hart().run(0, 100), 1u);
  EXPECT_TRUE(m.hart().waiting());
  EXPECT_EQ(m.hart().run(50, 100), 50u);
  m.hart().set_interrupt(3, true);
  EXPECT_FALSE(m.hart().waiting());
  EXPECT_EQ(m.hart().run(60, 61), 61u) << "interrupts are off: it goes on after the WFI";
  EXPECT_EQ(m.hart().state().x[1], 1u);
  EXPECT_EQ(m.hart().state().mcycle, 61u);
  EXPECT_EQ(m.hart().state().minstret, 2u);
}

TEST(RegionOfInterest, FirstStartIsNoted) {
  Machine m;
  constexpr uint32_t kStart = 0x0000'8013, kEnd = 0x0001'0013;
  m.code({as::addi(1, 1, 1), kEnd, as::addi(1, 1, 1), kStart, as::addi(1, 1, 1), kStart});
  EXPECT_EQ(m.shared().region_start_cycle(), SharedState::kNever);
  EXPECT_EQ(m.after(6).x[1], 3u);
  EXPECT_EQ(m.shared().region_start_cycle(), 3u);
}

TEST(Reservation, ADeviceWriteEndsIt) {
  Machine m;
  m.state.x[1] = kDramBase + kData;
  m.code({as::r(0x2f, 3, 2 << 2, 2, 1, 0), as::r(0x2f, 3, 3 << 2, 3, 1, 1)});  // lr.d, sc.d
  m.hart().set_state(m.state);
  m.hart().run(0, 1);
  m.hart().write_by_device(kDramBase + kData + 32, 8);
  m.hart().run(1, 2);
  EXPECT_EQ(m.hart().state().x[3], 1u);
}

enum class How { kWhole, kCut, kOneByOne };

class Nothing : public RetireObserver {
  void retired(const Retired &) override {}
};

void run_as(How how, uint64_t seed, Machine &m) {
  constexpr uint64_t kCycles = 60'000;
  std::mt19937_64 random(seed);
  random_program(m, random);
  m.arm_timer(10);
  Nothing observer;
  if (how == How::kOneByOne) m.hart().set_observer(&observer);
  while (m.cycle() < kCycles) {
    const uint64_t piece = how == How::kCut ? random() % 90 + 1 : kCycles;
    m.run(std::min(kCycles, m.cycle() + piece));
  }
}

TEST(Hart, CuttingTimeChangesNothing) {
  const uint64_t first = random_seed();
  std::printf("seed %lu\n", first);
  for (uint64_t seed = first; seed < first + 6; ++seed) {
    Machine whole, cut, single;
    run_as(How::kWhole, seed, whole);
    run_as(How::kCut, seed, cut);
    run_as(How::kOneByOne, seed, single);
    EXPECT_TRUE(whole.hart().state() == cut.hart().state()) << "seed " << seed;
    EXPECT_TRUE(whole.memory() == cut.memory()) << "seed " << seed;
    EXPECT_TRUE(whole.hart().state() == single.hart().state()) << "seed " << seed;
    EXPECT_TRUE(whole.memory() == single.memory()) << "seed " << seed;
    EXPECT_GT(whole.hart().state().minstret, 30'000u) << "seed " << seed;
  }
}

// Divides, inexactly, with the host's own arithmetic.
class Dividing : public RetireObserver {
 public:
  explicit Dividing(Hart &hart) : hart_(hart) {}
  void retired(const Retired &) override {
    third_ = one_ / 3;
    seen_flags_ |= static_cast<uint32_t>(hart_.csr(1).value());
  }
  uint32_t seen_flags() const { return seen_flags_; }

 private:
  Hart &hart_;
  volatile double one_ = 1, third_ = 0;
  uint32_t seen_flags_ = 0;
};

TEST(Observer, CalculatesWithoutATraceInTheFlags) {
  Machine m;
  m.state.mstatus = 3 << 13 | 3 << 11;
  m.code({as::addi(1, 1, 1), as::addi(1, 1, 1), as::addi(1, 1, 1)});
  Dividing observer(m.hart());
  m.hart().set_observer(&observer);
  EXPECT_EQ(m.after(3).fcsr, 0u);
  EXPECT_EQ(observer.seen_flags(), 0u);
  m.hart().set_observer(nullptr);
}

}  // namespace
}  // namespace firesim::functional
