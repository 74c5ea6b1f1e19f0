// SPDX-License-Identifier: BSD-3-Clause
// An RTL blade around the small device of test_device.cc.
#pragma once

#include <fstream>
#include <sstream>

#include "bench.h"
#include "bridges/rtl_blade.h"

namespace firesim::bridges {

using nlohmann::json;

inline json ports_of(const std::string &prefix, const std::vector<std::string> &names) {
  json ports;
  for (const std::string &name : names) ports[name] = prefix + "__" + name;
  return ports;
}

inline json bridge(const std::string &kind, const std::string &path, const json &ports,
                   const json &wakes = json::object()) {
  return {{"kind", kind},
          {"module", "FireSimBridge"},
          {"path", path},
          {"several", kind == "tracerv"},
          {"parameters", json::object()},
          {"ports", ports},
          {"wakes", wakes}};
}

inline json test_manifest() {
  return {
      {"version", 1},
      {"top", "Device"},
      {"design_hash", "0123abcd"},
      {"clock", "clock"},
      {"reset", "reset"},
      {"ports", json::array()},
      {"bridges",
       {bridge("nic", "top.nic",
               ports_of("nic", {"in_valid", "in_data", "in_last", "mac_address", "rate_increment",
                                "rate_period", "out_valid", "out_data", "out_last"}),
               {{"out_valid", "notice"}}),
        bridge("uart", "top.uart",
               ports_of("uart",
                        {"out_ready", "in_valid", "in_bits", "out_valid", "out_bits", "in_ready"}),
               {{"out_valid", "notice"}}),
        bridge("termination", "top.end", ports_of("end", {"valid", "value"}),
               {{"valid", "answer"}}),
        bridge("tracerv", "top.trace",
               ports_of("trace", {"valid", "pc", "instruction", "privilege", "exception",
                                  "interrupt", "cause", "tval"}),
               {{"valid", "notice"}, {"exception", "notice"}})}},
      {"counters", {{{"name", "flits"}, {"description", ""}, {"port", "flits"}}}},
      {"asserts",
       {{{"bit", 0}, {"message", "never"}, {"source", "a.v:1"}},
        {{"bit", 1}, {"message", "bad flit"}, {"source", "a.v:9"}}}},
      {"assert_port", "asserts"},
      {"prints", json::array()},
      {"prints_port", nullptr}};
}

inline json settings() {
  return {{"nic", {{"mac", "00:12:6D:00:00:02"}}},
          {"uart", {{"log", "node0/uart.log"}}},
          {"tracerv", {{"enabled", true}, {"outputs", {"text"}}, {"directory", "node0/trace"}}},
          {"autocounter", {{"interval_cycles", 100}, {"file", "node0/counters.csv"}}}};
}

struct Rig {
  explicit Rig(json manifest = test_manifest(), json bridges = settings(),
               const json &more_of_node = json::object()) {
    std::ofstream(folder / "model.json") << manifest;
    context.description_directory = context.results_directory = folder.path();
    json node = {{"name", "node0"},
                 {"kind", "rtl"},
                 {"model", TEST_DEVICE},
                 {"manifest", "model.json"},
                 {"bridges", bridges}};
    node.update(more_of_node);
    blade = make_rtl_blade(node, context);
  }
  // Runs the cycles [0, total) in pieces of the given sizes (repeated); `flits` are (cycle, data).
  Batch run(uint32_t total, const std::vector<std::pair<uint32_t, uint64_t>> &flits,
            const std::vector<uint32_t> &pieces) {
    Batch all(0, total);
    for (const auto &[cycle, data] : flits) all.append_flit(cycle, data, true);
    Batch result(0, total);
    uint32_t start = 0;
    for (size_t i = 0; start < total; ++i) {
      const uint32_t size = std::min(pieces[i % pieces.size()], total - start);
      Batch input(start, size), output(start, size);
      input.append_part(all, start, start + size, 0);
      blade->advance(start, size, {&input, 1}, {&output, 1});
      result.append_part(output, 0, size, start);
      start += size;
    }
    return result;
  }
  std::string text(const std::string &file) const {
    std::ifstream stream(folder / file);
    std::stringstream content;
    content << stream.rdbuf();
    return content.str();
  }

  TemporaryFolder folder;
  SimulationContext context;
  std::unique_ptr<Model> blade;
};

}  // namespace firesim::bridges
