// SPDX-License-Identifier: BSD-3-Clause
// The NIC's stream socket: which frames its stages see, when they go on, and who may send.
#include "functional/devices/stream_socket.h"

#include <gtest/gtest.h>

#include "core/state.h"
#include "device_bench.h"
#include "functional/devices/nic.h"

namespace firesim::functional {
namespace {

constexpr uint32_t kDelay = 1000;

// Takes frames that begin with `own`, adds 1 to the first flit of all others, and sends what it is
// given to send.
struct Stage final : StreamStage {
  bool from_link(StreamFrame &frame, uint64_t cycle) override {
    if (frame[0] == own) {
      taken.emplace_back(cycle, frame);
      return false;
    }
    ++frame[0];
    return true;
  }
  bool from_dma(StreamFrame &frame, uint64_t) override {
    frame[0] += 0x100;
    return frame[0] != 0x100;
  }
  bool has_frame() const override { return !to_send.empty(); }
  StreamFrame next_frame(uint64_t) override {
    const StreamFrame frame = to_send.back();
    to_send.pop_back();
    return frame;
  }

  uint64_t own = 7;
  std::vector<std::pair<uint64_t, StreamFrame>> taken;
  std::vector<StreamFrame> to_send;
};

struct Bench {
  explicit Bench(uint32_t stages = 1) : stages_(stages) {
    for (Stage &stage : stages_) nic.add_stage(stage);
  }
  void arrive(uint64_t cycle, const StreamFrame &frame) {
    Batch batch(cycle, frame.size());
    for (uint32_t i = 0; i < frame.size(); ++i) {
      batch.append_flit(i, frame[i], i + 1 == frame.size());
    }
    nic.arrive(batch);
  }
  // A frame of one piece; its words are `first` and on.
  void send(uint64_t first, uint32_t flits) {
    const uint64_t at = 0x100 * sent_++;
    for (uint32_t i = 0; i < flits; ++i) memory.words[at + i] = first + i;
    nic.write(0, 8, (kDramBase + 8 * at) | uint64_t{8 * flits} << 48);
  }
  // What is on the link: the cycle of each flit, without the delay, its data, and the frames' ends.
  using Sent = std::vector<std::tuple<uint64_t, uint64_t, bool>>;
  Sent on_link() {
    Batch batch(kDelay, 10'000);
    nic.move_output(batch, UINT64_MAX);
    Sent found;
    const std::vector<Token> tokens = batch.dense();
    for (uint32_t i = 0; i < tokens.size(); ++i) {
      if (tokens[i].valid) found.emplace_back(i, tokens[i].flit.data, tokens[i].flit.last);
    }
    return found;
  }

  TestMemory memory;
  devices::NicSettings settings{{{"mac", "00:12:6D:00:00:02"}}, "nic"};
  std::vector<Stage> stages_;
  Nic nic{settings, kDelay, memory.memory};
  uint32_t sent_ = 0;
};

TEST(StreamSocket, AStageSeesAFrameInTheCycleOfItsLastFlit) {
  Bench bench;
  bench.nic.write(8, 8, kDramBase + 0x8000);
  bench.arrive(10, {7, 1, 2});
  bench.arrive(20, {3, 4});
  EXPECT_EQ(bench.nic.next_event(), 12u);
  bench.nic.advance(100);
  ASSERT_EQ(bench.stages_[0].taken.size(), 1u);
  EXPECT_EQ(bench.stages_[0].taken[0].first, 12u);
  EXPECT_EQ(bench.stages_[0].taken[0].second, (StreamFrame{7, 1, 2}));
  // The other one goes on, changed.
  EXPECT_EQ(bench.memory.words[0x8000 / 8], 4u);
  EXPECT_EQ(bench.memory.words[0x8000 / 8 + 1], 4u);
  EXPECT_EQ(bench.nic.read(0x18, 8), uint64_t{1} << 63 | 16);
  EXPECT_EQ(bench.nic.read(0x18, 8), 0u);
  EXPECT_EQ(bench.nic.statistics()["packets_in"], 2);
  EXPECT_EQ(bench.nic.statistics()["flits_in"], 5);
}

TEST(StreamSocket, DmaAndStagesTakeTurns) {
  Bench bench;
  bench.nic.advance(10);
  for (const uint64_t first : {0x1000, 0x2000}) bench.send(first, 2);
  bench.stages_[0].to_send = {{0x6}, {0x5}};
  bench.nic.advance(100);
  // The stage's first frame is there at once; DMA's first one when its second flit has been read.
  const Bench::Sent expected = {{11, 0x5, true}, {12, 0x1100, false}, {13, 0x1001, true},
                                {14, 0x6, true}, {15, 0x2100, false}, {16, 0x2001, true}};
  EXPECT_EQ(bench.on_link(), expected);
}

TEST(StreamSocket, DmaIsHeldUpWhenTheLinkIs) {
  Bench bench;
  bench.nic.advance(10);
  bench.nic.write(0x38, 4, 10 << 16 | 1);  // a flit in ten cycles
  for (uint32_t i = 0; i < 10; ++i) bench.send(0x1000 * (i + 1), 4);
  bench.nic.advance(40);
  // One is on the link, two wait, and the fourth had been begun when they did.
  EXPECT_EQ(bench.nic.read(0x20, 4) >> 16 & 0xff, 4u);
  bench.nic.advance(1'000);
  const Bench::Sent sent = bench.on_link();
  ASSERT_EQ(sent.size(), 40u);
  for (uint32_t i = 0; i < 40; ++i) {
    EXPECT_EQ(std::get<1>(sent[i]) & ~0x100ull, 0x1000 * (i / 4 + 1) + i % 4);
    if (i == 0) continue;
    EXPECT_GE(std::get<0>(sent[i]) - std::get<0>(sent[i - 1]), 10u);
  }
  EXPECT_LE(std::get<0>(sent[39]), 420u);
}

TEST(StreamSocket, SeveralStagesStandOneBehindTheOther) {
  Bench bench(2);
  bench.stages_[1].own = 8;
  bench.arrive(10, {6});  // the stage near the link makes 7 of it, which is the other one's
  bench.nic.advance(20);
  EXPECT_EQ(bench.stages_[0].taken.size(), 1u);
  bench.stages_[0].to_send = {{0x1000}};
  bench.nic.advance(21);
  EXPECT_EQ(bench.on_link(), (Bench::Sent{{21, 0x1100, true}}));
}

TEST(StreamSocket, AStateGoesOnAsItWouldHave) {
  const auto run = [](uint64_t save_at) {
    Bench bench;
    bench.nic.advance(10);
    bench.nic.write(0x38, 4, 3 << 16 | 1);
    bench.nic.write(8, 8, kDramBase + 0x8000);
    for (uint32_t i = 0; i < 6; ++i) bench.send(0x1000 * (i + 1), 5);
    bench.arrive(30, {7, 1});
    bench.arrive(40, {3, 4, 5});
    bench.stages_[0].to_send = {{0x6, 0x6}, {0x5}};
    bench.nic.advance(save_at);
    StateWriter writer;
    bench.nic.save(writer);
    Bench other;
    StateReader reader("test", writer);
    other.nic.load(reader);
    reader.finish();
    other.memory.words = bench.memory.words;
    other.stages_[0].to_send = bench.stages_[0].to_send;
    Bench &last = save_at % 2 == 0 ? bench : other;
    last.nic.advance(2'000);
    return std::make_tuple(last.on_link(), last.memory.words, last.nic.statistics());
  };
  for (uint64_t at = 11; at < 150; at += 2) EXPECT_EQ(run(at), run(at + 1)) << at;
}

// For a warm start: what no stage has seen is received again, and nothing else may be under way.
TEST(StreamSocket, WhatStagesHaveNotSeenIsKnown) {
  Bench bench;
  bool cut = true;
  bench.arrive(10, {3, 4, 5, 6});
  bench.nic.advance(11);
  std::vector<Flit> found = bench.nic.unread(cut);
  ASSERT_EQ(found.size(), 4u);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(found[i].data, 3 + i);
    EXPECT_EQ(found[i].last, i == 3);
  }
  EXPECT_FALSE(cut);
  EXPECT_FALSE(bench.nic.holds_seen());
  bench.nic.advance(20);
  EXPECT_TRUE(bench.nic.unread(cut).empty());
  EXPECT_TRUE(bench.nic.holds_seen());  // there is no buffer
  bench.nic.write(8, 8, kDramBase + 0x8000);
  bench.nic.advance(40);
  EXPECT_FALSE(bench.nic.holds_seen());
  bench.nic.read(0x18, 8);
  EXPECT_TRUE(bench.nic.at_rest());
}

TEST(StreamSocket, TheRestOfAFrameThatIsTooLongIsDropped) {
  Bench bench;
  Batch batch(10, 4000);
  for (uint32_t i = 0; i < 3000; ++i) batch.append_flit(i, 3, i == 2999);
  batch.append_flit(3000, 4, true);
  bench.nic.arrive(batch);
  bool cut = false;
  EXPECT_EQ(bench.nic.unread(cut).size(), 3001u);
  bench.nic.advance(2000);
  const std::vector<Flit> found = bench.nic.unread(cut);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].data, 4u);
  EXPECT_FALSE(cut);
  bench.nic.write(8, 8, kDramBase + 0x8000);
  bench.nic.advance(4000);
  EXPECT_FALSE(bench.nic.holds_seen());
}

TEST(StreamSocket, AFrameUnderWayToTheLinkKeepsTheNicFromRest) {
  Bench bench;
  EXPECT_TRUE(bench.nic.at_rest());
  bench.stages_[0].to_send.push_back({1, 2, 3});
  EXPECT_FALSE(bench.nic.at_rest());
  bench.nic.advance(10);
  EXPECT_TRUE(bench.nic.at_rest());
  EXPECT_EQ(bench.nic.unsent().size(), 3u);
}

}  // namespace
}  // namespace firesim::functional
