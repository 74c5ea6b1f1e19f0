// SPDX-License-Identifier: BSD-3-Clause
// The identity frame: what it says, where it goes among the packets, for any cut of the batches.
#include <cstring>
#include <random>

#include "core/tests/random_seed.h"
#include "devices/nic_settings.h"
#include "support.h"

namespace firesim::devices {
namespace {

nlohmann::json settings() {
  return {{"mac", "00:12:6D:00:00:09"},
          {"announce",
           {{"ip", "172.16.0.9/16"},
            {"name", "node7"},
            {"index", 7},
            {"nodes", 8},
            {"seed", "00112233445566778899aabbccddeeff"}}}};
}

TEST(Announcer, FrameSaysWhoTheNodeIs) {
  const NicSettings nic(settings(), "node7: bridges.nic");
  const auto *bytes = reinterpret_cast<const unsigned char *>(nic.identity_frame.data());
  const unsigned char header[] = {0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                  2, 0, 0,    0,    0,    0,    0x88, 0xb5};
  EXPECT_EQ(std::memcmp(bytes, header, sizeof header), 0);
  const std::string text(reinterpret_cast<const char *>(bytes) + sizeof header);
  EXPECT_EQ(text,
            "firesim-identity 1\nmac=00:12:6D:00:00:09\nip=172.16.0.9/16\nname=node7\nindex=7\n"
            "nodes=8\nseed=00112233445566778899aabbccddeeff\n");
  nlohmann::json with_command = settings();
  with_command["announce"]["run"] = "echo 5";
  const NicSettings other(with_command, "node7: bridges.nic");
  const std::string expected = text + "run=\"echo 5\"\n";
  const char *more = reinterpret_cast<const char *>(other.identity_frame.data()) + sizeof header;
  EXPECT_EQ(std::string(more, expected.size()), expected);
}

TEST(Announcer, BadSettingsAreRefused) {
  nlohmann::json bad = settings();
  bad["announce"]["seed"] = "12";
  EXPECT_EQ(refusal([&] { NicSettings(bad, "node7: bridges.nic"); }),
            "node7: bridges.nic.announce.seed: found \"12\", expected 32 hexadecimal digits");
  bad = settings();
  bad["announce"]["run"] = "echo \"5\"";
  EXPECT_EQ(refusal([&] { NicSettings(bad, "node7: bridges.nic"); }),
            "node7: bridges.nic.announce.run: found \"echo \\\"5\\\"\", expected 1 to 1000 "
            "printable characters without quotation marks");
}

// Exact where 16 bits hold it, else a little slower.
TEST(NicSettings, RateIsThatOfASlowerClock) {
  struct Case {
    uint16_t increment, period;
    uint32_t edges, of;
    uint16_t wanted_increment, wanted_period;
  };
  for (const Case &one : {Case{1, 1, 1, 1, 1, 1}, Case{1, 1, 5, 16, 1, 1}, Case{5, 16, 5, 16, 1, 1},
                          Case{1, 8, 1, 2, 1, 4}, Case{3, 10, 2, 3, 9, 20},
                          Case{1, 60'000, 99'999, 100'000, 1, 60'000}}) {
    nlohmann::json given = settings();
    given["rate_increment"] = one.increment;
    given["rate_period"] = one.period;
    NicSettings nic(given, "node7: bridges.nic");
    nic.rate_on_clock(one.edges, one.of);
    EXPECT_EQ(nic.rate_increment, one.wanted_increment);
    EXPECT_EQ(nic.rate_period, one.wanted_period);
  }
}

// Tokens of `cycles` cycles from 100 on, in packets with gaps; the first begins within a packet.
Batch traffic(std::mt19937_64 &random, uint32_t cycles) {
  Batch batch(100, cycles);
  for (uint32_t at = 0, length = 5; at + length < cycles; length = 1 + random() % 30) {
    for (uint32_t i = 0; i < length; ++i) batch.append_flit(at + i, random(), i + 1 == length);
    at += length + static_cast<uint32_t>(random() % 20);
  }
  return batch;
}

TEST(Announcer, ComesBeforeTheNextPacketAndLosesNothingForAnyCut) {
  const uint64_t seed = random_seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  const Batch all = traffic(random, 1000);
  const std::vector<uint64_t> frame = {1, 2, 3};
  std::vector<Token> first;
  for (int round = 0; round < 20; ++round) {
    Announcer announcer(frame);
    announcer.restore({}, true);
    std::vector<Token> seen;
    for (uint32_t at = 0; at < all.cycles();) {
      const auto cycles = std::min<uint32_t>(all.cycles() - at, 1 + random() % 300);
      Batch part(100 + at, cycles);
      part.append_part(all, at, at + cycles, 0);
      const std::vector<Token> out = announcer.pass(part, 16).dense();
      seen.insert(seen.end(), out.begin(), out.end());
      at += cycles;
    }
    for (uint32_t i = 0; i < 5; ++i) EXPECT_EQ(seen[i], all.dense()[i]);
    for (uint32_t i = 0; i < 3; ++i) EXPECT_EQ(seen[5 + i], (Token{true, {frame[i], i == 2}}));
    std::vector<Flit> flits, expected;
    for (const Token &token : seen) {
      if (token.valid) flits.push_back(token.flit);
    }
    for (const Token &token : all.dense()) {
      if (token.valid) expected.push_back(token.flit);
    }
    flits.erase(flits.begin() + 5, flits.begin() + 8);
    flits.insert(flits.end(), announcer.waiting().begin(), announcer.waiting().end());
    EXPECT_EQ(flits, expected);
    if (round == 0) first = seen;
    EXPECT_EQ(seen, first);
  }
}

TEST(Announcer, WithoutAFrameTokensPassUntouched) {
  Announcer announcer({});
  Batch input(0, 10);
  input.append_flit(3, 7, false);
  EXPECT_EQ(&announcer.pass(input, 16), &input);
  EXPECT_TRUE(announcer.within_packet());
}

}  // namespace
}  // namespace firesim::devices
