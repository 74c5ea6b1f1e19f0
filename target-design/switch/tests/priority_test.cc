// SPDX-License-Identifier: BSD-3-Clause
//
// The switch with classes, cycle by cycle: order, marks of congestion, pauses, snapshots.
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "core/frame_match.h"
#include "core/tests/random_seed.h"
#include "switch/kinds/priority/priority_switch.h"

namespace firesim::priority {
namespace {

using nlohmann::json;

constexpr uint64_t kMac[] = {0x0200006d1200, 0x0300006d1200, 0x0400006d1200};
constexpr uint64_t kCycles = 4000;

struct Out {
  uint64_t cycle = 0;
  Flit flit;

  bool operator==(const Out &) const = default;
};
using Outs = std::vector<std::vector<Out>>;

std::unique_ptr<PrioritySwitch> make(const json &given,
                                     const std::function<void(SwitchConfig &)> &change = nullptr) {
  SwitchConfig config;
  config.name = "sw";
  config.switching_latency_cycles = 10;
  config.ports.resize(3);
  config.mac_table = {{kMac[0], 0}, {kMac[1], 1}, {kMac[2], 2}};
  if (change) change(config);
  json all = {{"class_by", "pcp"}, {"order", "strict"}};
  if (!given.is_null()) all.update(given);
  Fields fields(all, "settings");
  auto made = std::make_unique<PrioritySwitch>(std::move(config), fields);
  fields.finish();
  return made;
}

std::vector<uint64_t> packed(const std::vector<uint8_t> &frame, size_t flits) {
  std::vector<uint64_t> words(flits);
  for (size_t i = 0; i < frame.size(); ++i) {
    words[(i + kPadBytes) / 8] |= uint64_t{frame[i]} << 8 * ((i + kPadBytes) % 8);
  }
  return words;
}

std::vector<uint8_t> bytes_to(size_t node) {
  std::vector<uint8_t> frame(12);
  for (size_t i = 0; i < 6; ++i) frame[i] = static_cast<uint8_t>(kMac[node] >> 8 * i);
  return frame;
}

std::vector<uint64_t> tagged(size_t to, uint8_t pcp, size_t flits) {
  std::vector<uint8_t> frame = bytes_to(to);
  frame.insert(frame.end(), {0x81, 0, static_cast<uint8_t>(pcp << 5), 1, 0x88, 0xb5});
  return packed(frame, flits);
}

// IPv4 with a right checksum.
std::vector<uint64_t> ip_frame(size_t to, uint8_t tos, size_t flits) {
  std::vector<uint8_t> frame = bytes_to(to);
  frame.insert(frame.end(), {0x08, 0, 0x45, tos, 0,  46, 0x12, 0x34, 0,  0, 64,
                             17,   0, 0,    172, 16, 0,  2,    172,  16, 0, 3});
  uint32_t sum = 0;
  for (size_t i = 14; i < 34; i += 2) sum += uint32_t{frame[i]} << 8 | frame[i + 1];
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  frame[24] = static_cast<uint8_t>(~sum >> 8);
  frame[25] = static_cast<uint8_t>(~sum);
  return packed(frame, flits);
}

uint32_t checksum(std::span<const uint64_t> flits) {
  uint32_t sum = 0;
  for (size_t i = 14; i < 34; i += 2) {
    sum += uint32_t{*frame_byte(flits, i)} << 8 | *frame_byte(flits, i + 1);
  }
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  return sum;
}

class Traffic {
 public:
  Traffic() : inputs_(3, std::vector<Token>(kCycles)) {}
  void put(size_t port, uint64_t cycle, const std::vector<uint64_t> &flits) {
    for (size_t i = 0; i < flits.size(); ++i) {
      inputs_[port].at(cycle + i) = {true, {flits[i], i + 1 == flits.size()}};
    }
  }
  // From `start` to `end`, in pieces of random lengths up to `longest`.
  void drive(PrioritySwitch &device, uint64_t start, uint64_t end, std::mt19937_64 &random,
             uint64_t longest, Outs &outs) const {
    outs.resize(3);
    while (start < end) {
      const auto cycles = static_cast<uint32_t>(std::min(1 + random() % longest, end - start));
      std::vector<Batch> in(3, Batch(start, cycles)), out(3, Batch(start, cycles));
      for (size_t port = 0; port < 3; ++port) {
        for (uint32_t i = 0; i < cycles; ++i) {
          const Token &token = inputs_[port][start + i];
          if (token.valid) in[port].append_flit(i, token.flit.data, token.flit.last);
        }
      }
      device.advance(start, cycles, in, out);
      for (size_t port = 0; port < 3; ++port) {
        const std::vector<Token> dense = out[port].dense();
        for (uint32_t i = 0; i < cycles; ++i) {
          if (dense[i].valid) outs[port].push_back({start + i, dense[i].flit});
        }
      }
      start += cycles;
    }
  }
  Outs whole(PrioritySwitch &device, uint64_t longest = kCycles) const {
    std::mt19937_64 random(1);
    Outs outs;
    drive(device, 0, kCycles, random, longest, outs);
    return outs;
  }

 private:
  std::vector<std::vector<Token>> inputs_;
};

// Cycles of the final flits that left by a port.
std::vector<uint64_t> ends(const std::vector<Out> &outs) {
  std::vector<uint64_t> cycles;
  for (const Out &out : outs) {
    if (out.flit.last) cycles.push_back(out.cycle);
  }
  return cycles;
}
using Ends = std::vector<uint64_t>;

TEST(Priority, TheHighestClassGoesFirst) {
  Traffic traffic;
  traffic.put(0, 0, tagged(1, 1, 10));  // stamped 19, leaves 19 to 28
  traffic.put(0, 10, tagged(1, 2, 4));  // stamped 23
  traffic.put(2, 0, tagged(1, 7, 14));  // stamped 23
  const auto device = make({});
  EXPECT_EQ(ends(traffic.whole(*device)[1]), (Ends{28, 42, 46}));
  const auto in_turn = make({{"order", "in_turn"}});  // class 2 is the next one behind class 1
  EXPECT_EQ(ends(traffic.whole(*in_turn)[1]), (Ends{28, 32, 46}));
  EXPECT_EQ(in_turn->counters(1, 7).packets_out, 1u);
}

TEST(Priority, MarksKeepTheChecksum) {
  for (const uint8_t tos : {0x01, 0x02, 0x03, 0xb9}) {
    std::vector<uint64_t> flits = ip_frame(1, tos, 8);
    ASSERT_TRUE(is_ecn_capable(flits));
    mark_congestion(flits);
    EXPECT_EQ(*frame_byte(flits, 15), tos | 3);
    EXPECT_EQ(checksum(flits), 0xffffu);
  }
  EXPECT_FALSE(is_ecn_capable(ip_frame(1, 0xb8, 8)));
  EXPECT_FALSE(is_ecn_capable(tagged(1, 3, 8)));
  std::vector<uint8_t> frame = bytes_to(1);
  frame.insert(frame.end(), {0x86, 0xdd, 0x6b, 0xa1, 0x23, 0x45});
  std::vector<uint64_t> flits = packed(frame, 8);
  EXPECT_EQ(class_of(flits, ClassBy::kDscp, 0), 5u);
  ASSERT_TRUE(is_ecn_capable(flits));
  mark_congestion(flits);
  EXPECT_EQ(*frame_byte(flits, 15), 0xb1);
  EXPECT_EQ(*frame_byte(flits, 14), 0x6b);
}

TEST(Priority, MarksBeginAboveTheLeastAndAreCertainAboveTheMost) {
  // Frames of 80 bytes from two ports to one: of each pair one more waits.
  Traffic traffic;
  for (size_t i = 0; i < 20; ++i) {
    traffic.put(0, 10 * i, ip_frame(1, 2, 10));
    traffic.put(2, 10 * i, ip_frame(1, i % 2 == 0 ? 0 : 1, 10));
  }
  const auto device = make({{"ecn_least_bytes", 400u}, {"ecn_most_bytes", 400u}});
  const Outs outs = traffic.whole(*device);
  // Above 400 bytes wait before the frames of round 6 on, and before the second one of round 5.
  uint64_t marked = 0;
  for (size_t i = 0; i < outs[1].size(); i += 10) {
    std::vector<uint64_t> flits;
    for (size_t flit = 0; flit < 10; ++flit) flits.push_back(outs[1][i + flit].flit.data);
    EXPECT_EQ(checksum(flits), 0xffffu);
    marked += (*frame_byte(flits, 15) & 3) == 3;
  }
  EXPECT_EQ(marked, device->counters(1, 0).ecn_marked);
  EXPECT_EQ(marked, 14u + 8u);
}

TEST(Priority, APauseFrameIsThatOfTheStandard) {
  PriorityPause pause;
  pause.classes = 0x88;
  pause.quanta[3] = 0x1234;
  pause.quanta[7] = 5;
  const std::vector<uint64_t> flits = pause_frame(pause, 2);
  ASSERT_EQ(flits.size(), 8u);
  const uint8_t expected[] = {1,    0x80, 0xc2, 0, 0, 1, 2, 0,    0,    0, 0, 2, 0x88, 8, 1, 1, 0,
                              0x88, 0,    0,    0, 0, 0, 0, 0x12, 0x34, 0, 0, 0, 0,    0, 0, 0, 5};
  for (size_t i = 0; i < std::size(expected); ++i)
    EXPECT_EQ(frame_byte(flits, i), expected[i]) << i;
  const auto read = read_pause(flits);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->classes, 0x88);
  EXPECT_EQ(read->quanta[3], 0x1234);
  EXPECT_FALSE(read_pause(tagged(1, 3, 8)));
}

std::vector<uint64_t> pausing(uint32_t one_class, uint16_t quanta) {
  PriorityPause pause;
  pause.classes = static_cast<uint8_t>(1u << one_class);
  pause.quanta[one_class] = quanta;
  return pause_frame(pause, 0);
}

TEST(Priority, APausedClassWaitsAndOthersDoNot) {
  Traffic traffic;
  traffic.put(1, 0, pausing(3, 20));       // acts in cycle 8, for 160 cycles
  traffic.put(0, 0, tagged(1, 3, 10));     // stamped 19
  traffic.put(2, 5, tagged(1, 4, 10));     // stamped 24
  traffic.put(0, 300, tagged(1, 3, 100));  // stamped 409, leaves 409 to 508
  traffic.put(1, 405, pausing(3, 100));    // acts in cycle 413, when the frame is leaving
  traffic.put(0, 450, tagged(1, 3, 10));   // stamped 469
  traffic.put(1, 520, pausing(3, 0));      // acts in cycle 528
  const auto device = make({{"pause_classes", {3u}}});
  EXPECT_EQ(ends(traffic.whole(*device)[1]), (Ends{33, 177, 508, 537}));
  EXPECT_EQ(device->counters(1, 3).paused_cycles, 160u + 115u);
  EXPECT_EQ(device->counters(1, 3).pauses_received, 3u);
  const auto deaf = make({});
  EXPECT_EQ(ends(traffic.whole(*deaf)[1]), (Ends{28, 38, 508, 518}));
}

TEST(Priority, TheSenderIsPausedAboveTheMostAndGoesOnAtTheLeast) {
  Traffic traffic;
  for (size_t i = 0; i < 6; ++i) traffic.put(0, 10 * i, tagged(1, 3, 10));
  traffic.put(1, 0, pausing(3, 50));  // acts in cycles 8 to 407
  const auto device = make({{"pause_classes", {3u}},
                            {"pause_ports", {0u}},
                            {"xoff_bytes", 200u},
                            {"xon_bytes", 160u},
                            {"headroom_bytes", 1000u}});
  const Outs outs = traffic.whole(*device);
  // The third frame is stamped in cycle 39: 240 bytes wait. Frames leave from 408 on; the fourth
  // one has left when 160 bytes are left, in cycle 447.
  EXPECT_EQ(ends(outs[0]), (Ends{46, 455}));
  EXPECT_EQ(ends(outs[1]), (Ends{417, 427, 437, 447, 457, 467}));
  EXPECT_EQ(device->counters(0, 3).pauses_sent, 1u);
  EXPECT_EQ(device->counters(0, 3).resumes_sent, 1u);
  EXPECT_EQ(device->counters(0, 3).peak_in_bytes, 480u);
  EXPECT_EQ(device->counters(1).dropped_queue_full, 0u);
  const auto small = make({{"pause_classes", {3u}},
                           {"pause_ports", {0u}},
                           {"xoff_bytes", 200u},
                           {"xon_bytes", 160u},
                           {"headroom_bytes", 200u}});
  traffic.whole(*small);
  EXPECT_EQ(small->counters(1, 3).dropped, 1u);
}

TEST(Priority, APauseWithoutAnEndEndsTheRun) {
  Traffic traffic;
  traffic.put(0, 0, tagged(1, 3, 10));
  traffic.put(1, 0, pausing(3, 100));
  traffic.put(1, 700, pausing(3, 100));
  const auto device = make({{"pause_classes", {3u}}, {"watchdog_cycles", 1000u}});
  try {
    traffic.whole(*device, 7);
    FAIL() << "the run went on";
  } catch (const std::runtime_error &error) {
    EXPECT_STREQ(error.what(),
                 "class 3 of port 1 has been paused since cycle 19 while 80 bytes wait: pauses "
                 "wait for each other in a circle, or nothing is taken");
  }
  EXPECT_EQ(device->statistics()["pauses_that_wait"].size(), 1u);
  const auto patient = make({{"pause_classes", {3u}}, {"watchdog_cycles", 1600u}});
  EXPECT_EQ(ends(traffic.whole(*patient)[1]), (Ends{1517}));
}

TEST(Priority, BatchesAndSnapshotsChangeNothing) {
  const uint64_t seed = random_seed();
  SCOPED_TRACE("FIRESIM_TEST_SEED=" + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int round = 0; round < 30; ++round) {
    Traffic traffic;
    for (size_t port = 0; port < 3; ++port) {
      for (uint64_t at = random() % 20; at < kCycles - 100; at += random() % 30) {
        const size_t flits = 8 + random() % 30, to = random() % 3;
        const auto pcp = static_cast<uint8_t>(random() % 8);
        if (random() % 8 == 0) {
          traffic.put(port, at, pausing(pcp, static_cast<uint16_t>(random() % 40)));
          at += 8;
          continue;
        }
        traffic.put(port, at,
                    random() % 2 == 0 ? ip_frame(to, pcp, flits) : tagged(to, pcp, flits));
        at += flits;
      }
    }
    const json settings = {{"order", round % 2 == 0 ? "strict" : "in_turn"},
                           {"pause_classes", {0u, 3u, 5u}},
                           {"pause_ports", {0u, 1u}},
                           {"xoff_bytes", 500u},
                           {"xon_bytes", 200u},
                           {"ecn_least_bytes", 100u},
                           {"ecn_most_bytes", 2000u},
                           {"ecn_most_percent", 40u}};
    const auto limit = [&](SwitchConfig &config) {
      config.ports[1].rate_increment = 2;
      config.ports[1].rate_period = 3;
      config.ports[2].buffer_bytes = 1000;
    };
    const auto first = make(settings, limit);
    const Outs whole = traffic.whole(*first);
    const auto second = make(settings, limit);
    Outs cut;
    const uint64_t stop = 1 + random() % (kCycles - 1);
    traffic.drive(*second, 0, stop, random, 40, cut);
    StateWriter saved;
    second->save(saved);
    StateReader state("saved", saved);
    const auto third = make(settings, limit);
    third->load(state, stop);
    state.finish();
    traffic.drive(*third, stop, kCycles, random, 40, cut);
    ASSERT_EQ(cut, whole) << "round " << round;
    ASSERT_EQ(third->statistics(), first->statistics()) << "round " << round;
  }
}

}  // namespace
}  // namespace firesim::priority
