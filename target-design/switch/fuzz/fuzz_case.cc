// SPDX-License-Identifier: BSD-3-Clause
//
// Makes a random case from a seed.
#include "switch/fuzz/fuzz_case.h"

#include <algorithm>
#include <random>

namespace firesim::fuzz {

namespace {

constexpr uint64_t kBroadcast = 0xffffffffffff;

uint64_t mac_of(size_t node) { return 0x006d1200 | uint64_t{node + 1} << 40; }

class Maker {
 public:
  explicit Maker(uint64_t seed) : random_(seed) { case_.seed = seed; }

  FuzzCase make() {
    case_.cycles = chance(20) ? between(3000, 12000) : between(100, 1500);
    incast_ = chance(25);
    make_tree();
    for (size_t i = 0; i < case_.switches.size(); ++i) configure(i);
    for (size_t node = 0; node < case_.traffic.size(); ++node) make_traffic(node);
    case_.threads = chance(30) ? static_cast<uint32_t>(between(2, 3)) : 1;
    switch (between(0, 2)) {
      case 0:
        break;
      case 1:
        case_.batch_cycles = static_cast<uint32_t>(between(1, 100));
        break;
      default:
        case_.random_batch_seed = random_() | 1;
    }
    return std::move(case_);
  }

 private:
  uint64_t between(uint64_t least, uint64_t most) {
    return std::uniform_int_distribution<uint64_t>(least, most)(random_);
  }
  bool chance(uint64_t percent) { return between(1, 100) <= percent; }

  uint32_t latency() {
    return static_cast<uint32_t>(chance(20) ? 1 : chance(20) ? between(1, 2000) : between(1, 60));
  }

  // Switch i > 0 hangs below an earlier one by its port 0; nodes fill the other ports.
  void make_tree() {
    const size_t switches = between(1, 4);
    std::vector<uint32_t> used(switches);
    case_.switches.resize(switches);
    toward_.assign(switches, {});
    parent_.assign(switches, SIZE_MAX);
    for (CaseSwitch &one : case_.switches) one.config.ports.resize(between(2, 8));
    for (size_t i = 1; i < switches; ++i) {
      std::vector<size_t> open;
      for (size_t j = 0; j < i; ++j) {
        if (used[j] < case_.switches[j].config.ports.size()) open.push_back(j);
      }
      const size_t parent = open[between(0, open.size() - 1)];
      parent_[i] = parent;
      parent_port_.push_back(used[parent]);
      case_.links.push_back({parent, used[parent]++, i, used[i]++, latency()});
    }
    for (size_t i = 0; i < switches; ++i) {
      while (used[i] < case_.switches[i].config.ports.size()) {
        place_node(i, used[i]++);
      }
    }
  }

  void place_node(size_t home, uint32_t port) {
    const size_t node = case_.traffic.size();
    case_.traffic.emplace_back();
    case_.links.push_back({case_.switches.size() + node, 0, home, port, latency()});
    // Every switch above knows the way down; all others go up by port 0.
    std::vector<uint32_t> way(case_.switches.size(), 0);
    way[home] = port;
    for (size_t at = home; parent_[at] != SIZE_MAX; at = parent_[at]) {
      way[parent_[at]] = parent_port_[at - 1];
    }
    for (size_t i = 0; i < way.size(); ++i) toward_[i].push_back(way[i]);
  }

  void configure(size_t index) {
    CaseSwitch &one = case_.switches[index];
    SwitchConfig &config = one.config;
    config.name = "switch" + std::to_string(index);
    one.cut_through = chance(25);
    config.switching_latency_cycles =
        static_cast<uint32_t>(chance(15) ? between(0, 1000) : between(0, 30));
    config.min_packet_flits = one.cut_through ? 1 : static_cast<uint32_t>(between(1, 3));
    if (chance(25)) config.max_packet_bytes = static_cast<uint32_t>(between(64, 400));
    for (SwitchPortConfig &port : config.ports) {
      port.buffer_bytes = chance(40) ? between(8, 2000) : 512 * 1024;
      if (one.cut_through && chance(70)) port.buffer_bytes += config.max_packet_bytes;
      if (chance(30)) {
        port.rate_period = static_cast<uint32_t>(between(1, 40));
        port.rate_increment = static_cast<uint32_t>(between(1, 20));
      }
    }
    for (size_t node = 0; node < case_.traffic.size(); ++node) {
      if (!chance(10)) config.mac_table.push_back({mac_of(node), toward_[index][node]});
    }
    std::shuffle(config.mac_table.begin(), config.mac_table.end(), random_);
    if (chance(50)) {
      config.default_port = static_cast<uint32_t>(between(0, config.ports.size() - 1));
    }
  }

  uint64_t packet_flits() {
    const uint64_t kind = between(1, 100);
    if (kind <= 15) return between(1, 3);
    if (kind <= 70) return between(2, 40);
    if (kind <= 90) return 190;   // 1,518 bytes
    if (kind <= 97) return 1126;  // 9,000 bytes
    return between(1150, 1160);   // around the longest allowed
  }

  uint64_t destination() {
    const uint64_t kind = between(1, 100);
    if (kind <= 10) return kBroadcast;
    if (kind <= 14) return 0x5e0001;                            // a multicast address
    if (kind <= 22) return 0xaa00ee00 | random_() % 256 << 40;  // nobody's
    if (incast_) return mac_of(0);
    return mac_of(between(0, case_.traffic.size() - 1));  // now and then its own
  }

  void make_traffic(size_t node) {
    std::vector<TimedFlit> &flits = case_.traffic[node];
    const uint64_t idle_most = chance(30) ? 0 : chance(50) ? 20 : 400;
    const uint64_t gap_percent = chance(70) ? 0 : between(1, 50);
    uint64_t cycle = between(0, 50);
    while (cycle < case_.cycles) {
      const uint64_t count = packet_flits();
      for (uint64_t i = 0; i < count; ++i) {
        if (gap_percent > 0 && chance(gap_percent)) cycle += between(1, 5);
        const uint64_t data = i == 0 ? destination() << 16 | random_() % 65536 : random_();
        flits.push_back({cycle++, {data, i + 1 == count}});
      }
      cycle += between(0, idle_most);
    }
  }

  std::mt19937_64 random_;
  FuzzCase case_;
  bool incast_ = false;
  std::vector<size_t> parent_;                 // of each switch
  std::vector<uint32_t> parent_port_;          // of switch i + 1, at its parent
  std::vector<std::vector<uint32_t>> toward_;  // port toward each node, for each switch
};

}  // namespace

FuzzCase make_case(uint64_t seed) { return Maker(seed).make(); }

}  // namespace firesim::fuzz
