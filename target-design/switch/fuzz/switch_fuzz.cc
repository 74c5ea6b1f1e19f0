// SPDX-License-Identifier: BSD-3-Clause
//
// switch-fuzz: random topologies and traffic through the real scheduler, links and switches, and
// through a slow, obvious model; every node must receive the same flits in the same cycles, and
// every port must count the same. Prints one JSON object.
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>

#include "switch/fuzz/real.h"

namespace {

using namespace firesim::fuzz;

struct Totals {
  uint64_t cycles = 0;
  uint64_t flits = 0;
  firesim::PortCounters ports;
};

void add(Totals &totals, const FuzzCase &fuzz_case, const Outcome &outcome) {
  totals.cycles += fuzz_case.cycles;
  for (const auto &received : outcome.received) totals.flits += received.size();
  for (const auto &device : outcome.counters) {
    for (const firesim::PortCounters &port : device) {
      totals.ports.packets_in += port.packets_in;
      totals.ports.packets_out += port.packets_out;
      totals.ports.dropped_runt += port.dropped_runt;
      totals.ports.dropped_oversize += port.dropped_oversize;
      totals.ports.dropped_unknown_destination += port.dropped_unknown_destination;
      totals.ports.dropped_reflected += port.dropped_reflected;
      totals.ports.dropped_queue_full += port.dropped_queue_full;
    }
  }
}

// What differs, in words; empty if nothing does.
std::string run_case(uint64_t seed, Totals &totals) {
  const FuzzCase fuzz_case = make_case(seed);
  const Outcome reference = simulate_reference(fuzz_case);
  add(totals, fuzz_case, reference);
  try {
    return difference(simulate_real(fuzz_case), reference);
  } catch (const std::exception &error) {
    return error.what();
  }
}

bool read_number(const char *text, uint64_t &value) {
  const char *end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, value);
  return error == std::errc() && stop == end;
}

}  // namespace

int main(int argc, char **argv) {
  uint64_t cases = 1000;
  uint64_t seed = 1;
  for (int i = 1; i < argc; i += 2) {
    const std::string key = argv[i];
    uint64_t *target = key == "--cases" ? &cases : key == "--seed" ? &seed : nullptr;
    if (target == nullptr || i + 1 == argc || !read_number(argv[i + 1], *target)) {
      std::fprintf(stderr, "usage: switch-fuzz [--cases N] [--seed S]\n");
      return 2;
    }
  }
  const auto started = std::chrono::steady_clock::now();
  Totals totals;
  nlohmann::json failures = nlohmann::json::array();
  for (uint64_t i = 0; i < cases && failures.size() < 10; ++i) {
    const std::string problem = run_case(seed + i, totals);
    if (problem.empty()) continue;
    const std::string replay =
        std::string(argv[0]) + " --cases 1 --seed " + std::to_string(seed + i);
    std::fprintf(stderr, "%s\nreplay: %s\n", problem.c_str(), replay.c_str());
    failures.push_back({{"seed", seed + i}, {"problem", problem}, {"replay", replay}});
  }
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - started;
  const nlohmann::json result = {{"cases", cases},
                                 {"seed", seed},
                                 {"failures", failures},
                                 {"wall_s", wall.count()},
                                 {"target_cycles", totals.cycles},
                                 {"flits_compared", totals.flits},
                                 {"ports", totals.ports.to_json()}};
  std::printf("%s\n", result.dump().c_str());
  return failures.empty() ? 0 : 1;
}
