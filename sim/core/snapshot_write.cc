// SPDX-License-Identifier: BSD-3-Clause
//
// Writes the folders of snapshots.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/atomic_file.h"
#include "core/json_reader.h"
#include "core/snapshot.h"
#include "core/snapshot_format.h"
#include "core/token_hash.h"

namespace firesim {

namespace {

constexpr char kLinksFile[] = "links";

// Names of models may hold "/" and ":"; names of files are kept plain.
std::string file_name(const std::string &name) {
  if (name == kLinksFile) return "%6Cinks";
  std::string plain;
  for (const char c : name) {
    if (c == '/') {
      plain += "%2F";
    } else if (c == ':') {
      plain += "%3A";
    } else {
      plain += c;
    }
  }
  return plain;
}

nlohmann::json file_entry(const FileContent &file, uint64_t hash) {
  return {
      {"file", file.path.filename().string()}, {"bytes", file.bytes}, {"hash", hash_to_hex(hash)}};
}

// What could not be read again is not written.
void check_writable(const FileContent &file, uint64_t most_bytes) {
  if (file.bytes <= most_bytes) return;
  throw std::runtime_error(file.path.filename().string() + " would have " +
                           std::to_string(file.bytes) + " bytes, and at most " +
                           std::to_string(most_bytes) + " can be read back");
}

// In the order of the models: the state of each, then its regions.
std::vector<FileContent> all_files(const std::filesystem::path &folder,
                                   const std::vector<SnapshotModel> &models) {
  std::vector<FileContent> files;
  for (const SnapshotModel &model : models) {
    const std::string base = file_name(model.name);
    const std::vector<uint8_t> &data = model.state.data();
    files.push_back({folder / (base + ".state"), data.data(), data.size()});
    check_writable(files.back(), kMaxStateBytes);
    for (const StateWriter::Region &region : model.state.regions()) {
      files.push_back({folder / (base + "." + region.name + ".region"), region.data, region.bytes});
      check_writable(files.back(), kMaxRegionBytes);
    }
  }
  return files;
}

void sync_path(const std::filesystem::path &path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool synced = file >= 0 && fsync(file) == 0;
  const int error = errno;
  if (file >= 0) close(file);
  if (synced) return;
  throw std::runtime_error("cannot write " + path.string() + ": " + std::strerror(error));
}

}  // namespace

uint64_t snapshot_index_hash(nlohmann::json index) {
  index.erase("hash");
  const std::string text = index.dump();
  return hash_bytes(text.data(), text.size());
}

nlohmann::json write_models(const std::filesystem::path &folder,
                            const std::vector<SnapshotModel> &models) {
  const std::vector<FileContent> files = all_files(folder, models);
  const std::vector<uint64_t> hashes = write_files(files);
  nlohmann::json entries = nlohmann::json::array();
  size_t at = 0;
  for (const SnapshotModel &model : models) {
    nlohmann::json entry = {{"name", model.name},
                            {"kind", model.kind},
                            {"fingerprint", model.fingerprint},
                            {"state", file_entry(files[at], hashes[at])},
                            {"regions", nlohmann::json::array()}};
    ++at;
    for (const StateWriter::Region &region : model.state.regions()) {
      nlohmann::json one = file_entry(files[at], hashes[at]);
      one["name"] = region.name;
      entry["regions"].push_back(one);
      ++at;
    }
    entries.push_back(entry);
  }
  return entries;
}

void write_links_and_index(const std::filesystem::path &folder, const SnapshotContent &content,
                           const nlohmann::json &models) {
  std::vector<uint8_t> states;
  nlohmann::json links = nlohmann::json::array();
  for (const SnapshotLink &link : content.links) {
    const uint64_t offset = states.size();
    states.insert(states.end(), link.state.begin(), link.state.end());
    links.push_back({{"name", link.name}, {"offset", offset}, {"bytes", link.state.size()}});
  }
  const FileContent file{folder / (std::string(kLinksFile) + ".state"), states.data(),
                         states.size()};
  check_writable(file, kMaxStateBytes);
  const std::vector<uint64_t> hashes = write_files(std::span(&file, 1));
  nlohmann::json index = {{"format", kSnapshotFormat},
                          {"version", kSnapshotVersion},
                          {"created_by", "firesim-sim"},
                          {"cycle", content.cycle},
                          {"end_when_state", content.ends},
                          {"models", models},
                          {"links", links},
                          {"links_state", file_entry(file, hashes[0])},
                          {"configuration", content.configuration}};
  index["hash"] = hash_to_hex(snapshot_index_hash(index));
  const std::string text = index.dump(1) + "\n";
  check_writable({kSnapshotIndexFile, nullptr, text.size()}, kSnapshotLimits.bytes);
  write_file_atomically(folder / kSnapshotIndexFile, text);
}

void sync_folder(const std::filesystem::path &folder) {
  for (const auto &entry : std::filesystem::directory_iterator(folder)) {
    if (entry.is_regular_file()) sync_path(entry.path());
  }
  sync_path(folder);
}

void write_snapshot(const std::filesystem::path &folder, const SnapshotContent &content) {
  const std::filesystem::path partial = folder.string() + ".partial";
  std::error_code ignored;
  std::filesystem::remove_all(partial, ignored);
  try {
    std::filesystem::create_directories(partial);
    write_links_and_index(partial, content, write_models(partial, content.models));
    remove_snapshot(folder);
    std::filesystem::rename(partial, folder);
  } catch (const std::exception &error) {
    std::filesystem::remove_all(partial, ignored);
    throw std::runtime_error("cannot write the snapshot " + folder.string() + ": " + error.what());
  }
}

void remove_snapshot(const std::filesystem::path &folder) {
  std::error_code ignored;
  std::filesystem::remove(folder / kSnapshotIndexFile, ignored);
  std::filesystem::remove_all(folder, ignored);
}

}  // namespace firesim
