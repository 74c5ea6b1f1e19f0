// SPDX-License-Identifier: BSD-3-Clause
// The NIC: what goes out and when, what is kept, what is dropped.
#include "functional/devices/nic.h"

#include <cstring>
#include <random>

#include "core/state.h"
#include "core/tests/random_seed.h"
#include "device_bench.h"

namespace firesim::functional {
namespace {

constexpr uint32_t kDelay = 1000;
constexpr uint64_t kThereIsOne = uint64_t{1} << 63;

struct NicBench {
  explicit NicBench(NicFeatures features = {}) : nic(settings, kDelay, memory.memory, features) {}
  void send(uint64_t offset, uint64_t length, bool more) {
    nic.write(0, 8, (kDramBase + offset) | length << 48 | (more ? kThereIsOne : 0));
  }
  void give_buffer(uint64_t offset) { nic.write(8, 8, kDramBase + offset); }
  std::vector<Token> output(uint64_t from, uint32_t cycles) {
    Batch batch(from, cycles);
    nic.move_output(batch, UINT64_MAX);
    return batch.dense();
  }
  // A packet of `flits` flits in consecutive cycles; its words are `first`, `first` + 1 ...
  void arrive(uint64_t cycle, uint32_t flits, uint64_t first) {
    Batch batch(cycle, flits);
    for (uint32_t i = 0; i < flits; ++i) batch.append_flit(i, first + i, i + 1 == flits);
    nic.arrive(batch);
  }
  uint32_t count(int which) { return nic.read(0x20, 4) >> (8 * which) & 0xff; }

  TestMemory memory;
  devices::NicSettings settings{{{"mac", "00:12:6D:00:00:02"}}, "nic"};
  Nic nic;
};

TEST(Nic, PiecesBecomeOnePacketOfFlitsInConsecutiveCycles) {
  NicBench bench;
  auto *bytes = reinterpret_cast<uint8_t *>(bench.memory.words.data());
  for (int i = 0; i < 64; ++i) bytes[i] = static_cast<uint8_t>(i);
  bench.nic.advance(20);
  bench.send(1, 5, true);
  bench.send(10, 0, true);
  bench.send(20, 14, false);
  bench.nic.advance(60);
  const std::vector<Token> out = bench.output(20 + kDelay, 30);
  std::string packet;
  std::vector<uint32_t> cycles;
  for (uint32_t i = 0; i < out.size(); ++i) {
    if (!out[i].valid) continue;
    packet.append(reinterpret_cast<const char *>(&out[i].flit.data), 8);
    cycles.push_back(i);
    EXPECT_EQ(out[i].flit.last, cycles.size() == 3);
  }
  // The first two pieces take a cycle each and fill no flit.
  EXPECT_EQ(cycles, (std::vector<uint32_t>{2, 3, 4}));
  std::string expected;
  for (int i = 1; i < 6; ++i) expected += static_cast<char>(i);
  for (int i = 20; i < 34; ++i) expected += static_cast<char>(i);
  expected.resize(24);
  EXPECT_EQ(packet, expected);
  EXPECT_EQ(bench.count(2), 3u);
  EXPECT_EQ(bench.nic.read(0x10, 8), kThereIsOne);
}

TEST(Nic, FullQueuesRefuseAndCountsTell) {
  NicBench bench;
  bench.nic.write(0x38, 4, 1 << 16);  // k = 0 stops the link; one flit is still allowed
  bench.nic.advance(1);
  for (int i = 0; i < 20; ++i) bench.send(0, 64, false);
  EXPECT_EQ(bench.count(0), 0u);
  for (int i = 0; i < 17; ++i) bench.give_buffer(0);
  EXPECT_EQ(bench.count(1), 0u);
  bench.nic.advance(100'000);
  EXPECT_EQ(bench.count(2), 0u);
  EXPECT_EQ(bench.nic.next_event(), kNever);
  bench.nic.write(0x38, 4, 1 << 16 | 1);
  bench.nic.advance(200'000);
  // 17 packets were taken, 16 completions fit, one piece waits.
  EXPECT_EQ(bench.count(2), 16u);
  EXPECT_EQ(bench.nic.statistics()["packets_out"], 17);
  EXPECT_EQ(bench.nic.read(0x10, 8), kThereIsOne);
  EXPECT_EQ(bench.count(2), 16u);
}

// The RTL's limiter, cycle by cycle.
class SteppedLimiter {
 public:
  SteppedLimiter(uint32_t increment, uint32_t period)
      : increment_(increment), period_(period), count_(increment) {}
  void set(uint32_t increment, uint32_t period) { increment_ = increment, period_ = period; }
  bool step(bool wants) {
    const bool passes = wants && count_ != 0;
    const uint32_t after = count_ - (passes ? 1 : 0);
    const bool fills = after >= increment_ || timer_ + 1 >= period_;
    count_ = fills ? increment_ : after;
    timer_ = fills ? 0 : timer_ + 1;
    return passes;
  }

 private:
  uint32_t increment_, period_, count_, timer_ = 0;
};

TEST(RateLimiter, PassesWhatTheHardwarePasses) {
  const uint64_t seed = random_seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int round = 0; round < 200; ++round) {
    auto increment = static_cast<uint16_t>(1 + random() % 5);
    auto period = static_cast<uint16_t>(random() % 12);
    RateLimiter limiter(increment, period);
    SteppedLimiter expected(increment, period);
    uint64_t wanted_from = random() % 20;
    for (uint64_t cycle = 0; cycle < 300; ++cycle) {
      const bool passes = expected.step(cycle >= wanted_from);
      const bool passed = cycle >= wanted_from && limiter.next_pass(cycle) == cycle;
      ASSERT_EQ(passed, passes) << "cycle " << cycle;
      if (passed) limiter.pass(cycle);
      if (passed && random() % 4 == 0) wanted_from = cycle + random() % 20;
      if (random() % 50 != 0) continue;
      increment = static_cast<uint16_t>(random() % 5);
      period = static_cast<uint16_t>(random() % 12);
      limiter.set_rate(uint32_t{period} << 16 | increment, cycle + 1);
      expected.set(increment, period);
    }
  }
}

TEST(Nic, PacketIsInMemoryAWordACycleAfterItsEnd) {
  NicBench bench;
  bench.nic.write(0x30, 4, 2);
  bench.give_buffer(4096 + 5);
  bench.arrive(100, 10, 70);
  EXPECT_EQ(bench.nic.next_event(), 109u);
  bench.nic.advance(109);
  EXPECT_EQ(bench.nic.next_event(), 119u);
  bench.nic.advance(118);
  EXPECT_EQ(bench.memory.words[512], 0u);
  EXPECT_FALSE(bench.nic.interrupt());
  bench.nic.advance(119);
  EXPECT_TRUE(bench.nic.interrupt());
  for (uint64_t i = 0; i < 10; ++i) EXPECT_EQ(bench.memory.words[512 + i], 70 + i);
  EXPECT_EQ(bench.memory.writes.back(), (std::pair<uint64_t, uint64_t>(kDramBase + 4096, 80)));
  EXPECT_EQ(bench.nic.read(0x18, 8), kThereIsOne | 80);
  EXPECT_EQ(bench.nic.read(0x18, 8), 0u);
  EXPECT_FALSE(bench.nic.interrupt());
}

TEST(Nic, PacketsThatDoNotFitAreDroppedWhole) {
  NicBench bench;
  uint64_t cycle = 100;
  bench.arrive(cycle, 1153, 0);  // longer than the largest frame
  cycle += 1153;
  for (int i = 0; i < 4; ++i, cycle += 1000) bench.arrive(cycle, 1000, 1000 * (1 + i));
  bench.arrive(cycle, 97, 9);  // 96 words are free
  cycle += 97;
  bench.arrive(cycle, 96, 5);
  cycle += 96;
  bench.nic.advance(cycle);
  EXPECT_EQ(bench.nic.read(0x40, 4), 2u);
  for (int i = 0; i < 6; ++i) bench.give_buffer(16384 * static_cast<uint64_t>(i));
  bench.nic.advance(cycle + 10'000);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(bench.nic.read(0x18, 8), kThereIsOne | 8000);
  EXPECT_EQ(bench.nic.read(0x18, 8), kThereIsOne | 768);
  EXPECT_EQ(bench.memory.words[2048 * 3 + 999], 4999u);
  EXPECT_EQ(bench.memory.words[2048 * 4 + 95], 100u);
}

TEST(Nic, NoMoreThan64PacketsWait) {
  NicBench bench;
  for (uint64_t i = 0; i < 70; ++i) bench.arrive(100 + 10 * i, 2, i);
  bench.nic.advance(1000);
  EXPECT_EQ(bench.nic.read(0x40, 4), 6u);
  EXPECT_EQ(bench.nic.read(0x48, 4), 9216u);
  EXPECT_EQ(bench.nic.read(0x28, 8), 0x0200006d1200u);
}

TEST(Nic, WritingMakesRoomAWordACycle) {
  NicBench bench;
  bench.give_buffer(0);
  for (uint64_t i = 0; i < 4; ++i) bench.arrive(100 + 1024 * i, 1024, i);  // full but for 1024
  bench.arrive(5000, 1100, 0);
  bench.nic.advance(10'000);
  EXPECT_EQ(bench.nic.read(0x40, 4), 1u);  // 1024 free words only
  bench.give_buffer(16384);
  // From 10,000 on a word of the second packet leaves each cycle, so 1100 fit while they arrive.
  bench.arrive(10'010, 1100, 0);
  bench.nic.advance(20'000);
  EXPECT_EQ(bench.nic.read(0x40, 4), 1u);
}

// RFC 1071's own example: 00 01 f2 03 f4 f5 f6 f7 has the sum dd f2.
TEST(InternetChecksum, SumOfTheStandardsExample) {
  const std::vector<uint64_t> words = {0xffff'ffff'ffff'ffff, 0xf7f6'f5f4'03f2'0100};
  EXPECT_EQ(internet_sum(words, 8), 0xf2dd);
}

TEST(Nic, AFrameGoesOutWithTheChecksumThatIsAskedFor) {
  NicBench bench({.checksum = true});
  EXPECT_EQ(bench.nic.read(0x50, 4), 1u);
  // Bytes 8 to 23 of the frame count, in two pieces; the checksum is to lie in bytes 10 and 11.
  bench.memory.words[0] = 0x1111'1111'1111'1111;
  bench.memory.words[1] = 0xf7f6'f5f4'0000'0100;
  bench.memory.words[64] = 0x0203;
  bench.nic.advance(20);
  bench.nic.write(0x58, 4, uint64_t{1} << 31 | 10 << 16 | 8);
  bench.send(0, 16, true);
  bench.send(512, 2, false);
  bench.send(0, 16, false);  // nothing is asked for this one
  bench.nic.advance(200);
  std::vector<uint64_t> flits;
  for (const Token &token : bench.output(20 + kDelay, 200)) {
    if (token.valid) flits.push_back(token.flit.data);
  }
  ASSERT_EQ(flits.size(), 5u);
  EXPECT_EQ(flits[0], bench.memory.words[0]);
  EXPECT_EQ(flits[2], 0x0203u);
  EXPECT_EQ(flits[4], bench.memory.words[1]);
  // With it, the whole adds up to ffff.
  EXPECT_EQ(internet_sum(std::span(flits).first(3), 8), 0xffff);
  EXPECT_EQ(flits[1] & ~0xffff'0000ull, bench.memory.words[1]);
  EXPECT_EQ(bench.count(2), 3u);
}

TEST(Nic, AReceivedFrameComesWithItsSum) {
  NicBench bench({.checksum = true});
  bench.give_buffer(0);
  bench.arrive(100, 4, 0x1'0000'fff0);  // words 2 and 3 count: ...fff2 and ...fff3
  bench.nic.advance(300);
  EXPECT_EQ(bench.nic.read(0x18, 8), kThereIsOne | uint64_t{0xffe8} << 32 | 32);
}

TEST(Nic, AnInterruptIsHeldBackForCyclesOrPackets) {
  NicBench bench({.moderation = true});
  bench.nic.write(0x30, 4, 2);
  bench.nic.write(0x60, 4, 3 << 24 | 500);
  EXPECT_EQ(bench.nic.read(0x60, 4), 3u << 24 | 500);
  for (uint64_t i = 0; i < 4; ++i) bench.give_buffer(4096 * i);
  bench.arrive(100, 10, 0);  // complete in cycle 119
  bench.nic.advance(400);
  EXPECT_FALSE(bench.nic.interrupt());
  EXPECT_EQ(bench.nic.next_event(), 619u);
  bench.nic.advance(618);
  EXPECT_FALSE(bench.nic.interrupt());
  bench.nic.advance(619);
  EXPECT_TRUE(bench.nic.interrupt());
  EXPECT_EQ(bench.nic.next_event(), kNever);
  bench.nic.read(0x18, 8);
  EXPECT_FALSE(bench.nic.interrupt());
  for (uint64_t i = 0; i < 3; ++i) bench.arrive(700 + 20 * i, 2, i);
  bench.nic.advance(742);
  EXPECT_FALSE(bench.nic.interrupt());
  bench.nic.advance(743);  // the third is complete
  EXPECT_TRUE(bench.nic.interrupt());
}

TEST(Nic, FeaturesAreKeptInItsState) {
  NicBench bench({.checksum = true, .moderation = true});
  bench.nic.write(0x38, 4, 1 << 16);  // k = 0 stops the link
  bench.nic.advance(20);
  bench.nic.write(0x60, 4, 77);
  bench.send(0, 64, false);  // one flit of it leaves
  bench.nic.write(0x58, 4, uint64_t{1} << 31 | 2 << 16);
  bench.send(0, 8, true);
  StateWriter writer;
  bench.nic.save(writer);
  NicBench again;
  StateReader reader("a NIC", writer);
  again.nic.load(reader);
  reader.finish();
  EXPECT_EQ(again.nic.read(0x50, 4), 3u);
  EXPECT_EQ(again.nic.read(0x60, 4), 77u);
  again.nic.write(0x38, 4, 1 << 16 | 1);
  again.nic.advance(21);
  again.send(0, 8, false);
  again.nic.advance(200);
  std::vector<uint64_t> flits;
  for (const Token &token : again.output(kDelay, 300)) {
    if (token.valid) flits.push_back(token.flit.data);
  }
  ASSERT_GE(flits.size(), 2u);
  EXPECT_EQ(flits.back(), 0u);
  EXPECT_EQ(flits[flits.size() - 2], 0xffff'0000u);
}

TEST(Nic, WithoutFeaturesTheirRegistersAreNone) {
  NicBench bench;
  bench.nic.write(0x60, 4, 500);
  for (const uint32_t offset : {0x50u, 0x58u, 0x60u}) EXPECT_EQ(bench.nic.read(offset, 4), 0u);
}

}  // namespace
}  // namespace firesim::functional
