// SPDX-License-Identifier: BSD-3-Clause
//
// States: what is written is read back; everything else is refused in one sentence.
#include "core/state.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "core/mapped_memory.h"

namespace firesim {
namespace {

template <typename Function>
std::string refusal(Function read) {
  try {
    read();
  } catch (const SnapshotError &error) {
    return error.what();
  }
  return "accepted";
}

StateWriter sample() {
  StateWriter state;
  state.section("first", 2);
  state.boolean(true);
  state.u64(std::numeric_limits<uint64_t>::max());
  state.i64(-5);
  state.f64(-0.0);
  state.text("a\nb");
  state.section("second", 1);
  const std::vector<uint8_t> bytes = {1, 2, 3};
  state.bytes(bytes);
  const std::vector<uint64_t> words = {7, uint64_t{1} << 63};
  state.u64s(words);
  state.section("empty", 1);
  return state;
}

TEST(State, EveryTypeIsReadBack) {
  const StateWriter writer = sample();
  StateReader state("node0", writer);
  EXPECT_TRUE(state.next_section_is("first"));
  EXPECT_FALSE(state.next_section_is("firs"));
  EXPECT_EQ(state.section("first", 3), 2U);
  EXPECT_TRUE(state.boolean());
  EXPECT_EQ(state.u64(), std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(state.i64(), -5);
  EXPECT_TRUE(std::signbit(state.f64()));
  EXPECT_EQ(state.text(), "a\nb");
  EXPECT_EQ(state.section("second", 1), 1U);
  uint8_t bytes[3];
  state.bytes_into(bytes, 3);
  EXPECT_EQ(bytes[2], 3);
  EXPECT_EQ(state.u64s(2), (std::vector<uint64_t>{7, uint64_t{1} << 63}));
  state.section("empty", 1);
  state.finish();
}

TEST(State, WhatDoesNotFitIsRefused) {
  const StateWriter writer = sample();
  StateReader first("node0", writer);
  EXPECT_EQ(refusal([&] { StateReader("node0", writer).section("second", 1); }),
            "node0: found the section \"first\", expected the section \"second\"");
  EXPECT_EQ(refusal([&] { StateReader("node0", writer).section("first", 1); }),
            "node0: section \"first\": has version 2, expected at most 1 as this FireSim writes");
  first.section("first", 2);
  EXPECT_EQ(refusal([&] { first.u64(); }),
            "node0: section \"first\": found a truth value, expected an unsigned integer");
  StateReader second("node0", writer);
  second.section("first", 2);
  second.boolean();
  EXPECT_EQ(refusal([&] { second.section("second", 1); }),
            "node0: section \"first\": found more values than expected");
  EXPECT_EQ(refusal([&] { second.expect("the size", 64); }),
            "node0: section \"first\": the size is 18446744073709551615, expected 64 as in this "
            "system");
}

TEST(State, CountsAndEndsAreChecked) {
  StateWriter writer;
  writer.section("only", 1);
  writer.bytes(std::vector<uint8_t>(9));
  writer.u64(8);
  StateReader reader("node0", writer);
  reader.section("only", 1);
  EXPECT_EQ(refusal([&] { StateReader(reader).bytes(8); }),
            "node0: section \"only\": found 9 items, expected at most 8");
  uint8_t room[10];
  EXPECT_EQ(refusal([&] { StateReader(reader).bytes_into(room, 10); }),
            "node0: section \"only\": found 9 bytes, expected 10");
  reader.bytes(9);
  EXPECT_EQ(refusal([&] { StateReader(reader).u64(7); }),
            "node0: section \"only\": found 8, expected at most 7");
  EXPECT_EQ(refusal([&] { reader.finish(); }),
            "node0: section \"only\": found more values than expected");
  EXPECT_EQ(reader.u64(), 8U);
  EXPECT_EQ(refusal([&] { reader.boolean(); }),
            "node0: section \"only\": found its end, expected a truth value");
  EXPECT_EQ(refusal([&] { reader.section("next", 1); }),
            "node0: found the end of the state, expected the section \"next\"");
}

// However a state is cut or changed, a reader throws or reads something: it never reads beyond it.
TEST(State, TornStatesAreRefused) {
  const StateWriter writer = sample();
  const auto read_all = [](std::span<const uint8_t> data) {
    StateReader state("node0", data, {});
    state.section("first", 2);
    state.boolean();
    state.u64();
    state.i64();
    state.f64();
    state.text();
    state.section("second", 1);
    state.bytes(100);
    state.u64s(100);
    state.section("empty", 1);
    state.finish();
  };
  read_all(writer.data());
  for (size_t length = 0; length < writer.data().size(); ++length) {
    const std::vector<uint8_t> cut(writer.data().begin(),
                                   writer.data().begin() + static_cast<ptrdiff_t>(length));
    EXPECT_THROW(read_all(cut), SnapshotError) << length;
  }
  for (size_t i = 0; i < writer.data().size() * 8; ++i) {
    std::vector<uint8_t> flipped = writer.data();
    flipped[i / 8] ^= static_cast<uint8_t>(1 << i % 8);
    try {
      read_all(flipped);
    } catch (const SnapshotError &) {
    }
  }
}

TEST(State, RegionsAreCopiedAndChecked) {
  std::vector<uint8_t> memory(10000, 3);
  StateWriter writer;
  writer.region("dram", memory.data(), memory.size());
  StateReader reader("node0", writer);
  const MappedMemory copy = reader.region("dram", memory.size());
  copy.data()[0] = 9;
  EXPECT_EQ(memory[0], 3);
  EXPECT_EQ(copy.data()[9999], 3);
  EXPECT_EQ(refusal([&] { reader.region("dram", 4096); }),
            "node0: the region \"dram\" has 10000 bytes, expected 4096 as in this system");
  EXPECT_EQ(refusal([&] { reader.region("disk", 4096); }), "node0: found no region \"disk\"");
}

TEST(MappedMemory, WritesDoNotReachTheFile) {
  const std::filesystem::path path =
      std::filesystem::path(testing::TempDir()) / ("mapped." + std::to_string(getpid()));
  std::ofstream(path) << std::string(5000, 'x');
  {
    const MappedMemory memory = MappedMemory::copy_on_write(RegularFile(path));
    ASSERT_EQ(memory.size(), 5000U);
    memory.data()[4999] = 'y';
    std::ifstream file(path);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), std::string(5000, 'x'));
  }
  std::filesystem::remove(path);
  // More than most machines have; ThreadSanitizer has 1.5 TiB of addresses for everything.
  constexpr uint64_t kBytes = uint64_t{1} << 38;
  const MappedMemory zeros = MappedMemory::zeros(kBytes);
  EXPECT_EQ(zeros.data()[kBytes - 1], 0);
}

}  // namespace
}  // namespace firesim
