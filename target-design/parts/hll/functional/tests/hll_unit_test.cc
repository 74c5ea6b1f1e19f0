// SPDX-License-Identifier: BSD-3-Clause
// The HyperLogLog unit of functional nodes: known hashes, which packets are found, registers.
#include "parts/hll/functional/hll_unit.h"

#include <gtest/gtest.h>

#include <numeric>

#include "core/state.h"
#include "functional/tests/device_bench.h"

namespace firesim::functional::hll {
namespace {

constexpr uint16_t kPort = 5001;
constexpr uint32_t kLook = 1, kCount = 2, kConsume = 4;

struct Packet {
  std::vector<uint32_t> keys;
  uint16_t port = kPort, fragment = 0x4000;
  uint8_t version = 0x45, protocol = 17;
  int more_bytes = 0;  // that the UDP header announces

  StreamFrame frame() const {
    std::vector<uint8_t> bytes(44);
    const auto put = [&](size_t at, uint32_t value) {
      bytes[at] = static_cast<uint8_t>(value >> 8);
      bytes[at + 1] = static_cast<uint8_t>(value);
    };
    put(14, 0x0800);
    bytes[16] = version;
    put(22, fragment);
    bytes[25] = protocol;
    put(38, port);
    put(40, static_cast<uint32_t>(8 + 4 * static_cast<int>(keys.size()) + more_bytes));
    for (const uint32_t key : keys) {
      for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<uint8_t>(key >> (8 * i)));
    }
    bytes.resize((bytes.size() + 7) / 8 * 8);
    StreamFrame flits(bytes.size() / 8);
    for (size_t i = 0; i < bytes.size(); ++i) flits[i / 8] |= uint64_t{bytes[i]} << (8 * (i % 8));
    return flits;
  }
};

bool give(HllUnit &unit, const Packet &packet, uint64_t cycle = 1000) {
  StreamFrame frame = packet.frame();
  return unit.from_link(frame, cycle);
}

std::vector<uint8_t> read_all(HllUnit &unit) {
  std::vector<uint8_t> found;
  unit.write(0x20, 4, 0);
  for (uint32_t i = 0; i < kRegisters / 8; ++i) {
    const uint64_t word = unit.read(0x28, 8);
    for (int byte = 0; byte < 8; ++byte) found.push_back(static_cast<uint8_t>(word >> (8 * byte)));
  }
  return found;
}

// Worked out with mmh3 5.3.
TEST(HllUnit, HashesAreThePublicOnes) {
  EXPECT_EQ(hash(0), 0xe6d9'8faf'7def'3b0eu);
  EXPECT_EQ(hash(1), 0xc228'29e2'b549'52adu);
  EXPECT_EQ(hash(2), 0x4931'37ad'cf13'1144u);
  EXPECT_EQ(hash(3), 0x328b'e64d'f923'7d99u);
}

TEST(HllUnit, RegistersKeepTheGreatestRank) {
  HllUnit unit({});
  unit.write(0x00, 4, kLook | kCount);
  EXPECT_TRUE(give(unit, {.keys = {0, 1, 2, 3, 0, 0}}));
  EXPECT_EQ(unit.read(0x30, 4), 1u);
  EXPECT_EQ(unit.read(0x38, 8), 6u);
  EXPECT_EQ(unit.read(0x28, 8), 0u);  // it is still looking
  unit.write(0x00, 4, 0);
  std::vector<uint8_t> expected(kRegisters);
  for (const uint32_t key : {0u, 1u, 2u, 3u}) {
    const uint64_t hashed = hash(key);
    int rank = 1;
    while ((hashed >> (rank - 1) & 1) == 0) ++rank;
    expected[hashed >> 48] = static_cast<uint8_t>(rank);
  }
  EXPECT_EQ(read_all(unit), expected);
  EXPECT_EQ(unit.read(0x20, 4), 0u);  // it has gone all around
  unit.write(0x18, 4, 1);
  EXPECT_EQ(read_all(unit), std::vector<uint8_t>(kRegisters));
  EXPECT_EQ(unit.read(0x30, 4), 0u);
}

TEST(HllUnit, OnlyItsPacketsAreFound) {
  HllUnit unit({});
  const auto found = [&](const Packet &packet) {
    const uint64_t before = unit.read(0x30, 4);
    EXPECT_TRUE(give(unit, packet));
    return unit.read(0x30, 4) - before;
  };
  EXPECT_EQ(found({.keys = {1}}), 0u);  // it does not look
  unit.write(0x00, 4, kLook);
  EXPECT_EQ(found({.keys = {1}}), 1u);
  EXPECT_EQ(found({.keys = {1}, .port = kPort + 1}), 0u);
  EXPECT_EQ(found({.keys = {1}, .fragment = 0x2000}), 0u);
  EXPECT_EQ(found({.keys = {1}, .fragment = 1}), 0u);
  EXPECT_EQ(found({.keys = {1}, .version = 0x46}), 0u);
  EXPECT_EQ(found({.keys = {1}, .protocol = 6}), 0u);
  unit.write(0x08, 4, kPort + 1);
  EXPECT_EQ(found({.keys = {1}, .port = kPort + 1}), 1u);
  StreamFrame shorter = Packet{}.frame();
  shorter.resize(4);
  EXPECT_TRUE(unit.from_link(shorter, 1000));
  EXPECT_EQ(unit.read(0x30, 4), 2u);
}

TEST(HllUnit, KeysAreThoseThatAreAnnouncedAndThere) {
  HllUnit unit({});
  unit.write(0x00, 4, kLook);
  give(unit, {.keys = {1, 2, 3}, .more_bytes = 400});  // three and the rest of the last flit
  EXPECT_EQ(unit.read(0x38, 8), 3u);
  give(unit, {.keys = {1, 2, 3, 4}, .more_bytes = -5});
  EXPECT_EQ(unit.read(0x38, 8), 5u);
  give(unit, {.keys = {1}, .more_bytes = -8});
  EXPECT_EQ(unit.read(0x38, 8), 5u);
}

TEST(HllUnit, TimeIsFromTheFirstFlitToTheLast) {
  HllUnit unit({});
  unit.write(0x00, 4, kLook | kConsume);
  const uint64_t flits = Packet{.keys = {1, 2, 3}}.frame().size();
  EXPECT_FALSE(give(unit, {.keys = {1, 2, 3}}, 1000));
  EXPECT_EQ(unit.read(0x40, 8), flits);
  EXPECT_FALSE(give(unit, {.keys = {1}}, 1500));
  EXPECT_EQ(unit.read(0x40, 8), flits + 500);
  unit.write(0x18, 4, 1);  // refused while it looks
  EXPECT_EQ(unit.read(0x30, 4), 2u);
}

TEST(HllUnit, GoesOnFromASnapshot) {
  std::vector<uint32_t> keys(300);
  std::iota(keys.begin(), keys.end(), 7);
  HllUnit unit({}), other({.lanes = 1, .port = 9});
  unit.write(0x00, 4, kLook | kCount);
  give(unit, {.keys = keys});
  StateWriter writer;
  unit.save(writer);
  StateReader reader("test", writer);
  reader.set_cycle(1000);
  other.load(reader);
  reader.finish();
  for (HllUnit *one : {&unit, &other}) give(*one, {.keys = {1, 2}}, 2000);
  for (HllUnit *one : {&unit, &other}) one->write(0x00, 4, 0);
  EXPECT_EQ(other.read(0x40, 8), unit.read(0x40, 8));
  EXPECT_EQ(other.read(0x38, 8), 302u);
  EXPECT_EQ(read_all(other), read_all(unit));
}

TEST(HllUnit, SoftwareCanBringItWhereAnotherOneStands) {
  for (const uint32_t control : {0u, kLook | kCount, kLook | kCount | kConsume}) {
    std::vector<uint32_t> keys(300);
    std::iota(keys.begin(), keys.end(), 7);
    HllUnit unit({}), other({.lanes = 1, .port = 9});
    unit.write(0x00, 4, kLook | kCount);
    give(unit, {.keys = keys}, 5000);
    unit.write(0x00, 4, control);
    unit.write(0x20, 4, 24);
    for (HllUnit *one : {&unit, &other}) one->advance(6000);
    PartSteps steps;
    RegisterSteps told(0, steps);
    unit.restore(told);
    follow(steps.first, other);
    follow(steps.late, other);
    for (const uint32_t offset : {0x00u, 0x08u, 0x20u, 0x30u, 0x38u, 0x40u, 0x48u}) {
      EXPECT_EQ(other.read(offset, 8), unit.read(offset, 8)) << offset;
    }
    for (HllUnit *one : {&unit, &other}) give(*one, {.keys = {1, 2}}, 7000);
    EXPECT_EQ(other.read(0x40, 8), unit.read(0x40, 8));
    for (HllUnit *one : {&unit, &other}) one->write(0x00, 4, 0);
    EXPECT_EQ(read_all(other), read_all(unit));
  }
}

TEST(HllUnit, NothingIsSetWhileItCounts) {
  HllUnit unit({});
  unit.write(0x28, 8, 0x0203'0000'0000'0001);
  EXPECT_EQ(unit.read(0x20, 4), 8u);
  unit.write(0x00, 4, kLook);
  for (const uint32_t offset : {0x28u, 0x30u, 0x38u, 0x40u, 0x48u}) unit.write(offset, 8, 5);
  EXPECT_EQ(unit.read(0x30, 4) + unit.read(0x38, 8) + unit.read(0x40, 8) + unit.read(0x48, 8), 0u);
  unit.write(0x00, 4, 0);
  unit.write(0x20, 4, 0);
  EXPECT_EQ(unit.read(0x28, 8), 0x0203'0000'0000'0001u);
  EXPECT_EQ(unit.read(0x28, 8), 0u);
}

}  // namespace
}  // namespace firesim::functional::hll
