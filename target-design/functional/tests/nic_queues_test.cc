// SPDX-License-Identifier: BSD-3-Clause
// The NIC with several receive queues: published hashes, where frames go, what waits, what is kept
// in its state.
#include <array>
#include <cstring>
#include <random>

#include "core/state.h"
#include "core/tests/random_seed.h"
#include "device_bench.h"
#include "functional/devices/nic.h"
#include "functional/devices/toeplitz.h"

namespace firesim::functional {
namespace {

constexpr uint64_t kThereIsOne = uint64_t{1} << 63;
constexpr uint32_t kRequest = 0x08, kComplete = 0x18, kCounts = 0x20, kMask = 0x30, kTable = 0x80;

// Verification suite of the RSS specification, IPv4: source and destination, their ports, the hash
// with ports and the one without.
struct Published {
  std::array<uint8_t, 8> addresses;
  uint16_t from_port, to_port;
  uint32_t with_ports, without;
};
constexpr Published kPublished[] = {
    {{66, 9, 149, 187, 161, 142, 100, 80}, 2794, 1766, 0x51ccc178, 0x323e8fc2},
    {{199, 92, 111, 2, 65, 69, 140, 83}, 14230, 4739, 0xc626b0ea, 0xd718262a},
    {{24, 19, 198, 95, 12, 22, 207, 184}, 12898, 38024, 0x5c2b394a, 0xd2d0a5de},
    {{38, 27, 205, 30, 209, 142, 163, 6}, 48228, 2217, 0xafc7327f, 0x82989176},
    {{153, 39, 163, 191, 202, 188, 127, 2}, 44251, 1303, 0x10e828a2, 0x5d1809c5},
};

using Frame = std::array<uint64_t, 8>;

// An IPv4 frame as it is on the link.
Frame frame(const Published &flow, uint8_t protocol, uint8_t header = 0x45, uint8_t flags = 0x40) {
  std::array<uint8_t, 64> bytes{};
  bytes[14] = 8;
  bytes[16] = header;
  bytes[22] = flags;
  bytes[25] = protocol;
  std::copy(flow.addresses.begin(), flow.addresses.end(), &bytes[28]);
  bytes[36] = static_cast<uint8_t>(flow.from_port >> 8);
  bytes[37] = static_cast<uint8_t>(flow.from_port);
  bytes[38] = static_cast<uint8_t>(flow.to_port >> 8);
  bytes[39] = static_cast<uint8_t>(flow.to_port);
  Frame words;
  std::memcpy(words.data(), bytes.data(), sizeof words);
  return words;
}

TEST(NicQueues, HashesAreThoseOfTheSpecification) {
  constexpr uint8_t kTcp = 6, kUdp = 17, kIcmp = 1;
  for (const Published &flow : kPublished) {
    EXPECT_EQ(flow_hash(frame(flow, kTcp)), flow.with_ports);
    EXPECT_EQ(flow_hash(frame(flow, kUdp)), flow.with_ports);
    EXPECT_EQ(flow_hash(frame(flow, kIcmp)), flow.without);
    EXPECT_EQ(flow_hash(frame(flow, kTcp, 0x46)), flow.without) << "options";
    EXPECT_EQ(flow_hash(frame(flow, kTcp, 0x45, 0x20)), flow.without) << "more fragments";
    EXPECT_EQ(flow_hash(frame(flow, kTcp, 0x65)), std::nullopt) << "another version";
    Frame other = frame(flow, kTcp);
    EXPECT_EQ(flow_hash(std::span(other).first(4)), std::nullopt) << "cut";
    other[1] = 0;
    EXPECT_EQ(flow_hash(other), std::nullopt) << "another protocol";
  }
}

struct QueuesBench {
  explicit QueuesBench(uint32_t queues) : nic(settings, 1000, memory.memory, {.queues = queues}) {}
  void give_buffer(uint32_t queue, uint64_t offset) {
    nic.write(0x100 * queue + kRequest, 8, kDramBase + offset);
  }
  void arrive(uint64_t cycle, const Frame &words) {
    Batch batch(cycle, words.size());
    for (uint32_t i = 0; i < words.size(); ++i)
      batch.append_flit(i, words[i], i + 1 == words.size());
    nic.arrive(batch);
  }
  uint64_t completion(uint32_t queue) { return nic.read(0x100 * queue + kComplete, 8); }
  uint64_t count(uint32_t queue) { return nic.read(0x100 * queue + kCounts, 4) >> 24; }
  bool raised(uint32_t queue) const {
    return queue == 0 ? nic.interrupt() : nic.more_interrupt(queue - 1);
  }

  TestMemory memory;
  devices::NicSettings settings{{{"mac", "00:12:6D:00:00:02"}}, "nic"};
  Nic nic;
};

class NicQueuesTest : public testing::TestWithParam<uint32_t> {};

TEST_P(NicQueuesTest, FramesGoWhereTheTableSays) {
  const uint32_t queues = GetParam();
  QueuesBench bench(queues);
  const uint64_t seed = random_seed();
  SCOPED_TRACE(testing::Message() << "FIRESIM_TEST_SEED=" << seed);
  std::mt19937_64 random(seed);
  EXPECT_EQ(bench.nic.read(0x50, 4), queues << 8);
  std::array<uint64_t, 4> table{};
  for (uint32_t i = 0; i < table.size(); ++i) {
    EXPECT_EQ(bench.nic.read(kTable + 8 * i, 8), 0u);
    table[i] = random();
    bench.nic.write(kTable + 8 * i, 8, table[i]);
  }
  for (uint32_t queue = 0; queue < queues; ++queue) {
    bench.nic.write(0x100 * queue + kMask, 4, 2);
    for (uint32_t i = 0; i < 16; ++i) bench.give_buffer(queue, 0x1000 * (queue + 1) + 64 * i);
  }
  std::array<std::vector<Frame>, 4> expected;
  for (uint64_t i = 0; i < 16; ++i) {
    Published flow{};
    for (uint8_t &byte : flow.addresses) byte = static_cast<uint8_t>(random());
    flow.from_port = static_cast<uint16_t>(random());
    const Frame words = frame(flow, random() % 2 == 0 ? 6 : 1);
    bench.arrive(100 + 20 * i, words);
    const uint32_t entry = *flow_hash(words) % 128;
    expected[(table[entry / 32] >> (2 * (entry % 32)) & 3) % queues].push_back(words);
  }
  bench.nic.advance(1000);
  for (uint32_t queue = 0; queue < queues; ++queue) {
    EXPECT_EQ(bench.count(queue), expected[queue].size());
    EXPECT_EQ(bench.raised(queue), !expected[queue].empty());
    for (uint32_t i = 0; i < expected[queue].size(); ++i) {
      EXPECT_EQ(bench.completion(queue), kThereIsOne | 64);
      const uint64_t *found = &bench.memory.words[(0x1000 * (queue + 1) + 64 * i) / 8];
      EXPECT_TRUE(std::equal(expected[queue][i].begin(), expected[queue][i].end(), found));
    }
    EXPECT_EQ(bench.completion(queue), 0u);
    EXPECT_FALSE(bench.raised(queue));
  }
}

INSTANTIATE_TEST_SUITE_P(Queues, NicQueuesTest, testing::Values(2, 4));

TEST(NicQueues, AFrameWithoutABufferHoldsUpTheOthersAlsoBehindASnapshot) {
  QueuesBench bench(4);
  for (uint32_t i = 0; i < 4; ++i) bench.nic.write(kTable + 8 * i, 8, UINT64_MAX);
  bench.nic.write(0x330, 4, 2);
  bench.give_buffer(0, 0);
  bench.arrive(100, frame(kPublished[0], 6));  // to queue 3
  bench.arrive(120, Frame{});                  // to queue 0
  EXPECT_EQ(bench.nic.next_event(), 107u);
  bench.nic.advance(1000);
  EXPECT_EQ(bench.nic.next_event(), kNever);
  EXPECT_EQ(bench.count(0) + bench.count(3), 0u);

  StateWriter writer;
  bench.nic.save(writer);
  QueuesBench again(1);  // of which the state makes one with four
  StateReader reader("a NIC", writer);
  again.nic.load(reader);
  reader.finish();
  EXPECT_EQ(again.nic.read(0x50, 4), 0x400u);
  EXPECT_EQ(again.nic.read(kTable, 8), UINT64_MAX);
  again.nic.advance(1000);
  again.give_buffer(3, 64);
  EXPECT_EQ(again.nic.next_event(), 1008u);
  again.nic.advance(1016);
  EXPECT_TRUE(again.raised(3));
  EXPECT_FALSE(again.raised(0));
  EXPECT_EQ(again.count(0), 1u);
  EXPECT_EQ(again.completion(3), kThereIsOne | 64);
}

TEST(NicQueues, ANicWithoutTheOptionHasNoneOfTheRegisters) {
  QueuesBench bench(1);
  EXPECT_EQ(bench.nic.read(0x50, 4), 0u);
  bench.nic.write(kTable, 8, 1);
  EXPECT_EQ(bench.nic.read(kTable, 8), 0u);
  EXPECT_EQ(bench.nic.read(0x120, 4), 0u);
}

}  // namespace
}  // namespace firesim::functional
