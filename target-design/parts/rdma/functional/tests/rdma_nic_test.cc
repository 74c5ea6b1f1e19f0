// SPDX-License-Identifier: BSD-3-Clause
// The RDMA NIC of functional nodes: which packets a message has and what comes back, what is in
// memory then, and what becomes of messages whose packets are lost or must not be.
#include <cstring>
#include <random>

#include "core/tests/random_seed.h"
#include "rdma_bench.h"

namespace firesim::functional::rdma {
namespace {

using Opcodes = std::vector<uint8_t>;
constexpr uint8_t kRights = kRemoteRead | kRemoteWrite;
constexpr uint32_t kWrite = 0, kWriteImmediate = 1, kSend = 2, kRead = 4;

void fill(End &end, uint64_t seed) {
  std::mt19937_64 random(seed);
  for (uint64_t i = 0; i < End::kDataBytes / 8; ++i) end.word(End::kData + 8 * i) = random();
}

struct Pair : Wire {
  explicit Pair(const End::Settings &settings = {}, const RdmaNic::Options &options = {})
      : Wire(settings, options) {
    fill(client, 1);
    fill(server, 2);
    server.give_region(kRights);
  }
  uint8_t status() {
    const auto found = client.completions(End::kSent);
    EXPECT_EQ(found.size(), 1u);
    return found.empty() ? 0xff : found[0].status;
  }
};

TEST(RdmaNic, AWriteIsCutIntoPacketsOfTheMtu) {
  Pair pair;
  pair.client.post(kWrite, 8, 16, 1024);
  pair.run();
  EXPECT_EQ(pair.opcodes(0), (Opcodes{0x06, 0x07, 0x07, 0x08}));
  EXPECT_EQ(pair.opcodes(1), (Opcodes{0x11}));
  EXPECT_EQ(pair.server.data(16, 1024), pair.client.data(8, 1024));
  EXPECT_EQ(pair.status(), 0);
  EXPECT_EQ(pair.client.counter(kPacketsSent), 4u);
  EXPECT_EQ(pair.client.counter(kPacketsReceived), 1u);
}

TEST(RdmaNic, AReadTakesAsManyNumbersAsItHasResponses) {
  Pair pair;
  pair.client.post(kRead, 3, 5, 1000);
  pair.client.post(kWrite, 4096, 4096, 1);
  pair.run();
  EXPECT_EQ(pair.opcodes(0), (Opcodes{0x0c, 0x0a}));
  EXPECT_EQ(pair.opcodes(1), (Opcodes{0x0d, 0x0e, 0x0e, 0x0f, 0x11}));
  const RxPacket write = parse(pair.sent[0][1], false);
  EXPECT_EQ(write.psn, psn_add(0xff'fffe, 4));
  EXPECT_EQ(pair.client.data(3, 1000), pair.server.data(5, 1000));
}

TEST(RdmaNic, ASendWaitsForAReceiveRequest) {
  Pair pair;
  pair.client.post(kSend, 0, 0, 100);
  pair.run();
  EXPECT_EQ(pair.client.counter(kNotReadyReceived), 1u);
  pair.server.offer(8192, 128);
  pair.run(40'000);  // 10 us are 32,000 cycles
  EXPECT_EQ(pair.server.data(8192, 100), pair.client.data(0, 100));
  const auto received = pair.server.completions(End::kReceived);
  ASSERT_EQ(received.size(), 1u);
  EXPECT_EQ(received[0].bytes, 100u);
  EXPECT_EQ(received[0].flags, 4);
  EXPECT_EQ(pair.status(), 0);
}

TEST(RdmaNic, AnImmediateMakesACompletionAtThePeer) {
  Pair pair;
  pair.server.offer(0, 0);
  pair.server.nic->write(0x38, 8, ~uint64_t{0});
  EXPECT_FALSE(pair.server.nic->interrupt());
  pair.client.post(kWriteImmediate, 0, 0, 300);
  pair.run();
  EXPECT_EQ(pair.opcodes(0), (Opcodes{0x06, 0x09}));
  const auto received = pair.server.completions(End::kReceived);
  ASSERT_EQ(received.size(), 1u);
  EXPECT_EQ(received[0].immediate, 0x55aau);
  EXPECT_EQ(received[0].flags, 5);
  EXPECT_TRUE(pair.server.nic->interrupt());
  EXPECT_EQ(pair.server.nic->read(0x30, 8), uint64_t{1} << 5);
  pair.server.nic->write(0x30, 8, uint64_t{1} << 5);
  EXPECT_FALSE(pair.server.nic->interrupt());
}

TEST(RdmaNic, WhatMustNotBeDoneIsRefusedAndMemoryUntouched) {
  const auto refused = [](uint32_t opcode, uint64_t remote, uint64_t bytes, uint32_t key,
                          uint64_t rights) {
    Pair pair;
    pair.server.give_region(rights);
    const std::vector<uint64_t> before = pair.server.memory.words;
    pair.client.post(opcode, 0, remote, bytes, key);
    pair.client.post(kWrite, 0, 0, 8);  // flushed
    pair.run();
    EXPECT_EQ(pair.server.memory.words, before);
    const auto found = pair.client.completions(End::kSent);
    EXPECT_EQ(found.size(), 2u);
    if (found.size() != 2) return Status::kSuccess;
    EXPECT_EQ(found[1].status, static_cast<uint8_t>(Status::kFlushed));
    EXPECT_EQ(pair.client.nic->read(0x48, 8), uint64_t{1} << End::kQp);
    return static_cast<Status>(found[0].status);
  };
  EXPECT_EQ(refused(kWrite, 0, 8, 0x108, kRights), Status::kRemoteAccess);
  EXPECT_EQ(refused(kWrite, 0, 8, End::kKey, kRemoteRead), Status::kRemoteAccess);
  EXPECT_EQ(refused(kRead, 0, 8, End::kKey, kRemoteWrite), Status::kRemoteAccess);
  EXPECT_EQ(refused(kWrite, End::kDataBytes - 7, 8, End::kKey, kRights), Status::kRemoteAccess);
  EXPECT_EQ(refused(kWrite, UINT64_MAX, 8, End::kKey, kRights), Status::kRemoteAccess);
}

TEST(RdmaNic, AReadStopsWhenItsRegionIsTakenBack) {
  Pair pair;
  pair.client.post(kRead, 0, 0, 1024);
  StreamFrame frame = pair.client.nic->next_frame(++pair.now);
  pair.server.nic->from_link(frame, pair.now);
  frame = pair.server.nic->next_frame(++pair.now);
  EXPECT_EQ(parse(frame, false).opcode, kReadFirst);
  pair.client.nic->from_link(frame, pair.now);
  pair.server.command(3, End::kKey >> 8, {});
  pair.run();
  EXPECT_EQ(pair.opcodes(1), (Opcodes{kAcknowledge}));
  EXPECT_EQ(pair.status(), static_cast<uint8_t>(Status::kRemoteAccess));
}

// Any one packet of a message, in either direction.
TEST(RdmaNic, ALostPacketIsMadeUpFor) {
  for (const uint32_t opcode : {kWrite, kSend, kRead}) {
    for (uint32_t direction = 0; direction < 2; ++direction) {
      for (size_t packet = 0; packet < 4; ++packet) {
        Pair pair({.mtu_code = 1, .timeout_code = 1});
        pair.server.offer(0, 2000);
        pair.lost[direction].insert(packet);
        pair.client.post(opcode, 4096, 0, 2000);
        pair.run(100'000);
        EXPECT_EQ(pair.server.data(0, 2000), pair.client.data(4096, 2000));
        EXPECT_EQ(pair.status(), 0) << opcode << " " << direction << " " << packet;
        const bool was_lost = pair.sent[direction].size() > packet;
        EXPECT_EQ(pair.client.counter(kWentBack) != 0, was_lost);
      }
    }
  }
}

TEST(RdmaNic, RetriesAreLimited) {
  Pair pair({.timeout_code = 1, .retries = 3});
  for (size_t i = 0; i < 100; ++i) pair.lost[0].insert(i);
  pair.client.post(kWrite, 0, 0, 8);
  pair.run(10'000'000);
  EXPECT_EQ(pair.sent[0].size(), 4u);
  EXPECT_EQ(pair.client.counter(kTimedOut), 4u);
  EXPECT_EQ(pair.status(), static_cast<uint8_t>(Status::kRetriesExceeded));
}

TEST(RdmaNic, ANicThatReducesAddsWhatIsWritten) {
  Pair pair({}, {.reduces = true});
  pair.server.give_region(kRights, static_cast<uint64_t>(Reduction::kInt32));
  std::vector<uint32_t> wanted(300);
  for (size_t i = 0; i < wanted.size(); ++i) {
    uint32_t a = 0, b = 0;
    std::memcpy(&a, pair.client.at(End::kData + 4 * i), 4);
    std::memcpy(&b, pair.server.at(End::kData + 4 + 4 * i), 4);
    wanted[i] = a + b;
  }
  pair.client.post(kWrite, 0, 4, 4 * wanted.size());
  pair.run();
  EXPECT_EQ(std::memcmp(pair.server.at(End::kData + 4), wanted.data(), 4 * wanted.size()), 0);
}

TEST(RdmaNic, WorkWaitsForMessagesAndWhatWasLostBeforeItDoesNot) {
  Pair pair({.timeout_code = 1}, {.reduces = true});
  pair.lost[0].insert(0);
  pair.client.post(kWrite, 0, 0, 8);
  pair.client.post(kWrite, 0, 0, 8, End::kKey, 1);
  pair.run(100'000);
  EXPECT_EQ(pair.client.completions(End::kSent).size(), 1u);
  EXPECT_EQ(pair.client.counter(kTimedOut), 1u);
  pair.client.offer(0, 64);
  pair.server.post(kSend, 0, 0, 8);
  pair.run(100'000);
  EXPECT_EQ(pair.client.completions(End::kSent).size(), 1u);
}

// Pages of the server's data in the order of a table, which is another one than that of memory.
TEST(RdmaNic, ARegionMayBeOfPagesThatATableLists) {
  Pair pair({}, {.pages = true});
  constexpr uint64_t kTable = kDramBase + 0x8000, kPages = End::kDataBytes / 4096;
  const auto page_of = [](uint64_t index) { return End::kData + (index * 7 + 3) % kPages * 4096; };
  for (uint64_t i = 0; i < kPages; ++i) pair.server.word(kTable + 8 * (i + 2)) = page_of(i) | 1;
  pair.server.nic->write(0x50, 8, kTable);
  pair.server.nic->write(0x58, 4, kPages + 2);
  EXPECT_EQ(pair.server.nic->read(0x40, 4) >> 24, 2u);
  pair.server.give_region(kRights, 0, uint64_t{1} << 47 | 2 * 4096);
  const auto in_pages = [&](uint64_t offset, uint64_t bytes) {
    std::vector<uint8_t> found;
    for (uint64_t at = offset; at < offset + bytes; ++at) {
      found.push_back(*pair.server.at(page_of(at / 4096) + at % 4096));
    }
    return found;
  };
  pair.client.post(kWrite, 0, 4000, 10'000);
  pair.client.post(kRead, 0x8000, 0x5f00, 5'000);
  pair.run();
  EXPECT_EQ(in_pages(4000, 10'000), pair.client.data(0, 10'000));
  EXPECT_EQ(in_pages(0x5f00, 5'000), pair.client.data(0x8000, 5'000));
  EXPECT_FALSE(pair.server.memory.end.ended());
  // Behind the table there is no memory, as at any other place where there is none.
  pair.server.nic->write(0x58, 4, 3);
  pair.client.post(kWrite, 0, 8192, 8);
  pair.run();
  EXPECT_TRUE(pair.server.memory.end.ended());
}

TEST(RdmaNic, RandomMessagesArriveWithAnyPacketsLostAndAfterAnySnapshot) {
  const uint64_t seed = random_seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int round = 0; round < 20; ++round) {
    Pair pair({.mtu_code = static_cast<uint32_t>(random() % 3), .timeout_code = 1});
    for (int i = 0; i < 40; ++i) pair.lost[random() % 2].insert(random() % 400);
    std::vector<uint8_t> mine = pair.client.data(0, End::kDataBytes);
    std::vector<uint8_t> theirs = pair.server.data(0, End::kDataBytes);
    for (int message = 0; message < 12; ++message) {
      const uint64_t bytes = random() % 3000, local = random() % 30'000, remote = random() % 30'000;
      const bool reads = random() % 2 != 0;
      pair.client.post(reads ? kRead : kWrite, local, remote, bytes);
      std::vector<uint8_t> &to = reads ? mine : theirs;
      const std::vector<uint8_t> &from = reads ? theirs : mine;
      std::copy_n(from.begin() + (reads ? remote : local), bytes,
                  to.begin() + (reads ? local : remote));
      if (random() % 2 != 0) pair.run(random() % 20'000);
      pair.client.replace();
      pair.server.replace();
      // A READ's data must be there before it is written from.
      pair.run(1'000'000);
    }
    EXPECT_EQ(pair.client.data(0, End::kDataBytes), mine);
    EXPECT_EQ(pair.server.data(0, End::kDataBytes), theirs);
    EXPECT_EQ(pair.client.completions(End::kSent).size(), 12u);
  }
}

// As a switch does: the two bits say so, and the checksum of the header follows.
void mark(StreamFrame &frame) {
  frame[2] |= 0x300;
  const uint16_t sum = __builtin_bswap16(static_cast<uint16_t>(frame[3] >> 16));
  const uint64_t less = __builtin_bswap16(static_cast<uint16_t>(sum - 1));
  frame[3] = (frame[3] & ~uint64_t{0xffff'0000}) | less << 16;
}

TEST(RdmaNic, ARateHoldsDataBackUntilItsCreditIsThere) {
  Pair pair;
  for (End *end : {&pair.client, &pair.server}) end->nic->write(0x140, 4, 1);
  EXPECT_EQ(pair.client.nic->read(0x1a8, 4), 204'800u);
  // A packet that a switch has marked: the server tells the client, whose rate is halved.
  pair.client.post(kWrite, 0, 0, 256);
  StreamFrame frame = pair.client.nic->next_frame(++pair.now);
  EXPECT_EQ(frame[2] >> 8 & 3, 2u);  // may be marked
  mark(frame);
  pair.server.nic->from_link(frame, pair.now);
  pair.run();
  pair.client.nic->advance(pair.now += 64);
  EXPECT_EQ(pair.opcodes(1), (Opcodes{kNotification, kAcknowledge}));
  EXPECT_EQ(pair.client.counter(kNotificationsReceived), 1u);
  EXPECT_EQ(pair.server.counter(kNotificationsSent), 1u);
  pair.client.nic->write(0x1a0, 4, End::kQp);
  EXPECT_EQ(pair.client.nic->read(0x1a8, 4), 102'400u);
  EXPECT_EQ(pair.client.nic->read(0x1b8, 4), 1u << 20);
  // At half of the rate a frame of 330 bytes takes 82.5 cycles, and there is one a round at most.
  const uint64_t begin = pair.now;
  pair.client.post(kWrite, 0, 0, 10 * 256);
  pair.run(10'000);
  EXPECT_EQ(pair.opcodes(0).size(), 10u);
  EXPECT_GE(pair.now - begin, 9u * 64);
}

}  // namespace
}  // namespace firesim::functional::rdma
