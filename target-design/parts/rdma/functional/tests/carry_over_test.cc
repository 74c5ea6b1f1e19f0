// SPDX-License-Identifier: BSD-3-Clause
// The RDMA NIC of functional nodes, taken up by another one through nothing but its registers: in
// the middle of messages, in error, with completions that nobody has seen.
#include <random>

#include "core/tests/random_seed.h"
#include "rdma_bench.h"

namespace firesim::functional::rdma {
namespace {

constexpr uint8_t kRights = kRemoteRead | kRemoteWrite;
constexpr uint32_t kWrite = 0, kSend = 2, kRead = 4;

struct Pair : Wire {
  explicit Pair(const End::Settings &settings = {}, const RdmaNic::Options &options = {})
      : Wire(settings, options) {
    std::mt19937_64 random(1);
    for (End *end : {&client, &server}) {
      for (uint64_t i = 0; i < End::kDataBytes / 8; ++i) end->word(End::kData + 8 * i) = random();
    }
    server.give_region(kRights);
  }
  // So many packets of the client arrive; what the server answers waits.
  void send(int packets) {
    for (; packets > 0; --packets) {
      StreamFrame frame = client.nic->next_frame(++now);
      EXPECT_FALSE(server.nic->from_link(frame, now));
    }
  }
};

TEST(RdmaCarryOver, EveryRegisterSaysWhatItSaid) {
  Pair pair({}, {.pages = true});
  pair.server.nic->write(0x50, 8, kDramBase + 0x8000);
  pair.server.nic->write(0x58, 4, 17);
  pair.server.nic->write(0x38, 8, 0x1234);
  pair.server.nic->write(0x150, 4, 99);
  pair.server.nic->write(0x1a0, 4, 3);
  pair.server.nic->write(0xb8, 8, 0x5555);
  pair.client.post(kWrite, 0, 0, 3000);
  pair.client.post(kWrite, 0, 0, 8, 0x108);  // a wrong key
  pair.run();
  for (End *end : {&pair.client, &pair.server}) {
    std::map<uint32_t, uint64_t> before;
    for (uint32_t at = 0; at < 0x1c8; at += 8) before[at] = end->nic->read(at, 8);
    end->take_up(pair.now);
    for (const auto &[at, value] : before) EXPECT_EQ(end->nic->read(at, 8), value) << at;
  }
  EXPECT_EQ(pair.client.nic->read(0x48, 8), uint64_t{1} << End::kQp);
  EXPECT_EQ(pair.client.nic->read(0x30, 8), uint64_t{1} << 4);
  // In error it flushes, behind the two completions that are there.
  pair.client.post(kWrite, 0, 0, 8);
  pair.run();
  const auto found = pair.client.completions(End::kSent);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[2].status, static_cast<uint8_t>(Status::kFlushed));
}

// Two of three packets have arrived; the peer does not know, and sends all of them again.
TEST(RdmaCarryOver, AMessageOfWhichAPartHasArrivedGoesOn) {
  for (const uint32_t opcode : {kWrite, kSend}) {
    for (const bool both : {false, true}) {
      Pair pair;
      pair.server.offer(4096, 1000);
      pair.client.post(opcode, 0, 4096, 700);
      pair.send(2);
      pair.server.take_up(pair.now);
      if (both) pair.client.take_up(pair.now);
      pair.run();
      EXPECT_EQ(pair.opcodes(0).size(), both ? 3u : 1u);
      EXPECT_EQ(pair.server.data(4096, 700), pair.client.data(0, 700));
      const auto sent = pair.client.completions(End::kSent);
      ASSERT_EQ(sent.size(), 1u);
      EXPECT_EQ(sent[0].status, 0);
      const auto received = pair.server.completions(End::kReceived);
      ASSERT_EQ(received.size(), opcode == kSend ? 1u : 0u);
      if (opcode == kSend) {
        EXPECT_EQ(received[0].bytes, 700u);
        EXPECT_EQ(received[0].id, 0u);
      }
    }
  }
}

// What was added is not added again, whatever is sent again.
TEST(RdmaCarryOver, ASumIsMadeOnce) {
  Pair pair({}, {.reduces = true});
  pair.server.give_region(kRights, static_cast<uint64_t>(Reduction::kInt32));
  Pair whole({}, {.reduces = true});
  whole.server.give_region(kRights, static_cast<uint64_t>(Reduction::kInt32));
  for (Pair *one : {&pair, &whole}) one->client.post(kWrite, 0, 0, 1000);
  pair.send(3);
  pair.client.take_up(pair.now);
  pair.server.take_up(pair.now);
  pair.run();
  whole.run();
  EXPECT_EQ(pair.server.data(0, End::kDataBytes), whole.server.data(0, End::kDataBytes));
  EXPECT_EQ(pair.server.counter(kDuplicates), 3u);
}

TEST(RdmaCarryOver, WorkThatWaitsForMessagesKnowsHowManyThereWere) {
  Pair pair({}, {.reduces = true});
  pair.client.post(kWrite, 0, 0, 8, End::kKey, 2);
  for (int message = 0; message < 2; ++message) {
    pair.client.offer(0, 64);
    pair.server.post(kSend, 0, 0, 8);
    EXPECT_EQ(pair.client.completions(End::kSent).size(), 0u);
    pair.run();
    if (message == 0) pair.client.take_up(pair.now);
  }
  EXPECT_EQ(pair.client.completions(End::kSent).size(), 1u);
}

TEST(RdmaCarryOver, WhatIsInTheWayIsSaid) {
  Pair pair({.retries = 0});
  pair.client.post(kRead, 0, 0, 600);
  pair.send(1);
  EXPECT_EQ(pair.client.nic->obstacle(),
            "has work on queue pair 2 that it may not send again (retries 0)");
  EXPECT_EQ(pair.server.nic->obstacle(), "has answers to send");
  pair.run();
  EXPECT_EQ(pair.client.nic->obstacle(), "");
  EXPECT_EQ(pair.server.nic->obstacle(), "");
}

TEST(RdmaCarryOver, RandomMessagesArriveWhereverTheirNicsAreTakenUp) {
  const uint64_t seed = random_seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  int taken_up = 0;
  for (int round = 0; round < 20; ++round) {
    Pair pair({.mtu_code = static_cast<uint32_t>(random() % 3), .timeout_code = 1});
    for (int i = 0; i < 20; ++i) pair.lost[random() % 2].insert(random() % 400);
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
      for (int moves = static_cast<int>(random() % 12); moves > 0; --moves) pair.step();
      for (End *end : {&pair.client, &pair.server}) {
        if (random() % 2 == 0 || !end->nic->obstacle().empty()) continue;
        end->take_up(pair.now);
        ++taken_up;
      }
      // A READ's data must be there before it is written from.
      pair.run(1'000'000);
    }
    EXPECT_EQ(pair.client.data(0, End::kDataBytes), mine);
    EXPECT_EQ(pair.server.data(0, End::kDataBytes), theirs);
    EXPECT_EQ(pair.client.completions(End::kSent).size(), 12u);
  }
  EXPECT_GT(taken_up, 100);
}

}  // namespace
}  // namespace firesim::functional::rdma
