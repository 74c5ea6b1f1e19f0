// SPDX-License-Identifier: BSD-3-Clause
//
// Snapshots of a whole simulation, every model and link at one cycle: a folder that is written, and
// one that is read (docs/reference/interfaces/snapshots.md).
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/model.h"
#include "core/snapshot_files.h"
#include "core/state.h"

namespace firesim {

// What the base class of a model knows: how its node ended.
class ModelState {
 public:
  static void save(const Model &model, StateWriter &state, uint64_t cycle);
  static void load(Model &model, StateReader &state, uint64_t cycle);
};

// Key of a description that is kept in snapshots: see `Snapshot::functional_before_cycle`.
inline constexpr char kFunctionalBefore[] = "functional_before_cycle";

// A snapshot is taken at this cycle at the latest.
inline constexpr uint64_t kLastSnapshotCycle = uint64_t{1} << 62;

struct SnapshotModel {
  std::string name;
  std::string kind;
  std::string fingerprint;
  StateWriter state;
};

struct SnapshotLink {
  std::string name;
  std::vector<uint8_t> state;
};

struct SnapshotContent {
  uint64_t cycle = 0;
  nlohmann::json ends;           // "end_when_state": which nodes have ended, for a person
  nlohmann::json configuration;  // the description the simulation was made from
  std::vector<SnapshotModel> models;
  std::vector<SnapshotLink> links;
};

// Makes the folder `folder`, complete or not at all; one that is there already is replaced. Throws
// std::runtime_error.
void write_snapshot(const std::filesystem::path &folder, const SnapshotContent &content);

// --- The same in two steps, of a snapshot that several processes write. In a folder that exists;
// throws std::runtime_error. ---
// The files of models; returns the models' entries in the index.
nlohmann::json write_models(const std::filesystem::path &folder,
                            const std::vector<SnapshotModel> &models);
// All the rest, the index last: with the entries `models`, instead of the content's.
void write_links_and_index(const std::filesystem::path &folder, const SnapshotContent &content,
                           const nlohmann::json &models);
// What the folder holds is on its disk.
void sync_folder(const std::filesystem::path &folder);

// Takes a snapshot away in such a way that what is left of it, if anything, is refused.
void remove_snapshot(const std::filesystem::path &folder);

// A snapshot that has been read and checked in full, or as far as it is wanted.
class Snapshot {
 public:
  struct ModelEntry {
    std::string name;
    std::string kind;
    std::string fingerprint;
  };

  // Files of other models than those `wanted` need not be there. Throws SnapshotError.
  explicit Snapshot(const std::filesystem::path &folder,
                    const std::optional<std::set<std::string>> &wanted = std::nullopt);

  const std::string &where() const { return where_; }  // "snapshot booted"
  uint64_t cycle() const { return cycle_; }
  // Whether the run it was taken of had a functional network, and before which cycle it, or one
  // that it went on from, had one: 0 if none had.
  bool network_is_functional() const { return network_is_functional_; }
  uint64_t functional_before_cycle() const { return functional_before_cycle_; }
  const std::vector<ModelEntry> &models() const { return models_; }
  const std::vector<std::string> &links() const { return links_; }

  bool has_link(const std::string &name) const { return link_states_.contains(name); }

  // Null if there is none of this name.
  const ModelEntry *find_model(const std::string &name) const;

  // Of a model that is wanted. The reader lives as long as the snapshot.
  StateReader model_state(const std::string &name) const;
  StateReader link_state(const std::string &name) const;

 private:
  struct File {
    FileToCheck state;
    std::vector<uint8_t> data;
    std::map<std::string, StateReader::RegionFile> regions;
  };

  static void check_distinct(const std::vector<FileToCheck> &files);
  void check_sizes(const std::vector<FileToCheck> &files) const;
  nlohmann::json read_index() const;
  void check_index(const nlohmann::json &index) const;
  void read_network(const nlohmann::json &configuration);
  FileToCheck read_file(const nlohmann::json &entry, const std::string &where,
                        uint64_t most_bytes) const;
  void read_models(const nlohmann::json &models, std::vector<FileToCheck> &files);
  void drop_unwanted(const std::set<std::string> &wanted, std::vector<FileToCheck> &files);
  void read_regions(const nlohmann::json &regions, const std::string &where, File &file,
                    std::vector<FileToCheck> &files) const;
  void read_links(const nlohmann::json &links, const std::vector<uint8_t> &states);
  std::vector<uint8_t> read_state(const FileToCheck &file) const;

  const std::string where_;
  std::shared_ptr<const UntrustedFolder> folder_;
  uint64_t cycle_ = 0;
  bool network_is_functional_ = false;
  uint64_t functional_before_cycle_ = 0;
  std::vector<ModelEntry> models_;
  std::vector<std::string> links_;
  std::map<std::string, File> model_files_;
  std::map<std::string, std::vector<uint8_t>> link_states_;
};

}  // namespace firesim
