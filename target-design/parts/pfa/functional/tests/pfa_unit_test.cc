// SPDX-License-Identifier: BSD-3-Clause
// The page-fault accelerator of functional nodes: fetches of software and of walks, evictions, what
// is asked again, refusals, and states that are saved.
#include "parts/pfa/functional/pfa_unit.h"

#include <gtest/gtest.h>

#include <cstring>

#include "core/state.h"
#include "functional/tests/device_bench.h"

namespace firesim::functional::pfa {
namespace {

constexpr uint64_t kOwn = 0x0200'006d'1200, kPeer = 0x0300'006d'1200;
constexpr uint64_t kTimeout = 1000, kRights = 0xd6;
constexpr uint32_t kWindow = 0x800'0000, kEntry = kWindow + 0x2008;
constexpr uint64_t kFirstFrame = kDramBase >> kOffsetBits;

uint64_t remote(uint64_t page) { return page << kEntryShift | kRemote | kRights; }

class Bench {
 public:
  explicit Bench(uint64_t tries = 0) {
    unit.write(0x08, 8, kOwn);
    unit.write(0x10, 8, kPeer);
    unit.write(0x18, 4, kTimeout);
    unit.write(0x20, 4, tries);
    unit.write(0x28, 8, kDramBase);
    unit.write(0x00, 4, 1);
  }

  uint64_t status() { return unit.read(0x58, 8); }
  uint64_t &entry(uint32_t offset) { return memory.words[(offset - kWindow) / 8]; }
  uint64_t word_of_frame(uint64_t frame, size_t word) const {
    return memory.words[(frame - kFirstFrame) * kPageWords + word];
  }
  // What it sends now.
  Message sent(uint64_t cycle, StreamFrame *whole = nullptr) {
    EXPECT_TRUE(unit.has_frame());
    const StreamFrame frame = unit.next_frame(cycle);
    EXPECT_EQ(frame.at(0), kPeer << 16);
    EXPECT_EQ(frame.at(1), kEtherType << 48 | kOwn);
    if (whole != nullptr) *whole = frame;
    return {frame.at(2), frame.at(3), frame.at(4)};
  }
  // An answer to it; a page has its number in its first word, and `words` words.
  void answer(uint64_t kind, const Message &asked, uint64_t cycle, size_t words = kShortWords) {
    StreamFrame frame = Message{kind, asked.tag, asked.page}.frame(kPeer, kOwn, words);
    if (kind == kData && words > kHeadWords) frame[kHeadWords] = 0x1234'0000 + asked.page;
    EXPECT_FALSE(unit.from_link(frame, cycle));
  }
  void bring(const Message &asked, uint64_t cycle) {
    answer(kData, asked, cycle, kHeadWords + kPageWords);
  }

  TestMemory memory;
  PfaUnit unit{memory.memory};
};

TEST(PfaUnit, SoftwareFetchesAPage) {
  Bench bench;
  const uint64_t frame = kFirstFrame + 3;
  bench.unit.write(0x40, 8, PageAndFrame{7, frame}.word());
  EXPECT_EQ(bench.status(), uint64_t{1} << 24);
  const Message asked = bench.sent(10);
  EXPECT_EQ(asked.kind, kRead);
  EXPECT_EQ(asked.page, 7u);
  EXPECT_EQ(asked.tag, 1u);
  EXPECT_FALSE(bench.unit.has_frame());
  bench.bring({kRead, 99, 7}, 20);  // late, of another question
  EXPECT_EQ(bench.status(), uint64_t{1} << 24);
  bench.bring(asked, 30);
  EXPECT_EQ(bench.status(), 0u);
  EXPECT_EQ(bench.word_of_frame(frame, 0), 0x1234'0007u);
  EXPECT_EQ(bench.unit.read(0x60, 8), 1u);
  EXPECT_TRUE(bench.unit.is_released());
}

TEST(PfaUnit, AWalkWaitsForItsPage) {
  Bench bench;
  const uint64_t frame = kFirstFrame + 5;
  bench.entry(kEntry) = remote(9);
  EXPECT_EQ(bench.unit.read_entry(kEntry), remote(9)) << "no frame is free";
  bench.unit.write(0x30, 8, frame);
  bench.unit.advance(100);
  EXPECT_FALSE(bench.unit.read_entry(kEntry).has_value());
  EXPECT_FALSE(bench.unit.read_entry(kEntry).has_value()) << "as after a snapshot";
  EXPECT_FALSE(bench.unit.is_released());
  EXPECT_EQ(bench.status(), 1u) << "the frame is free until the page is in it";
  bench.bring(bench.sent(110), 400);
  EXPECT_TRUE(bench.unit.is_released());
  EXPECT_FALSE(bench.unit.is_released());
  const uint64_t now = frame << kEntryShift | kRights | kValid;
  EXPECT_EQ(bench.unit.read_entry(kEntry), now);
  EXPECT_EQ(bench.entry(kEntry), now);
  EXPECT_EQ(bench.word_of_frame(frame, 0), 0x1234'0009u);
  EXPECT_EQ(bench.status(), 1u << 8);
  EXPECT_EQ(bench.unit.read(0x38, 8), (uint64_t{1} << 63 | PageAndFrame{9, frame}.word()));
  EXPECT_EQ(bench.unit.read(0x38, 8), 0u);
  EXPECT_EQ(bench.unit.read(0x78, 8), 2u);
  EXPECT_EQ(bench.unit.read(0x88, 8), 300u);
}

TEST(PfaUnit, PagesAreEvictedOneByOne) {
  Bench bench;
  for (uint64_t page = 0; page < PfaUnit::kEvictions + 1; ++page) {
    bench.memory.words[page * kPageWords] = 100 + page;
    bench.unit.write(0x48, 8, PageAndFrame{page, kFirstFrame + page}.word());
  }
  EXPECT_EQ(bench.status() >> 16 & 0xff, PfaUnit::kEvictions) << "the last one is refused";
  for (uint64_t page = 0; page < PfaUnit::kEvictions; ++page) {
    StreamFrame whole;
    const Message sent = bench.sent(10 * page, &whole);
    EXPECT_EQ(sent.kind, kWrite);
    EXPECT_EQ(sent.tag, page + 1);
    EXPECT_EQ(whole.size(), kHeadWords + kPageWords);
    EXPECT_EQ(whole[kHeadWords], 100 + page);
    EXPECT_FALSE(bench.unit.has_frame());
    bench.answer(kWritten, sent, 10 * page + 5);
  }
  EXPECT_EQ(bench.unit.read(0x68, 8), PfaUnit::kEvictions);
  EXPECT_EQ(bench.status(), 0u);
}

TEST(PfaUnit, APageOnItsWayOutIsNotAskedFor) {
  Bench bench;
  bench.unit.write(0x48, 8, PageAndFrame{4, kFirstFrame}.word());
  bench.unit.write(0x40, 8, PageAndFrame{4, kFirstFrame + 1}.word());
  const Message written = bench.sent(10);
  EXPECT_EQ(written.kind, kWrite);
  EXPECT_FALSE(bench.unit.has_frame());
  bench.answer(kWritten, written, 20);
  EXPECT_EQ(bench.sent(30).kind, kRead);
}

TEST(PfaUnit, AsksAgainAndGivesUp) {
  Bench bench(2);
  bench.entry(kEntry) = remote(6);
  bench.unit.write(0x30, 8, kFirstFrame + 5);
  EXPECT_FALSE(bench.unit.read_entry(kEntry).has_value());
  const Message first = bench.sent(100);
  EXPECT_EQ(bench.unit.next_event(), 100 + kTimeout + 1);
  bench.unit.advance(100 + kTimeout + 1);
  bench.bring(first, 1102);  // it is to be asked for again: nothing is awaited
  EXPECT_EQ(bench.unit.read(0x60, 8), 0u);
  const Message second = bench.sent(1110);
  EXPECT_EQ(second.tag, first.tag);
  bench.answer(kData, second, 1200);  // no whole page
  bench.sent(1210);
  EXPECT_FALSE(bench.unit.is_released());
  bench.unit.advance(1210 + kTimeout + 1);
  EXPECT_TRUE(bench.unit.is_released());
  EXPECT_EQ(bench.unit.read_entry(kEntry), remote(6)) << "the entry as it is";
  EXPECT_EQ(bench.unit.read(0x70, 4), 2u);
  EXPECT_EQ(bench.status(), 1u);
}

TEST(PfaUnit, OtherFramesPass) {
  Bench bench;
  StreamFrame other = Message{kData, 1, 1}.frame(kPeer, kOwn, kShortWords);
  other[1] = kPeer | uint64_t{0x0008} << 48;
  EXPECT_TRUE(bench.unit.from_link(other, 10));
  StreamFrame elsewhere = Message{kData, 1, 1}.frame(kPeer, kPeer, kShortWords);
  EXPECT_TRUE(bench.unit.from_link(elsewhere, 11));
  bench.unit.write(0x00, 4, 0);
  StreamFrame ours = Message{kData, 1, 1}.frame(kPeer, kOwn, kShortWords);
  EXPECT_TRUE(bench.unit.from_link(ours, 12));
}

TEST(PfaUnit, GoesOnFromASavedState) {
  Bench bench, other;
  bench.entry(kEntry) = other.entry(kEntry) = remote(9);
  bench.unit.write(0x30, 8, kFirstFrame + 5);
  EXPECT_FALSE(bench.unit.read_entry(kEntry).has_value());
  const Message asked = bench.sent(110);
  bench.unit.write(0x48, 8, PageAndFrame{4, kFirstFrame}.word());
  StateWriter writer;
  bench.unit.save(writer);
  StateReader reader("test", writer);
  other.unit.load(reader);
  for (Bench *each : {&bench, &other}) {
    each->bring(asked, 400);
    EXPECT_EQ(each->unit.read_entry(kEntry), (kFirstFrame + 5) << kEntryShift | kRights | kValid);
    EXPECT_EQ(each->sent(410).kind, kWrite);
    EXPECT_EQ(each->unit.read(0x78, 8), 1u);
    EXPECT_EQ(each->status(), 1u << 16 | 1u << 8);
  }
}

TEST(PfaUnit, IsCarriedIntoRtlUntilItHasWorked) {
  Bench bench, fresh;
  EXPECT_FALSE(bench.unit.carry_over()->obstacle().empty());
  bench.unit.write(0x00, 4, 0);
  EXPECT_TRUE(bench.unit.carry_over()->obstacle().empty());
  fresh.unit.write(0x08, 8, 0);
  fresh.unit.write(0x18, 4, 5);
  PartSteps steps;
  RegisterSteps into(0, steps);
  bench.unit.carry_over()->restore(into);
  follow(steps.first, fresh.unit);
  EXPECT_EQ(fresh.unit.read(0x08, 8), kOwn);
  EXPECT_EQ(fresh.unit.read(0x18, 4), kTimeout);
  bench.unit.write(0x00, 4, 1);
  bench.unit.write(0x40, 8, PageAndFrame{7, kFirstFrame}.word());
  bench.bring(bench.sent(10), 20);
  bench.unit.write(0x00, 4, 0);
  EXPECT_EQ(bench.unit.carry_over()->obstacle(), "has been at work");
}

}  // namespace
}  // namespace firesim::functional::pfa
