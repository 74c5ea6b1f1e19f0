// SPDX-License-Identifier: BSD-3-Clause
//
// Reads the folders of snapshots.
#include "core/snapshot.h"

#include <algorithm>

#include "core/fields.h"
#include "core/json_reader.h"
#include "core/snapshot_format.h"
#include "core/token_hash.h"

namespace firesim {

namespace {

// "snapshot booted"; a folder given with a slash at its end has no file name.
std::string snapshot_name(const std::filesystem::path &folder) {
  const std::filesystem::path plain = folder.lexically_normal();
  const std::filesystem::path name =
      plain.has_filename() ? plain.filename() : plain.parent_path().filename();
  return "snapshot " + name.string();
}

}  // namespace

void ModelState::save(const Model &model, StateWriter &state, uint64_t cycle) {
  state.section("model", 2);
  state.u64(cycle);
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
  state.set_cycle(cycle);
  // Version 1 did not say its cycle, so an index that says another one could not be told from it.
  if (state.section("model", 2) < 2) {
    state.fail("version 1 does not say its cycle, expected version 2: save the snapshot again");
  }
  state.expect("the cycle", cycle);
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

Snapshot::Snapshot(const std::filesystem::path &folder,
                   const std::optional<std::set<std::string>> &wanted)
    : where_(snapshot_name(folder)) {
  try {
    folder_ = std::make_shared<const UntrustedFolder>(folder);
  } catch (const FileError &) {
    throw SnapshotError(where_ + ": found no folder " + folder.string() + ", expected a snapshot");
  }
  const nlohmann::json index = read_index();
  check_index(index);
  Fields fields(index, where_ + ": " + kSnapshotIndexFile,
                {"format", "version", "created_by", "end_when_state", "configuration", "hash"});
  cycle_ = fields.integer("cycle", 0, kLastSnapshotCycle);
  read_network(index.value("configuration", nlohmann::json()));
  std::vector<FileToCheck> files;
  read_models(fields.array("models"), files);
  if (wanted) drop_unwanted(*wanted, files);
  files.push_back(read_file(fields.object("links_state"), fields.where() + ": \"links_state\"",
                            kMaxStateBytes));
  const nlohmann::json &links = fields.array("links");
  fields.finish();
  check_distinct(files);
  check_sizes(files);
  check_files(*folder_, files);
  for (auto &[unused, file] : model_files_) file.data = read_state(file.state);
  read_links(links, read_state(files.back()));
}

// Each file belongs to one entry: many entries of one large file would be hashed as often.
void Snapshot::check_distinct(const std::vector<FileToCheck> &files) {
  std::set<std::string> names;
  for (const FileToCheck &file : files) {
    if (names.insert(file.name).second) continue;
    throw SnapshotError(file.where + " is named by two entries, expected one");
  }
}

// Before memory is taken for states, and lists are made of the pieces of files.
void Snapshot::check_sizes(const std::vector<FileToCheck> &files) const {
  const auto check = [&](const char *what, uint64_t bytes, uint64_t most) {
    if (bytes <= most) return;
    throw SnapshotError(where_ + ": " + what + " have " + std::to_string(bytes) +
                        " bytes in all, expected at most " + std::to_string(most));
  };
  uint64_t states = files.back().bytes, all = 0;  // those of links are last
  for (const auto &[unused, file] : model_files_) states += file.state.bytes;
  for (const FileToCheck &file : files) all += file.bytes;
  check("the states", states, kMaxStatesBytes);
  check("the files", all, kMaxSnapshotBytes);
}

void Snapshot::read_network(const nlohmann::json &configuration) {
  if (!configuration.is_object()) return;
  network_is_functional_ = configuration.value("network", nlohmann::json()) == "functional";
  const nlohmann::json before = configuration.value(kFunctionalBefore, nlohmann::json());
  if (before.is_number_unsigned()) {
    functional_before_cycle_ = std::min(before.get<uint64_t>(), cycle_);
  }
  if (network_is_functional_) functional_before_cycle_ = cycle_;
}

void Snapshot::drop_unwanted(const std::set<std::string> &wanted, std::vector<FileToCheck> &files) {
  std::erase_if(model_files_, [&](const auto &entry) { return !wanted.contains(entry.first); });
  std::set<std::string> kept;
  for (const auto &[unused, file] : model_files_) {
    kept.insert(file.state.name);
    for (const auto &[name, region] : file.regions) kept.insert(region.name);
  }
  std::erase_if(files, [&](const FileToCheck &file) { return !kept.contains(file.name); });
}

nlohmann::json Snapshot::read_index() const {
  try {
    return parse_json(folder_->open(kSnapshotIndexFile).text(kSnapshotLimits.bytes),
                      kSnapshotLimits);
  } catch (const JsonError &error) {
    throw SnapshotError(where_ + ": " + kSnapshotIndexFile + ":" + std::to_string(error.line()) +
                        ": " + error.what());
  } catch (const MissingFile &) {
    throw SnapshotError(where_ + ": has no " + kSnapshotIndexFile + ", so it was never completed");
  } catch (const FileError &error) {
    throw SnapshotError(where_ + ": " + kSnapshotIndexFile + " " + error.what());
  }
}

void Snapshot::check_index(const nlohmann::json &index) const {
  if (!index.is_object()) {
    throw SnapshotError(where_ + ": " + kSnapshotIndexFile + " holds " + shown(index) +
                        ", expected an object");
  }
  const nlohmann::json format = index.value("format", nlohmann::json());
  if (format != kSnapshotFormat) {
    throw SnapshotError(where_ + ": " + kSnapshotIndexFile + " has the format " + shown(format) +
                        ", expected \"" + kSnapshotFormat + "\"");
  }
  const nlohmann::json version = index.value("version", nlohmann::json());
  if (version != kSnapshotVersion) {
    throw SnapshotError(where_ + ": has version " + shown(version) + ", expected " +
                        std::to_string(kSnapshotVersion) + ", the one this FireSim reads");
  }
  const std::string hash = hash_to_hex(snapshot_index_hash(index));
  const nlohmann::json expected = index.value("hash", nlohmann::json());
  if (expected != hash) {
    throw SnapshotError(where_ + ": " + kSnapshotIndexFile + " has been changed: its hash is " +
                        hash + ", expected " + shown(expected));
  }
}

FileToCheck Snapshot::read_file(const nlohmann::json &entry, const std::string &where,
                                uint64_t most_bytes) const {
  Fields fields(entry, where, {"name"});
  const std::string name = fields.text("file");
  if (!UntrustedFolder::is_plain_name(name)) {
    fields.fail("file", "the plain name of a file in the snapshot's folder");
  }
  const uint64_t bytes = fields.integer("bytes", 0, most_bytes);
  const std::optional<uint64_t> hash = hash_from_hex(fields.text("hash"));
  if (!hash) fields.fail("hash", "16 hexadecimal digits");
  fields.finish();
  return {name, bytes, *hash, where_ + ": the file " + name};
}

void Snapshot::read_models(const nlohmann::json &models, std::vector<FileToCheck> &files) {
  for (size_t i = 0; i < models.size(); ++i) {
    Fields fields(models[i],
                  where_ + ": " + kSnapshotIndexFile + ": models[" + std::to_string(i) + "]");
    const std::string name = fields.name("name");
    const auto [place, is_new] = model_files_.try_emplace(name);
    if (!is_new) fields.fail("name", "a name that no other model has");
    models_.push_back({name, fields.text("kind"), fields.any_text("fingerprint")});
    File &file = place->second;
    file.state = read_file(fields.object("state"), fields.where() + ": \"state\"", kMaxStateBytes);
    files.push_back(file.state);
    read_regions(fields.array("regions"), fields.where() + ": regions", file, files);
    fields.finish();
  }
}

void Snapshot::read_regions(const nlohmann::json &regions, const std::string &where, File &file,
                            std::vector<FileToCheck> &files) const {
  for (size_t i = 0; i < regions.size(); ++i) {
    const std::string place = where + "[" + std::to_string(i) + "]";
    const FileToCheck &check = files.emplace_back(read_file(regions[i], place, kMaxRegionBytes));
    Fields fields(regions[i], place);
    const std::string name = fields.text("name");
    StateReader::RegionFile region{folder_, check.name, check.bytes};
    if (!file.regions.try_emplace(name, std::move(region)).second) {
      fields.fail("name", "a name that no other region of the model has");
    }
  }
}

void Snapshot::read_links(const nlohmann::json &links, const std::vector<uint8_t> &states) {
  for (size_t i = 0; i < links.size(); ++i) {
    Fields fields(links[i],
                  where_ + ": " + kSnapshotIndexFile + ": links[" + std::to_string(i) + "]");
    const std::string name = fields.name("name");
    const uint64_t offset = fields.integer("offset", 0, states.size());
    const uint64_t bytes = fields.integer("bytes", 0, states.size() - offset);
    fields.finish();
    const auto first = states.begin() + static_cast<ptrdiff_t>(offset);
    const auto [place, is_new] = link_states_.try_emplace(name);
    if (!is_new) fields.fail("name", "a name that no other link has");
    place->second.assign(first, first + static_cast<ptrdiff_t>(bytes));
    links_.push_back(name);
  }
}

// Of a file that has been checked.
std::vector<uint8_t> Snapshot::read_state(const FileToCheck &file) const {
  try {
    std::vector<uint8_t> data(file.bytes);
    folder_->open(file.name).read(data.data(), data.size(), 0);
    return data;
  } catch (const FileError &error) {
    throw SnapshotError(file.where + " " + error.what());
  }
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
