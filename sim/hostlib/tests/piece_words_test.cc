// SPDX-License-Identifier: BSD-3-Clause
// Words of values: only what differs is in them, and the target can put it together again.
#include "hostlib/piece_words.h"

#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "core/tests/random_seed.h"

namespace firesim::hostlib {
namespace {

using Message = std::vector<uint64_t>;

// Takes a message apart as rtl/firesim_input_channel.v does; returns the words it needed.
size_t apply(const Message &message, size_t pieces, Words &token) {
  std::vector<size_t> differ;
  const uint64_t near = message[0] >> 48 & 0xff;
  for (size_t piece = 0; piece < kNearDown; ++piece) {
    if ((near >> piece & 1) != 0) differ.push_back(piece);
  }
  size_t next = 1;
  for (size_t base = kNearDown; base < pieces; base += 64, ++next) {
    for (size_t bit = 0; bit < 64; ++bit) {
      if ((message[next] >> bit & 1) != 0) differ.push_back(base + bit);
    }
  }
  size_t done = 0;
  if (near != 0) set_piece(token, differ[done++], static_cast<uint32_t>(message[0]));
  for (; done < differ.size(); done += 2, ++next) {
    set_piece(token, differ[done], static_cast<uint32_t>(message[next]));
    if (done + 1 < differ.size()) {
      set_piece(token, differ[done + 1], static_cast<uint32_t>(message[next] >> 32));
    }
  }
  return next;
}

TEST(PieceWords, ASmallChangeIsOneWord) {
  Message message;
  append_value(message, 3, 0x12345, {0, 0, 5}, {0, 0, 6}, 5);
  EXPECT_EQ(message, Message{0x0310'2345'0000'0006});
}

TEST(PieceWords, AFlitIsTwoWords) {
  Message message;
  append_value(message, 2, 9, {0, 0}, {0x1111'1111'2222'2222, 3}, 4);
  EXPECT_EQ(message, (Message{0x0207'0009'2222'2222, 0x0000'0003'1111'1111}));
}

TEST(PieceWords, RandomTokens) {
  const uint64_t seed = random_seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int round = 0; round < 2000; ++round) {
    const size_t pieces = 1 + random() % 150;
    Words old((pieces + 1) / 2);
    for (size_t piece = 0; piece < pieces; ++piece) {
      set_piece(old, piece, static_cast<uint32_t>(random()));
    }
    Words token = old;
    for (uint64_t changes = random() % 5; changes > 0; --changes) {
      set_piece(token, random() % pieces, static_cast<uint32_t>(random()));
    }
    Message message;
    append_value(message, 7, 100, old, token, pieces);
    EXPECT_EQ(apply(message, pieces, old), message.size());
    EXPECT_EQ(old, token);
  }
}

}  // namespace
}  // namespace firesim::hostlib
