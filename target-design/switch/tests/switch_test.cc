// SPDX-License-Identifier: BSD-3-Clause
//
// Single rules of the switch, cycle by cycle, where the fuzzer proves the whole; and its files.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "switch/kinds/cut_through/cut_through.h"
#include "switch/store_and_forward.h"

namespace firesim {
namespace {

constexpr uint64_t kMacA = 0x0200006d1200;
constexpr uint64_t kMacB = 0x0300006d1200;

SwitchConfig three_ports() {
  SwitchConfig config;
  config.name = "sw";
  config.switching_latency_cycles = 10;
  config.ports.resize(3);
  config.mac_table = {{kMacA, 0}, {kMacB, 1}};
  return config;
}

// Drives a switch alone: `in[port]` and the result have one token per cycle.
using Tokens = std::vector<std::vector<Token>>;

Tokens drive(StoreAndForwardSwitch &device, const Tokens &in, uint32_t chunk) {
  const size_t cycles = in[0].size();
  Tokens out(in.size());
  for (uint64_t start = 0; start < cycles; start += chunk) {
    const auto count = static_cast<uint32_t>(std::min<uint64_t>(chunk, cycles - start));
    std::vector<Batch> inputs(in.size(), Batch(start, count));
    std::vector<Batch> outputs(in.size(), Batch(start, count));
    for (size_t port = 0; port < in.size(); ++port) {
      for (uint32_t offset = 0; offset < count; ++offset) {
        const Token &token = in[port][start + offset];
        if (token.valid) inputs[port].append_flit(offset, token.flit.data, token.flit.last);
      }
    }
    device.advance(start, count, inputs, outputs);
    for (size_t port = 0; port < in.size(); ++port) {
      const std::vector<Token> dense = outputs[port].dense();
      out[port].insert(out[port].end(), dense.begin(), dense.end());
    }
  }
  device.finish(cycles);
  return out;
}

void put(Tokens &in, size_t port, size_t cycle, uint64_t mac, size_t flits) {
  for (size_t i = 0; i < flits; ++i) {
    in[port][cycle + i] = {true, {i == 0 ? mac << 16 : i, i + 1 == flits}};
  }
}

Tokens silence(size_t cycles = 200) { return Tokens(3, std::vector<Token>(cycles)); }

size_t first_cycle(const std::vector<Token> &tokens) {
  size_t cycle = 0;
  while (cycle < tokens.size() && !tokens[cycle].valid) ++cycle;
  return cycle;
}

TEST(Switch, AOneFlitPacketTakesTheSwitchingLatency) {
  for (const uint32_t chunk : {1u, 3u, 200u}) {
    StoreAndForwardSwitch device(three_ports());
    Tokens in = silence();
    put(in, 0, 17, kMacB, 1);
    const Tokens out = drive(device, in, chunk);
    EXPECT_EQ(first_cycle(out[1]), 27u);
    EXPECT_EQ(first_cycle(out[0]), 200u);
    EXPECT_EQ(first_cycle(out[2]), 200u);
  }
}

TEST(Switch, StoresThenForwards) {
  StoreAndForwardSwitch device(three_ports());
  Tokens in = silence();
  put(in, 0, 5, kMacB, 4);
  EXPECT_EQ(first_cycle(drive(device, in, 7)[1]), 5u + 3 + 10);
}

TEST(Switch, CutThroughForwardsAtTheFirstFlit) {
  CutThroughSwitch device(three_ports());
  Tokens in = silence();
  put(in, 0, 5, kMacB, 4);
  EXPECT_EQ(first_cycle(drive(device, in, 7)[1]), 5u + 10);
}

TEST(Switch, EqualStampsGoInOrderOfPort) {
  SwitchConfig config = three_ports();
  config.mac_table = {{kMacB, 1}};
  StoreAndForwardSwitch device(config);
  Tokens in = silence();
  put(in, 2, 8, kMacB, 3);
  put(in, 0, 9, kMacB, 2);  // both end in cycle 10
  const Tokens out = drive(device, in, 200);
  EXPECT_TRUE(out[1][21].valid && out[1][21].flit.last);
  EXPECT_TRUE(out[1][24].valid && out[1][24].flit.last);
}

TEST(Switch, ARateLimitCountsFlitsPerWindow) {
  SwitchConfig config = three_ports();
  config.switching_latency_cycles = 0;
  config.ports[1].rate_increment = 2;
  config.ports[1].rate_period = 5;
  for (const uint32_t chunk : {1u, 4u, 200u}) {
    StoreAndForwardSwitch device(config);
    Tokens in = silence();
    put(in, 0, 0, kMacB, 4);  // ends in cycle 3
    const Tokens out = drive(device, in, chunk);
    std::vector<size_t> cycles;
    for (size_t i = 0; i < 200; ++i) {
      if (out[1][i].valid) cycles.push_back(i);
    }
    EXPECT_EQ(cycles, (std::vector<size_t>{3, 4, 5, 6}));
    EXPECT_EQ(device.counters(1).bytes_out, 32u);
  }
}

TEST(Switch, AFullQueueDropsAndAFreedOneDoesNot) {
  SwitchConfig config = three_ports();
  config.ports[1].buffer_bytes = 32;
  StoreAndForwardSwitch device(config);
  Tokens in = silence();
  put(in, 0, 0, kMacB, 4);  // forwarded in cycle 13, leaves in 13 to 16
  put(in, 2, 2, kMacB, 4);  // cycle 15: full
  put(in, 0, 4, kMacB, 3);  // cycle 16: the last flit leaves in this cycle, still full
  put(in, 2, 6, kMacB, 2);  // cycle 17: free again
  drive(device, in, 200);
  EXPECT_EQ(device.counters(1).dropped_queue_full, 2u);
  EXPECT_EQ(device.counters(1).packets_out, 2u);
  EXPECT_EQ(device.counters(1).peak_queue_bytes, 32u);
}

// The histograms of a port, by what they count.
nlohmann::json histograms(const std::string &file, uint32_t port) {
  std::ifstream stream(file);
  const nlohmann::json all = nlohmann::json::parse(stream);
  nlohmann::json found;
  for (const nlohmann::json &one : all["histograms"]) {
    if (one["port"] == port) found[one["what"]] = one;
  }
  return found;
}

TEST(Switch, CountsHowLongPacketsWaitAndHowManyWaitTogether) {
  const std::string file = testing::TempDir() + "firesim-queues-" + std::to_string(getpid());
  SwitchConfig config = three_ports();
  config.histograms_file = file;
  Tokens in = silence();
  put(in, 0, 0, kMacB, 4);  // forwarded in cycle 13, leaves in 13 to 16
  put(in, 2, 2, kMacB, 4);  // forwarded in cycle 15, leaves in 17 to 20
  put(in, 0, 4, kMacB, 3);  // forwarded in cycle 16, leaves in 21 to 23
  for (const uint32_t chunk : {1u, 7u, 200u}) {
    StoreAndForwardSwitch device(config);
    drive(device, in, chunk);
    const nlohmann::json found = histograms(file, 1);
    EXPECT_EQ(found["wait"]["bins"], (nlohmann::json{{0, 0, 1}, {2, 2, 1}, {5, 5, 1}})) << chunk;
    EXPECT_EQ(found["wait"]["unit"], "cycles");
    // One in 13, 14 and 21 to 23; two in 15 and 17 to 20; three in 16.
    const uint64_t idle = in[0].size() - 11;
    EXPECT_EQ(found["queue"]["bins"],
              (nlohmann::json{{0, 0, idle}, {1, 1, 5}, {2, 2, 5}, {3, 3, 1}}))
        << chunk;
    EXPECT_EQ(histograms(file, 0)["wait"]["count"], 0);
    std::filesystem::remove(file);
  }
}

TEST(Switch, ACutThroughQueueCountsWhatItHolds) {
  SwitchConfig config = three_ports();
  Tokens in = silence();
  put(in, 0, 5, kMacB, 4);  // leaves in cycles 15 to 18
  put(in, 2, 6, kMacB, 4);  // is there from cycles 16 to 19 on, leaves in 19 to 22
  for (const uint32_t chunk : {1u, 7u, 200u}) {
    CutThroughSwitch device(config);
    drive(device, in, chunk);
    // In cycle 18 all of the first packet, and three flits of the second.
    EXPECT_EQ(device.counters(1).peak_queue_bytes, 56u) << chunk;
    EXPECT_EQ(device.counters(1).queue_bytes, 0u) << chunk;
  }
  Tokens beginning(3);
  for (size_t port = 0; port < 3; ++port)
    beginning[port].assign(in[port].begin(), in[port].begin() + 21);
  CutThroughSwitch device(config);
  drive(device, beginning, 7);
  EXPECT_EQ(device.counters(1).queue_bytes, 32u);  // after cycle 20: the second, not left whole
  const double room = static_cast<double>(config.ports[1].buffer_bytes);
  EXPECT_EQ(device.queue_status(), (QueueStatus{32, 32 / room}));
}

TEST(Switch, NeverSendsBackAndCountsEveryDrop) {
  SwitchConfig config = three_ports();
  config.min_packet_flits = 2;
  config.default_port = 2;
  StoreAndForwardSwitch device(config);
  Tokens in = silence(4000);
  put(in, 1, 0, kMacB, 4);             // its own port
  put(in, 2, 0, 0xee00, 4);            // unknown, from the default port
  put(in, 0, 0, 0xee00, 4);            // unknown: to the default port
  put(in, 0, 10, kMacB, 1);            // runt
  put(in, 0, 20, kMacB, 1153);         // 9,224 bytes
  put(in, 0, 1300, kMacB, 1152);       // 9,216 bytes
  put(in, 1, 100, 0xffffffffffff, 4);  // to 0 and 2
  drive(device, in, 64);
  EXPECT_EQ(device.counters(1).dropped_reflected, 1u);
  EXPECT_EQ(device.counters(2).dropped_unknown_destination, 1u);
  EXPECT_EQ(device.counters(0).dropped_runt, 1u);
  EXPECT_EQ(device.counters(0).dropped_oversize, 1u);
  EXPECT_EQ(device.counters(1).packets_out, 1u);
  EXPECT_EQ(device.counters(0).packets_out, 1u);
  EXPECT_EQ(device.counters(2).packets_out, 2u);
  EXPECT_EQ(device.counters(0).packets_in, 4u);
}

std::string read_file(const std::filesystem::path &path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

uint32_t word(const std::string &bytes, size_t at) {
  uint32_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

TEST(Switch, FilesAreWholeAndDoNotDependOnBatches) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("firesim-switch-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  SwitchConfig config = three_ports();
  config.capture_file = folder / "c.pcapng";
  config.throughput_file = folder / "t.csv";
  config.statistics_file = folder / "s.json";
  config.throughput_interval_cycles = 50;
  Tokens in = silence();
  put(in, 0, 48, kMacB, 4);
  put(in, 2, 48, 0xffffffffffff, 4);
  std::string capture;
  for (const uint32_t chunk : {1u, 7u, 200u}) {
    {
      StoreAndForwardSwitch device(config);
      drive(device, in, chunk);
    }
    if (capture.empty()) capture = read_file(config.capture_file);
    EXPECT_EQ(read_file(config.capture_file), capture) << chunk;
    EXPECT_EQ(
        read_file(config.throughput_file),
        "cycle,port,bytes_in,bytes_out\n0,0,16,0\n0,2,16,0\n50,0,16,32\n50,1,0,64\n50,2,16,0\n");
    EXPECT_EQ(nlohmann::json::parse(read_file(config.statistics_file))["ports"][1]["packets_out"],
              2);
  }
  // Blocks: one section, three interfaces, two packets in and three out; lengths agree at both
  // ends.
  std::vector<uint32_t> types;
  for (size_t at = 0; at < capture.size();) {
    const uint32_t length = word(capture, at + 4);
    ASSERT_EQ(word(capture, at + length - 4), length);
    types.push_back(word(capture, at));
    at += length;
  }
  EXPECT_EQ(types, (std::vector<uint32_t>{0x0a0d0d0a, 1, 1, 1, 6, 6, 6, 6, 6}));
  EXPECT_NE(capture.find("cycle 51"), std::string::npos);
  std::filesystem::remove_all(folder);
}

TEST(Switch, ACaptureOfOneSideHoldsEachPacketThere) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("firesim-sides-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  SwitchConfig config = three_ports();
  config.capture_file = folder / "c.pcapng";
  Tokens in = silence();
  put(in, 0, 48, kMacB, 4);
  put(in, 2, 48, 0xffffffffffff, 4);
  // Flags of the option epb_flags (2, of four bytes): 1 inbound, 2 outbound; two come in, three
  // leave.
  for (const auto &[side, inbound, outbound] :
       {std::tuple(CaptureSide::kInbound, 2, 0), std::tuple(CaptureSide::kOutbound, 0, 3),
        std::tuple(CaptureSide::kBoth, 2, 3)}) {
    config.capture_side = side;
    {
      StoreAndForwardSwitch device(config);
      drive(device, in, 200);
    }
    const std::string capture = read_file(config.capture_file);
    int found[3] = {0, 0, 0};
    for (size_t at = 0; at < capture.size(); at += word(capture, at + 4)) {
      if (word(capture, at) != 6) continue;
      const size_t flags = at + word(capture, at + 4) - 4 - 4 - 8;  // before the end of options
      ASSERT_EQ(word(capture, flags), 0x00040002u);
      ++found[word(capture, flags + 4)];
    }
    EXPECT_EQ(found[1], inbound);
    EXPECT_EQ(found[2], outbound);
  }
  std::filesystem::remove_all(folder);
}

TEST(Switch, ACaptureThatCannotBeWrittenIsRefused) {
  SwitchConfig config = three_ports();
  config.capture_file = "/nonexistent/c.pcapng";
  EXPECT_THROW(StoreAndForwardSwitch device(config), std::runtime_error);
}

}  // namespace
}  // namespace firesim
