// SPDX-License-Identifier: BSD-3-Clause
//
// Builds a simulation from its description.
#include "core/simulation.h"

#include <malloc.h>

#include <algorithm>

#include "core/fields.h"
#include "core/json_reader.h"

namespace firesim {

Simulation::Simulation(const std::filesystem::path &description, ModelRegistry &registry,
                       const std::string &process, const MeshFactory &mesh) {
  {
    const nlohmann::json json = read_json_file(description, kDescriptionLimits);
    description_ = json.dump();
    make(json, description, registry, process, mesh);
  }
  malloc_trim(0);  // a tree of thousands of nodes takes gigabytes
}

void Simulation::make(const nlohmann::json &json, const std::filesystem::path &description,
                      ModelRegistry &registry, const std::string &process,
                      const MeshFactory &mesh) {
  context_.description_directory = std::filesystem::absolute(description).parent_path();
  Fields fields(json, description.string(),
                {"results", "threads", "batch_cycles", "max_cycles", "clock_hz", "end_when",
                 "status_interval_s", "random_batch_seed", "snapshots", "restore", "control",
                 "network", "longest_advance_cycles", "debug"});
  fields.integer("version", 1, 1);
  const nlohmann::json &nodes = fields.array("nodes");
  const nlohmann::json &switches = fields.array("switches", false);
  const nlohmann::json &links = fields.array("links", false);
  const nlohmann::json &processes = fields.array("processes", false);
  compressed_ =
      json.contains("compression") && fields.choice("compression", {"none", "lz4"}) == "lz4";
  fields.finish();
  if (nodes.empty() && switches.empty()) fields.fail("nodes", "at least one node or switch");
  if (!process.empty()) {
    processes_ = std::make_unique<Processes>(processes, "\"processes\"", process);
  }
  read_options(json, description);
  if (processes_ && processes_->threads() != 0) options_.threads = processes_->threads();
  list_models(nodes, "nodes");
  context_.node_count = local_count_;
  list_models(switches, "switches");
  if (processes_) check_all_simulate();
  read_snapshot(json, description.string());
  add_models(nodes, ModelRole::kNode, registry);
  node_count_ = models_.size();
  add_models(switches, ModelRole::kSwitch, registry);
  scheduler_ = std::make_unique<Scheduler>(options_);
  for (size_t i = 0; i < models_.size(); ++i) scheduler_->add_model(*models_[i], i < node_count_);
  read_links(links);
  check_ports_connected();
  if (processes_) {
    connect_part(mesh);
  } else {
    connect_all();
  }
  if (restore_) {
    check_same_system();
    restore_models();
    restore_links();
  }
  if (json.contains("debug")) start_debugger(json, description.string());
  snapshots_ = std::make_unique<SnapshotMaker>(json, description_, context_, *scheduler_, models_,
                                               kinds_, processes_ ? &part_ : nullptr);
}

void Simulation::read_options(const nlohmann::json &description,
                              const std::filesystem::path &path) {
  Fields fields(description, path.string());
  options_.threads = static_cast<uint32_t>(fields.integer("threads", 1, 1024, 1));
  options_.batch_cycles = static_cast<uint32_t>(fields.integer("batch_cycles", 0, UINT32_MAX, 0));
  options_.max_cycles = fields.integer("max_cycles", 0, uint64_t{1} << 62, 0);
  options_.random_batch_seed = fields.integer("random_batch_seed", 0, UINT64_MAX, 0);
  options_.status_interval_s = fields.number("status_interval_s", 0, 3600, 0.5);
  options_.end_with_first =
      description.contains("end_when") && fields.choice("end_when", {"all", "first"}) == "first";
  options_.exact_network = !description.contains("network") ||
                           fields.choice("network", {"exact", "functional"}) == "exact";
  options_.longest_advance_cycles = static_cast<uint32_t>(
      fields.integer("longest_advance_cycles", 1, kMostAdvanceCycles, kMaxGridCycles));
  context_.clock_hz = fields.integer("clock_hz", 1, 1'000'000'000'000, 3'200'000'000);
  options_.on_calling_thread = description.contains("debug");
  context_.results_directory = context_.description_directory / fields.text("results");
  std::error_code error;
  std::filesystem::create_directories(context_.results_directory, error);
  if (error) fields.fail("results", "a folder that can be made (" + error.message() + ")");
  if (const auto path = fields.optional_text("control")) {
    control_path_ = context_.output_path(*path);
  }
}

// What of it is needed here.
void Simulation::read_snapshot(const nlohmann::json &description, const std::string &where) {
  if (!description.contains("restore") || description.at("restore").is_null()) return;
  Fields restore(description.at("restore"), where + ": \"restore\"");
  const std::string snapshot = restore.text("snapshot");
  restore.finish();
  std::optional<std::set<std::string>> wanted;
  if (processes_) {
    wanted.emplace();
    for (size_t i = 0; i < listed_.size(); ++i) {
      if (is_here(i)) wanted->insert(listed_[i].restore_from);
    }
  }
  restore_ = std::make_unique<Snapshot>(context_.input_path(snapshot), wanted);
  context_.restored = true;
  const uint64_t functional_before = restore_->functional_before_cycle();
  if (functional_before == 0) return;
  nlohmann::json noted = description;
  noted[kFunctionalBefore] = functional_before;
  description_ = noted.dump();
}

// Names, and who simulates what, of all models, wherever they are.
void Simulation::list_models(const nlohmann::json &entries, const std::string &list) {
  for (size_t i = 0; i < entries.size(); ++i) {
    const std::string where = list + "[" + std::to_string(i) + "]";
    Fields fields(entries[i], where);
    ListedModel model;
    model.name = fields.name("name");
    for (const ListedModel &other : listed_) {
      if (other.name == model.name) fields.fail("name", "a name that no other model has");
    }
    if (processes_) model.process = processes_->of_model(entries[i], where);
    if (model.process == self()) model.local = local_count_++;
    const std::optional<std::string> from = fields.optional_text("restore_from");
    model.restore_from = from.value_or(model.name);
    clones_ = clones_ || from;
    listed_.push_back(std::move(model));
  }
}

void Simulation::add_models(const nlohmann::json &entries, ModelRole role,
                            ModelRegistry &registry) {
  const std::string list = role == ModelRole::kNode ? "nodes" : "switches";
  const size_t first = role == ModelRole::kNode ? 0 : listed_.size() - entries.size();
  for (size_t i = 0; i < entries.size(); ++i) {
    const std::string where = list + "[" + std::to_string(i) + "]";
    Fields fields(entries[i], where);
    const std::string &name = listed_[first + i].name;
    fields.text("kind");
    const std::optional<std::string> library = fields.optional_text("library");
    const std::optional<std::string> from = fields.optional_text("restore_from");
    if (from && !restore_) fields.fail("restore_from", "no such key without \"restore\"");
    if (!is_here(first + i)) continue;
    if (library) registry.load_library(context_.input_path(*library));
    try {
      nlohmann::json entry = entries[i];
      entry.erase("restore_from");
      entry.erase("process");
      models_.push_back(registry.make(role, where, entry, context_));
    } catch (const DescriptionError &) {
      throw;
    } catch (const std::exception &error) {
      throw DescriptionError(where + " (" + name + "): " + error.what());
    }
    port_links_.emplace_back(models_.back()->port_count());
    kinds_.push_back(entries[i].at("kind"));
  }
}

size_t Simulation::find_model(const std::string &name, const std::string &where) const {
  std::vector<std::string> names;
  for (size_t i = 0; i < listed_.size(); ++i) {
    if (listed_[i].name == name) return i;
    names.push_back(listed_[i].name);
  }
  throw DescriptionError(where + ": \"model\" is \"" + name +
                         "\", expected the name of a node or switch" + did_you_mean(name, names));
}

void Simulation::read_links(const nlohmann::json &entries) {
  std::vector<std::string> names;
  for (size_t i = 0; i < entries.size(); ++i) {
    const std::string where = "links[" + std::to_string(i) + "]";
    Fields fields(entries[i], where);
    LinkEntry link;
    link.name = fields.name("name");
    if (std::find(names.begin(), names.end(), link.name) != names.end()) {
      fields.fail("name", "a name that no other link has");
    }
    names.push_back(link.name);
    link.latency_cycles = static_cast<uint32_t>(fields.integer("latency_cycles", 1, UINT32_MAX));
    for (const size_t end : {0, 1}) {
      const char *key = end == 0 ? "a" : "b";
      Fields side(fields.object(key), where + " (" + link.name + "): \"" + key + "\"");
      link.models[end] = find_model(side.text("model"), side.where());
      link.ports[end] = static_cast<uint32_t>(side.integer("port", 0, UINT32_MAX));
      side.finish();
      if (is_here(link.models[end])) take_port(link, end, side);
    }
    const bool is_cut = listed_[link.models[0]].process != listed_[link.models[1]].process;
    if (is_cut && link.latency_cycles < 3) {
      fields.fail("latency_cycles", "at least 3 for a link between two processes");
    }
    if (entries[i].contains("faults")) {
      fields.object("faults");
      read_faults(entries[i].at("faults"), where + " (" + link.name + "): \"faults\"", link);
    }
    fields.finish();
    links_.push_back(std::move(link));
  }
}

void Simulation::read_faults(const nlohmann::json &entry, const std::string &where,
                             LinkEntry &link) const {
  Fields fields(entry, where);
  for (const size_t end : {0, 1}) {
    const std::string key = end == 0 ? "a_to_b" : "b_to_a";
    if (!entry.contains(key)) continue;
    const std::string place = where + ": \"" + key + "\"";
    LinkFaults faults = read_link_faults(fields.object(key), place, link.name + " " + key);
    // A third of a link may be at either end, and the fate of a frame is decided at the first.
    const uint64_t least = 3 * (uint64_t{faults.lookahead_cycles()} + 1);
    if (link.latency_cycles < least) {
      throw DescriptionError(place + ": found rules that look at " +
                             std::to_string(faults.lookahead_cycles() + 1) +
                             " flits on a link of " + std::to_string(link.latency_cycles) +
                             " cycles, expected at least " + std::to_string(least) + " cycles");
    }
    if (is_here(link.models[end])) {
      faults.log = context_.output_path(faults.log).string();
      link.faults[end] = std::move(faults);
    }
  }
  fields.finish();
}

// Of an end of a link that is here.
void Simulation::take_port(const LinkEntry &link, size_t end, const Fields &side) {
  std::vector<std::string> &taken = port_links_[listed_[link.models[end]].local];
  if (taken.empty()) side.fail("model", "a model with ports, and this one has none");
  if (link.ports[end] >= taken.size()) {
    side.fail("port", "an integer from 0 to " + std::to_string(taken.size() - 1));
  }
  std::string &other = taken[link.ports[end]];
  if (!other.empty()) side.fail("port", "a free port, and this one is used by link " + other);
  other = link.name;
}

void Simulation::check_ports_connected() const {
  for (size_t i = 0; i < models_.size(); ++i) {
    if (models_[i]->ports_may_be_open()) continue;
    for (size_t port = 0; port < port_links_[i].size(); ++port) {
      if (!port_links_[i][port].empty()) continue;
      throw DescriptionError(models_[i]->name() + ": port " + std::to_string(port) +
                             " is not connected, expected a link to it");
    }
  }
}

}  // namespace firesim
