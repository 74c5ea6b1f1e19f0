// SPDX-License-Identifier: BSD-3-Clause
//
// Writes and reads the folders of snapshots.
#include "core/snapshot.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "core/atomic_file.h"
#include "core/snapshot_files.h"
#include "core/token_hash.h"

namespace firesim {

namespace {

constexpr char kFormat[] = "firesim-snapshot";
constexpr uint64_t kVersion = 1;
constexpr char kIndexFile[] = "snapshot.json";
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

uint64_t index_hash(nlohmann::json index) {
  index.erase("hash");
  const std::string text = index.dump();
  return hash_bytes(text.data(), text.size());
}

nlohmann::json file_entry(const FileContent &file, uint64_t hash) {
  return {
      {"file", file.path.filename().string()}, {"bytes", file.bytes}, {"hash", hash_to_hex(hash)}};
}

// In the order of the models: the state of each, then its regions.
std::vector<FileContent> all_files(const std::filesystem::path &folder,
                                   const SnapshotContent &content) {
  std::vector<FileContent> files;
  for (const SnapshotModel &model : content.models) {
    const std::string base = file_name(model.name);
    const std::vector<uint8_t> &data = model.state.data();
    files.push_back({folder / (base + ".state"), data.data(), data.size()});
    for (const StateWriter::Region &region : model.state.regions()) {
      files.push_back({folder / (base + "." + region.name + ".region"), region.data, region.bytes});
    }
  }
  return files;
}

nlohmann::json model_entries(const SnapshotContent &content, const std::vector<FileContent> &files,
                             const std::vector<uint64_t> &hashes) {
  nlohmann::json entries = nlohmann::json::array();
  size_t at = 0;
  for (const SnapshotModel &model : content.models) {
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

void write_content(const std::filesystem::path &folder, const SnapshotContent &content) {
  std::vector<FileContent> files = all_files(folder, content);
  std::vector<uint8_t> links;
  nlohmann::json link_entries = nlohmann::json::array();
  for (const SnapshotLink &link : content.links) {
    const std::vector<uint8_t> &data = link.state.data();
    link_entries.push_back({{"name", link.name}, {"offset", links.size()}, {"bytes", data.size()}});
    links.insert(links.end(), data.begin(), data.end());
  }
  files.push_back({folder / (std::string(kLinksFile) + ".state"), links.data(), links.size()});
  const std::vector<uint64_t> hashes = write_files(files);
  nlohmann::json index = {{"format", kFormat},
                          {"version", kVersion},
                          {"created_by", "firesim-sim"},
                          {"cycle", content.cycle},
                          {"end_when_state", content.ends},
                          {"models", model_entries(content, files, hashes)},
                          {"links", link_entries},
                          {"links_state", file_entry(files.back(), hashes.back())},
                          {"configuration", content.configuration}};
  index["hash"] = hash_to_hex(index_hash(index));
  write_file_atomically(folder / kIndexFile, index.dump(1) + "\n");
}

// "snapshot booted"; a folder given with a slash at its end has no file name.
std::string snapshot_name(const std::filesystem::path &folder) {
  const std::filesystem::path plain = folder.lexically_normal();
  const std::filesystem::path name =
      plain.has_filename() ? plain.filename() : plain.parent_path().filename();
  return "snapshot " + name.string();
}

}  // namespace

void ModelState::save(const Model &model, StateWriter &state) {
  state.section("model", 1);
  state.boolean(model.end_.has_value());
  if (model.end_) {
    state.u64(model.end_->cycle);
    state.i64(model.end_->exit_code);
    state.boolean(model.end_->assert_failed);
    state.text(model.end_->message);
  }
  model.save(state);
}

void ModelState::load(Model &model, StateReader &state, uint64_t cycle) {
  state.section("model", 1);
  if (state.boolean()) {
    ModelEnd end;
    end.cycle = state.u64(cycle);
    end.exit_code = static_cast<int>(state.i64());
    end.assert_failed = state.boolean();
    end.message = state.text();
    model.end_ = std::move(end);
  }
  model.load(state, cycle);
  state.finish();
}

void write_snapshot(const std::filesystem::path &folder, const SnapshotContent &content) {
  const std::filesystem::path partial = folder.string() + ".partial";
  std::error_code ignored;
  std::filesystem::remove_all(partial, ignored);
  try {
    std::filesystem::create_directories(partial);
    write_content(partial, content);
    remove_snapshot(folder);
    std::filesystem::rename(partial, folder);
  } catch (const std::exception &error) {
    std::filesystem::remove_all(partial, ignored);
    throw std::runtime_error("cannot write the snapshot " + folder.string() + ": " + error.what());
  }
}

void remove_snapshot(const std::filesystem::path &folder) {
  std::error_code ignored;
  std::filesystem::remove(folder / kIndexFile, ignored);
  std::filesystem::remove_all(folder, ignored);
}

Snapshot::Snapshot(const std::filesystem::path &folder)
    : folder_(folder), where_(snapshot_name(folder)) {
  const nlohmann::json index = read_index();
  try {
    cycle_ = index.at("cycle").get<uint64_t>();
    read_models(index);
    read_links(index);
  } catch (const nlohmann::json::exception &error) {
    throw SnapshotError(where_ + ": " + kIndexFile + " is not complete: " + error.what());
  }
}

nlohmann::json Snapshot::read_index() const {
  if (!std::filesystem::is_directory(folder_)) {
    throw SnapshotError(where_ + ": found no folder " + folder_.string() + ", expected a snapshot");
  }
  std::ifstream file(folder_ / kIndexFile, std::ios::binary);
  if (!file) {
    throw SnapshotError(where_ + ": has no " + kIndexFile + ", so it was never completed");
  }
  const nlohmann::json index = nlohmann::json::parse(file, nullptr, false);
  if (!index.is_object()) {
    throw SnapshotError(where_ + ": " + kIndexFile + " is not valid JSON, so it has been changed");
  }
  const auto format = index.find("format");
  if (format == index.end() || *format != kFormat) {
    throw SnapshotError(where_ + ": " + kIndexFile + " has the format " +
                        (format == index.end() ? "null" : format->dump()) + ", expected \"" +
                        kFormat + "\"");
  }
  const auto version = index.find("version");
  if (version == index.end() || *version != kVersion) {
    throw SnapshotError(where_ + ": has version " +
                        (version == index.end() ? "null" : version->dump()) + ", expected " +
                        std::to_string(kVersion) + ", the one this FireSim reads");
  }
  const std::string hash = hash_to_hex(index_hash(index));
  if (index.value("hash", nlohmann::json()) != hash) {
    throw SnapshotError(where_ + ": " + kIndexFile + " has been changed: its hash is " + hash +
                        ", expected " + index.value("hash", nlohmann::json()).dump());
  }
  return index;
}

void Snapshot::read_models(const nlohmann::json &index) {
  std::vector<FileToCheck> files;
  const auto to_check = [&](const nlohmann::json &entry) -> const FileToCheck & {
    const auto name = entry.at("file").get<std::string>();
    return files.emplace_back(
        FileToCheck{folder_ / name, entry.at("bytes").get<uint64_t>(),
                    std::stoull(entry.at("hash").get<std::string>(), nullptr, 16),
                    where_ + ": the file " + name});
  };
  for (const nlohmann::json &entry : index.at("models")) {
    const auto name = entry.at("name").get<std::string>();
    models_.push_back({name, entry.at("kind"), entry.at("fingerprint")});
    File &file = model_files_[name];
    to_check(entry.at("state"));
    for (const nlohmann::json &region : entry.at("regions")) {
      const FileToCheck &check = to_check(region);
      file.regions[region.at("name")] = {check.path, check.bytes};
    }
  }
  to_check(index.at("links_state"));
  check_files(files);
  for (const nlohmann::json &entry : index.at("models")) {
    model_files_[entry.at("name")].data = read_state(entry.at("state"));
  }
}

void Snapshot::read_links(const nlohmann::json &index) {
  const std::vector<uint8_t> all = read_state(index.at("links_state"));
  for (const nlohmann::json &entry : index.at("links")) {
    const auto name = entry.at("name").get<std::string>();
    const auto offset = entry.at("offset").get<uint64_t>();
    const auto bytes = entry.at("bytes").get<uint64_t>();
    if (offset > all.size() || bytes > all.size() - offset) {
      throw SnapshotError(where_ + ": link " + name + " lies beyond the end of its file");
    }
    links_.push_back(name);
    const auto first = all.begin() + static_cast<ptrdiff_t>(offset);
    link_states_[name].assign(first, first + static_cast<ptrdiff_t>(bytes));
  }
}

std::vector<uint8_t> Snapshot::read_state(const nlohmann::json &file) const {
  std::ifstream stream(folder_ / file.at("file").get<std::string>(), std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

const Snapshot::ModelEntry *Snapshot::find_model(const std::string &name) const {
  const auto found = std::find_if(models_.begin(), models_.end(),
                                  [&](const ModelEntry &model) { return model.name == name; });
  return found == models_.end() ? nullptr : &*found;
}

StateReader Snapshot::model_state(const std::string &name) const {
  const File &file = model_files_.at(name);
  return {where_ + ": " + name, file.data, file.regions};
}

StateReader Snapshot::link_state(const std::string &name) const {
  return {where_ + ": link " + name, link_states_.at(name), {}};
}

}  // namespace firesim
