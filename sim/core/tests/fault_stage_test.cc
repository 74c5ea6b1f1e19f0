// SPDX-License-Identifier: BSD-3-Clause
//
// Faults of links: what comes out in which cycle, whatever the batches, and over snapshots.
#include "core/fault_stage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "core/channel.h"
#include "core/tests/random_seed.h"

namespace firesim {
namespace {

using nlohmann::json;

struct Out {
  uint64_t cycle = 0;
  uint64_t data = 0;
  bool last = false;

  bool operator==(const Out &) const = default;
};
using Outs = std::vector<Out>;

class Faults : public testing::Test {
 protected:
  Faults()
      : folder_(std::filesystem::path(testing::TempDir()) /
                testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::filesystem::create_directories(folder_);
  }
  ~Faults() override { std::filesystem::remove_all(folder_); }

  LinkFaults rules(const json &list, uint64_t seed = 1, uint64_t buffer_bytes = 1 << 20) const {
    const json all = {{"seed", seed},
                      {"buffer_bytes", buffer_bytes},
                      {"log", (folder_ / "log.csv").string()},
                      {"rules", list}};
    return read_link_faults(all, "faults", "a--b a_to_b");
  }
  std::string log() const {
    std::ifstream file(folder_ / "log.csv");
    std::stringstream text;
    text << file.rdbuf();
    return text.str().substr(text.str().find('\n') + 1);
  }

  const std::filesystem::path folder_;
};

// Frames of `flits` flits each, frame i (from 1) with data 0x1000 * i + flit, `gap` cycles apart.
Batch frames(uint32_t count, uint32_t flits, uint32_t gap, uint32_t cycles) {
  Batch batch(0, cycles);
  for (uint32_t i = 0; i < count; ++i) {
    for (uint32_t flit = 0; flit < flits; ++flit) {
      batch.append_flit(i * (flits + gap) + flit, 0x1000 * (i + 1) + flit, flit + 1 == flits);
    }
  }
  return batch;
}

void add_out(const Batch &batch, Outs &outs) {
  for (const Run &run : batch.runs()) {
    for (uint32_t i = 0; i < run.length; ++i) {
      outs.push_back(
          {batch.start_cycle() + run.offset + i, run.data[i], run.last && i + 1 == run.length});
    }
  }
}

// What a stage gives of the tokens, cut after random numbers of cycles up to `longest`.
void pass(FaultStage &stage, const Batch &in, uint32_t from, std::mt19937_64 &random,
          uint32_t longest, Outs &outs) {
  while (from < in.cycles()) {
    const auto cycles = static_cast<uint32_t>(1 + random() % longest);
    const uint32_t to = std::min(in.cycles(), from + cycles);
    Batch part(from, to - from);
    part.append_part(in, from, to, 0);
    stage.apply(part);
    add_out(part, outs);
    from = to;
  }
}

Outs given(LinkFaults faults, const Batch &in, uint32_t longest = UINT32_MAX) {
  FaultStage stage(std::move(faults));
  std::mt19937_64 random(1);
  Outs outs;
  pass(stage, in, 0, random, longest, outs);
  return outs;
}

// One line a frame: the cycle of its first flit, and its data.
std::string firsts(const Outs &outs) {
  std::string text;
  bool first = true;
  for (const Out &out : outs) {
    if (first) text += std::to_string(out.cycle) + ":" + std::to_string(out.data / 0x1000) + " ";
    first = out.last;
  }
  return text;
}

TEST_F(Faults, ADroppedFrameIsMissingAndTheOthersAreInTheirCycles) {
  const json drop = R"([{"fault": "drop", "frames": [2]}])"_json;
  EXPECT_EQ(firsts(given(rules(drop), frames(3, 4, 6, 40))), "0:1 20:3 ");
  EXPECT_EQ(log(), "10,2,drop,\n");
  const json every = R"([{"fault": "drop", "every": 2}])"_json;
  EXPECT_EQ(firsts(given(rules(every), frames(5, 1, 3, 40))), "0:1 8:3 16:5 ");
}

TEST_F(Faults, ACopyFollowsItsFrameAndPushesTheNextBack) {
  const json twice = R"([{"fault": "duplicate", "frames": [1], "copies": 2}])"_json;
  EXPECT_EQ(firsts(given(rules(twice), frames(3, 4, 2, 60))), "0:1 4:1 8:1 12:2 16:3 ");
  EXPECT_EQ(log(), "0,1,duplicate,2 copies\n");
}

TEST_F(Faults, ADelayedFrameIsOvertaken) {
  const json late = R"([{"fault": "delay", "frames": [1], "cycles": 13}])"_json;
  // Ready in cycle 13, while frame 3 is sent from 12 on.
  EXPECT_EQ(firsts(given(rules(late), frames(3, 4, 2, 60))), "6:2 12:3 16:1 ");
}

TEST_F(Faults, AFrameIsBehindAsManyAsItIsToBe) {
  const json behind =
      R"([{"fault": "behind", "frames": [1], "behind_frames": 2, "cycles": 1000}])"_json;
  EXPECT_EQ(firsts(given(rules(behind), frames(4, 4, 0, 60))), "4:2 8:3 12:1 16:4 ");
  EXPECT_EQ(log(), "0,1,behind,2 frames\n");
  const json soon =
      R"([{"fault": "behind", "frames": [2], "behind_frames": 9, "cycles": 30}])"_json;
  EXPECT_EQ(firsts(given(rules(soon), frames(4, 4, 0, 60))), "0:1 8:3 12:4 34:2 ");
}

TEST_F(Faults, BitsAreCountedFromTheAddressOn) {
  // Bit 0 is in byte 2 of the first flit, behind the pads; bit 49 in byte 0 of the second one.
  const json corrupt = R"([{"fault": "corrupt", "frames": [1], "bits": [49, 0, 9999]}])"_json;
  const Outs outs = given(rules(corrupt), frames(1, 2, 0, 9));
  EXPECT_EQ(outs, (Outs{{0, 0x1000 ^ 1 << 16, false}, {1, 0x1001 ^ 2, true}}));
  EXPECT_EQ(log(), "0,1,corrupt,bit 0\n0,1,corrupt,bit 49\n");
}

TEST_F(Faults, BitErrorsHaveTheirRateAndSpareThePads) {
  const uint32_t flits = 100'000;
  Batch in(0, flits);
  for (uint32_t i = 0; i < flits; ++i) in.append_flit(i, 0, i % 100 == 99);
  const json noise =
      R"([{"fault": "bit_errors", "probability": {"numerator": 1, "denominator": 6400}}])"_json;
  std::vector<uint64_t> flipped(64);
  uint64_t errors = 0;
  for (const Out &out : given(rules(noise), in)) {
    ASSERT_LE(std::popcount(out.data), 1);
    if (out.data == 0) continue;
    ++errors;
    if (out.cycle % 100 == 0) {
      EXPECT_GE(std::countr_zero(out.data), 16);
    }
    ++flipped[static_cast<size_t>(std::countr_zero(out.data))];
  }
  // A flit in a hundred: 1,000 with a deviation of 31; each of 64 bits 15.6 with one of 4.
  EXPECT_NEAR(static_cast<double>(errors), 1000, 150);
  EXPECT_LT(*std::max_element(flipped.begin(), flipped.end()), 40u);
  EXPECT_GT(*std::min_element(flipped.begin(), flipped.end()), 1u);
}

// Frames by what a match looks at: IPv4, tagged IPv4, IPv6, and an ARP.
std::vector<uint64_t> flits_of(std::vector<uint8_t> bytes) {
  bytes.insert(bytes.begin(), {0, 0});
  bytes.resize((bytes.size() + 7) / 8 * 8);
  std::vector<uint64_t> flits(bytes.size() / 8);
  for (size_t i = 0; i < bytes.size(); ++i) flits[i / 8] |= uint64_t{bytes[i]} << 8 * (i % 8);
  return flits;
}

std::vector<uint8_t> udp_frame(bool tagged, bool is_6, uint8_t words) {
  std::vector<uint8_t> bytes = {0, 0x12, 0x6d, 0, 0, 3, 0, 0x12, 0x6d, 0, 0, 2};
  const auto add = [&bytes](std::initializer_list<uint8_t> more) {
    bytes.insert(bytes.end(), more);
  };
  if (tagged) add({0x81, 0x00, 0x60, 0x01});
  is_6 ? add({0x86, 0xdd}) : add({0x08, 0x00});
  const size_t ip = bytes.size();
  bytes.resize(ip + (is_6 ? 40 : 4 * words));
  bytes[ip] = is_6 ? 0x60 : 0x40 | words;
  bytes[ip + (is_6 ? 6 : 9)] = 17;
  add({0x04, 0xd2, 0x12, 0xb7, 0, 8, 0, 0});
  return bytes;
}

TEST_F(Faults, AMatchReadsHeaders) {
  const FrameMatch port(R"({"destination_port": 4791, "source_port": 1234})"_json, "match");
  EXPECT_EQ(port.flits_needed(), 11u);
  for (const bool tagged : {false, true}) {
    EXPECT_TRUE(port.matches(flits_of(udp_frame(tagged, false, 5))));
    EXPECT_TRUE(port.matches(flits_of(udp_frame(tagged, false, 15))));
    EXPECT_TRUE(port.matches(flits_of(udp_frame(tagged, true, 0))));
  }
  std::vector<uint8_t> fragment = udp_frame(false, false, 5);
  fragment[14 + 7] = 1;
  EXPECT_FALSE(port.matches(flits_of(fragment)));
  EXPECT_FALSE(port.matches(std::vector<uint64_t>{0}));
  const FrameMatch flow(R"({"destination": "00:12:6D:00:00:03", "source": "00:12:6D:00:00:02",
      "ethertype": 34525, "protocol": 17,
      "bytes": [{"at": 1, "value": "106d", "mask": "f0ff"}]})"_json,
                        "match");
  EXPECT_TRUE(flow.matches(flits_of(udp_frame(true, true, 0))));
  EXPECT_FALSE(flow.matches(flits_of(udp_frame(true, false, 5))));
  EXPECT_FALSE(FrameMatch(R"({"source": "00:12:6D:00:00:03"})"_json, "match")
                   .matches(flits_of(udp_frame(false, false, 5))));
}

TEST_F(Faults, OnlyFramesThatMatchAreCounted) {
  const json third = R"([{"fault": "drop", "frames": [2],
      "match": {"bytes": [{"at": 10, "value": "00", "mask": "10"}]}}])"_json;
  // Byte 10 is bits 39:32 of the second flit.
  Batch in(0, 100);
  for (uint32_t i = 0; i < 6; ++i) {
    in.append_flit(10 * i, 0x1000 * (i + 1), false);
    in.append_flit(10 * i + 1, i % 2 == 0 ? 0 : uint64_t{0x10} << 32, true);
  }
  // The fate is known a cycle after the first flit, so all are a cycle later within the link.
  EXPECT_EQ(firsts(given(rules(third), in)), "1:1 11:2 31:4 41:5 51:6 ");
}

TEST_F(Faults, AFullBufferDropsAndAnEndlessFrameIsCut) {
  const json hold = R"([{"fault": "delay", "cycles": 100000}])"_json;
  FaultStage stage(rules(hold, 1, 1600));
  Batch in = frames(300, 1, 1, 1000);
  stage.apply(in);
  EXPECT_EQ(stage.counts().dropped_buffer_full, 100u);
  EXPECT_EQ(stage.counts().held, 200u);
  const json noop = R"([{"fault": "drop", "frames": [7]}])"_json;
  FaultStage endless(rules(noop));
  Batch many(0, 70'000);
  for (uint32_t i = 0; i < 70'000; ++i) many.append_flit(i, i, i == 69'999);
  endless.apply(many);
  EXPECT_EQ(many.flit_count(), 65'536u);
  EXPECT_TRUE(many.runs().back().last);
  EXPECT_EQ(endless.counts().cut, 1u);
}

Batch random_tokens(std::mt19937_64 &random, uint32_t cycles) {
  Batch batch(0, cycles);
  for (uint32_t at = 0; at < cycles; ++at) {
    if (random() % 8 == 0) at += static_cast<uint32_t>(random() % 30);
    if (at < cycles) batch.append_flit(at, random(), random() % 6 == 0);
  }
  return batch;
}

json random_rules(std::mt19937_64 &random) {
  json rules = R"([{"fault": "drop"}, {"fault": "duplicate"}, {"fault": "delay"},
                   {"fault": "behind", "cycles": 200},
                   {"fault": "bit_errors", "probability": {"numerator": 1, "denominator": 999}}])"_json;
  json match = R"({"bytes": [{"value": "00", "mask": "01"}]})"_json;
  match["bytes"][0]["at"] = random() % 40;
  rules[0]["match"] = rules[3]["match"] = match;
  for (const size_t rule : {0, 2, 3}) {
    rules[rule]["probability"]["numerator"] = 1u;
    rules[rule]["probability"]["denominator"] = 1 + random() % 9;
  }
  rules[1]["every"] = 1 + random() % 5;
  rules[2]["cycles"] = 1 + random() % 90;
  rules[3]["behind_frames"] = 1 + random() % 4;
  return rules;
}

TEST_F(Faults, BatchesAndSnapshotsChangeNothing) {
  const uint64_t seed = random_seed();
  SCOPED_TRACE("FIRESIM_TEST_SEED=" + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int round = 0; round < 40; ++round) {
    const json list = random_rules(random);
    const Batch in = random_tokens(random, 3000);
    const Outs whole = given(rules(list), in);
    FaultStage stage(rules(list));
    Outs cut;
    const auto stop = static_cast<uint32_t>(1 + random() % 2900);
    Batch first(0, stop);
    first.append_part(in, 0, stop, 0);
    pass(stage, first, 0, random, 50, cut);
    FaultStage again(rules(list));
    again.start_at(stop);
    again.load(stage.save(), "saved", stop);
    pass(again, in, stop, random, 50, cut);
    ASSERT_EQ(cut, whole) << "round " << round;
  }
}

// A channel whose rules take nothing is one without faults, to the last cycle of its hash; also if
// it goes on from a snapshot of such a one.
TEST_F(Faults, RulesThatTakeNothingChangeNothing) {
  const uint64_t seed = random_seed();
  SCOPED_TRACE("FIRESIM_TEST_SEED=" + std::to_string(seed));
  std::mt19937_64 random(seed);
  const json never =
      R"([{"fault": "drop", "frames": [1000000], "match": {"destination_port": 9}}])"_json;
  const uint32_t latency = 64;
  Channel plain(latency), faulty(latency), later(latency);
  faulty.set_faults(std::make_unique<FaultStage>(rules(never)));
  later.set_faults(std::make_unique<FaultStage>(rules(never)));
  EXPECT_EQ(faulty.available(), latency - 10u);
  // No gaps within a frame, so that the fate of each is known soon enough.
  Batch in(0, 4000);
  for (uint32_t at = 0; at < 3900; at += static_cast<uint32_t>(random() % 3)) {
    for (uint64_t left = 1 + random() % 20; left > 0; --left) {
      in.append_flit(at++, random(), left == 1);
    }
  }
  const uint32_t stop = 1973;
  const auto step = [&](Channel &channel, uint32_t from, uint32_t to, Outs &outs) {
    for (uint32_t at = from; at < to; ++at) {
      Batch out, one(at, 1);
      channel.take(at, 1, out);
      add_out(out, outs);
      one.append_part(in, at, at + 1, 0);
      channel.push(one);
    }
  };
  Outs by_plain, by_faulty, by_later;
  step(plain, 0, stop, by_plain);
  by_later = by_plain;
  later.restore(plain.state(), "the link");
  step(plain, stop, 4000, by_plain);
  step(later, stop, 4000, by_later);
  step(faulty, 0, 4000, by_faulty);
  EXPECT_EQ(by_faulty, by_plain);
  EXPECT_EQ(by_later, by_plain);
  EXPECT_EQ(faulty.totals().hash, plain.totals().hash);
  EXPECT_EQ(later.totals().hash, plain.totals().hash);
  EXPECT_EQ(later.totals().packets, plain.totals().packets);
}

TEST_F(Faults, ASnapshotWithHeldFramesNeedsFaults) {
  const json late = R"([{"fault": "delay", "cycles": 500}])"_json;
  Channel faulty(100);
  faulty.set_faults(std::make_unique<FaultStage>(rules(late)));
  Batch out, in = frames(2, 4, 2, 20);
  faulty.take(0, 20, out);
  faulty.push(in);
  Channel plain(100), other(100);
  EXPECT_THROW(plain.restore(faulty.state(), "link a--b"), SnapshotError);
  const json further = R"([{"fault": "drop", "match": {"ethertype": 2048}}])"_json;
  other.set_faults(std::make_unique<FaultStage>(rules(further)));
  EXPECT_THROW(other.restore(faulty.state(), "link a--b"), SnapshotError);
}

TEST_F(Faults, BadRulesAreRefused) {
  const json bad = R"([
    {"fault": "lose"},
    {"fault": "delay"},
    {"fault": "corrupt", "bits": []},
    {"fault": "drop", "every": 0},
    {"fault": "drop", "every": 2, "frames": [1]},
    {"fault": "drop", "frames": [0]},
    {"fault": "drop", "probability": {"numerator": 2, "denominator": 1}},
    {"fault": "bit_errors"},
    {"fault": "bit_errors", "probability": {"numerator": 1, "denominator": 63}},
    {"fault": "drop", "match": {"source": "here"}},
    {"fault": "drop", "match": {"bytes": [{"at": 1, "value": "0g"}]}},
    {"fault": "drop", "match": {"bytes": [{"at": 1, "value": "00", "mask": "0000"}]}},
    {"fault": "drop", "cycles": 4}])"_json;
  for (const json &rule : bad) {
    json list = json::array();
    list.push_back(rule);
    EXPECT_THROW(rules(list), DescriptionError) << rule;
  }
  EXPECT_THROW(rules(json::array()), DescriptionError);
  EXPECT_NO_THROW(rules(R"([{"fault": "drop", "match": {"ethertype": 2048}}])"_json));
}

}  // namespace
}  // namespace firesim
