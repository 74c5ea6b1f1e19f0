// SPDX-License-Identifier: BSD-3-Clause
//
// A simulation as described by one JSON file (docs/reference/interfaces/simulation.md): reads and
// checks the description, builds models and links, runs them, writes the results.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/control.h"
#include "core/debug_session.h"
#include "core/fields.h"
#include "core/processes.h"
#include "core/registry.h"
#include "core/scheduler.h"
#include "core/snapshot.h"
#include "core/snapshot_maker.h"
#include "core/topology.h"

namespace firesim {

// A link of a description: its ends, by index in the list of nodes and then switches.
struct LinkEntry {
  std::string name;
  uint32_t latency_cycles = 0;
  size_t models[2] = {0, 0};
  uint32_t ports[2] = {0, 0};
  std::optional<LinkFaults> faults[2];  // of what each end puts in
};

class Simulation {
 public:
  // Reads and checks everything. Throws DescriptionError; nothing has been started then. With a
  // `process`, one of the description's, simulates what belongs to it, together with the others.
  Simulation(const std::filesystem::path &description, ModelRegistry &registry,
             const std::string &process = "", const MeshFactory &mesh = nullptr);

  // Runs to the end and writes status.jsonl while running and result.json at the end into the
  // results folder. Throws std::runtime_error if result.json cannot be written.
  RunResult run();

  // Target cycle the run starts at: that of the snapshot it goes on from, or 0.
  uint64_t start_cycle() const { return restore_ ? restore_->cycle() : 0; }

  // From any thread and from signal handlers.
  void request_stop() { scheduler_->request_stop(); }

 private:
  void make(const nlohmann::json &json, const std::filesystem::path &description,
            ModelRegistry &registry, const std::string &process, const MeshFactory &mesh);
  void read_options(const nlohmann::json &description, const std::filesystem::path &path);
  void add_models(const nlohmann::json &entries, ModelRole role, ModelRegistry &registry);
  void list_models(const nlohmann::json &entries, const std::string &list);
  void read_snapshot(const nlohmann::json &description, const std::string &where);
  void read_links(const nlohmann::json &entries);
  void read_faults(const nlohmann::json &entry, const std::string &where, LinkEntry &link) const;
  void take_port(const LinkEntry &link, size_t end, const Fields &side);

  // --- simulation_parts.cc: what of the target is here, and where the rest is ---
  void check_all_simulate() const;
  void connect_all();
  void connect_here(const LinkEntry &link);
  void set_faults(const LinkEntry &link);
  void connect_part(const MeshFactory &mesh);
  std::vector<GraphLink> whole_graph() const;
  void join_processes();
  nlohmann::json ready() const;
  bool is_here(size_t model) const { return listed_[model].process == self(); }
  size_t self() const { return processes_ ? processes_->self() : 0; }
  void connect_across(const LinkEntry &link, size_t near_end, uint32_t peer_port,
                      uint32_t wire_cycles);
  std::filesystem::path result_path(const std::string &stem, const std::string &suffix) const;

  void check_ports_connected() const;

  // --- simulation_restore.cc ---
  void check_same_system() const;
  void restore_models();
  void take_link_state(const LinkEntry &link, const std::function<void(StateReader &)> &take) const;
  bool keeps_link(const LinkEntry &link) const;
  void restore_links();
  void restore_cut_links();
  void start_control();
  void start_debugger(const nlohmann::json &description, const std::string &where);
  size_t find_model(const std::string &name, const std::string &where) const;

  // A model of the description. Those here are in `models_`, in the same order.
  struct ListedModel {
    std::string name;
    size_t process = 0;
    size_t local = 0;          // index in `models_`, if it is here
    std::string restore_from;  // its name in the snapshot
  };

  SimulationContext context_;
  SchedulerOptions options_;
  std::vector<std::unique_ptr<Model>> models_;
  std::vector<std::vector<std::string>> port_links_;  // name of the link on each port of each model
  std::vector<std::string> kinds_;                    // of each model
  bool clones_ = false;                               // a node has the key "restore_from"
  size_t node_count_ = 0;                             // models that are nodes come first
  std::vector<ListedModel> listed_;
  size_t local_count_ = 0;
  std::vector<LinkEntry> links_;
  std::set<std::string> newcomers_;     // models that do not go on as themselves in the snapshot
  std::string description_;             // text, which takes a tenth of the memory
  std::filesystem::path control_path_;  // empty = no control socket
  std::unique_ptr<Snapshot> restore_;
  std::unique_ptr<Scheduler> scheduler_;
  bool compressed_ = false;               // messages between processes
  std::unique_ptr<Processes> processes_;  // null when this process simulates everything
  PartOfTarget part_;                     // otherwise
  std::unique_ptr<SnapshotMaker> snapshots_;
  std::unique_ptr<ControlSocket> control_;
  std::unique_ptr<DebugSession> debugger_;  // null unless the run is debugged
};

// The content of result.json.
nlohmann::json result_to_json(const RunResult &result,
                              const std::vector<std::unique_ptr<Model>> &models);

// Exit status of firesim-sim: 0 passed, 1 a node failed or did not end, 3 error, 130 interrupted.
int exit_status(const RunResult &result);

}  // namespace firesim
