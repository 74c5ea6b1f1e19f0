// SPDX-License-Identifier: BSD-3-Clause
//
// Descriptions of simulations, and the files that they name.
#include <cstring>

#include "simulator/hostile/targets.h"

namespace firesim::hostile {

namespace {

using nlohmann::json;

constexpr uint64_t kDescribedCycles = 3000;

// What is described must not take long, nor write anywhere but below the bench's folder.
std::string bounded(const std::string &text) {
  json description = json::parse(text, nullptr, false);
  if (!description.is_object()) return text;
  description["results"] = "results";
  description["max_cycles"] = kDescribedCycles;
  return description.dump(-1, ' ', false, json::error_handler_t::replace);
}

// The description with the entry of the node of this kind, which `change` changes.
std::string with_file(const Bench &bench, const std::string &kind,
                      const std::function<void(json &)> &change) {
  json description = bench.description();
  for (json &node : description["nodes"]) {
    if (node.at("kind") != kind) continue;
    change(node);
    break;
  }
  return bounded(description.dump());
}

// The path of a file of a description, which may be relative to it.
std::filesystem::path first_file(const Bench &bench, const std::string &kind,
                                 const json::json_pointer &key) {
  for (const json &node : bench.description().at("nodes")) {
    if (node.at("kind") == kind) return node.at(key).get<std::string>();
  }
  throw std::runtime_error("the base has no node of kind " + kind);
}

Target file_target(const Bench &bench, const std::string &name, const std::string &kind,
                   const std::string &key, const std::string &good) {
  const json::json_pointer place(key);
  const std::filesystem::path file = bench.folder() / (name + ".bin");
  const std::string description =
      with_file(bench, kind, [&](json &node) { node[place] = file.string(); });
  return {name,
          {good},
          [](const std::string &bytes, Random &random) { return mutated_bytes(bytes, random); },
          [&bench, file, description](const std::string &input) {
            write_file(file, input);
            return bench.simulate(description);
          }};
}

}  // namespace

Target description_target(const Bench &bench) {
  return {"description",
          {bench.description().dump()},
          [](const std::string &text, Random &random) { return mutated_json(text, random); },
          [&bench](const std::string &input) { return bench.simulate(bounded(input)); }};
}

std::vector<Target> file_targets(const Bench &bench) {
  const std::string elf = "/bridges/memory/load/0/file";
  const std::string program = read_file(first_file(bench, "functional", json::json_pointer(elf)));
  std::string disk(64 * 512, '\0');
  std::memcpy(disk.data(), "disk", 4);
  return {file_target(bench, "elf", "functional", elf, program),
          file_target(bench, "disk", "functional", "/bridges/block_device/image", disk),
          file_target(bench, "traffic", "traffic", "/file",
                      "# a comment\n0 00:12:6D:00:00:02 1500 repeat 40000 100\n"
                      "500 ff:ff:ff:ff:ff:ff 60\n")};
}

}  // namespace firesim::hostile
