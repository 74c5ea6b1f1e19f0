// SPDX-License-Identifier: BSD-3-Clause
//
// Snapshots: the index, whose hash is made right again, and each of the files of states.
#include <algorithm>

#include "core/json_reader.h"
#include "core/snapshot_files.h"
#include "core/token_hash.h"
#include "simulator/hostile/targets.h"

namespace firesim::hostile {

namespace {

using nlohmann::json;

constexpr char kIndex[] = "snapshot.json";
constexpr uint64_t kSavedCycles = 20'000;  // after the snapshot: several quanta and links

std::string hash_of(const std::string &bytes) {
  return hash_to_hex(hash_bytes(bytes.data(), bytes.size()));
}

// As whoever makes such an index would.
std::string with_hash(const std::string &text) {
  json index;
  try {
    index = parse_json(text, kSnapshotLimits);
  } catch (const JsonError &) {
    return text;  // refused before its hash is looked at
  }
  if (!index.is_object()) return text;
  index.erase("hash");
  index["hash"] = hash_of(index.dump(-1, ' ', false, json::error_handler_t::replace));
  return index.dump(-1, ' ', false, json::error_handler_t::replace);
}

// Every entry of the file gets its new size and hash.
void note_file(json &value, const std::string &name, const std::string &content) {
  if (!value.is_structured()) return;
  if (value.is_object() && value.contains("file") && value["file"] == name) {
    value["bytes"] = content.size();
    value["hash"] = hash_of(content);
  }
  for (json &inner : value) note_file(inner, name, content);
}

class SnapshotBench {
 public:
  explicit SnapshotBench(const Bench &bench) : bench_(bench), folder_(bench.folder() / "evil") {
    std::filesystem::create_directories(folder_);
    index_ = read_file(bench.snapshot() / kIndex);
    for (const auto &entry : std::filesystem::directory_iterator(bench.snapshot())) {
      const std::string name = entry.path().filename();
      std::filesystem::copy_file(entry.path(), folder_ / name,
                                 std::filesystem::copy_options::overwrite_existing);
      if (name.ends_with(".state")) states_.emplace_back(name, read_file(entry.path()));
    }
    std::sort(states_.begin(), states_.end());
    json description = bench.description();
    description["results"] = "results";
    description["restore"] = {{"snapshot", folder_.string()}};
    description["max_cycles"] = bench.snapshot_cycle() + kSavedCycles;
    description_ = description.dump();
  }

  const std::string &index() const { return index_; }
  const std::vector<std::pair<std::string, std::string>> &states() const { return states_; }

  Verdict take_index(const std::string &text) const {
    write_file(folder_ / kIndex, with_hash(text));
    return bench_.simulate(description_);
  }

  // The first byte says which file, the others are its content; then all is as it was.
  Verdict take_state(const std::string &input) const {
    if (input.empty()) return {};
    const auto &[name, good] = states_[static_cast<uint8_t>(input[0]) % states_.size()];
    const std::string content = input.substr(1);
    json index = json::parse(index_);
    note_file(index, name, content);
    write_file(folder_ / name, content);
    Verdict verdict = take_index(index.dump());
    write_file(folder_ / name, good);
    return verdict;
  }

 private:
  const Bench &bench_;
  const std::filesystem::path folder_;
  std::string index_;
  std::vector<std::pair<std::string, std::string>> states_;
  std::string description_;
};

}  // namespace

std::vector<Target> snapshot_targets(const Bench &bench) {
  const auto snapshots = std::make_shared<SnapshotBench>(bench);
  std::vector<std::string> states;
  for (size_t i = 0; i < snapshots->states().size(); ++i) {
    states.push_back(static_cast<char>(i) + snapshots->states()[i].second);
  }
  // Most of an index is the description, at which a restore looks but little.
  json bare = json::parse(snapshots->index());
  bare["configuration"] = json::object();
  return {{"snapshot-index",
           {snapshots->index(), bare.dump(), bare.dump()},
           [](const std::string &text, Random &random) { return mutated_json(text, random); },
           [snapshots](const std::string &input) { return snapshots->take_index(input); }},
          {"snapshot-state", states,
           [](const std::string &bytes, Random &random) {
             return bytes[0] + mutated_values(bytes.substr(1), random);
           },
           [snapshots](const std::string &input) { return snapshots->take_state(input); }}};
}

}  // namespace firesim::hostile
