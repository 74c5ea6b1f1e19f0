// SPDX-License-Identifier: BSD-3-Clause
//
// A simulation as described by one JSON file (docs/reference/interfaces.md, section 5): reads and
// checks the description, builds models and links, runs them, writes the results.
#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/control.h"
#include "core/registry.h"
#include "core/scheduler.h"
#include "core/snapshot.h"
#include "core/snapshot_maker.h"

namespace firesim {

class Simulation {
 public:
  // Reads and checks everything. Throws DescriptionError; nothing has been started then.
  Simulation(const std::filesystem::path &description, ModelRegistry &registry);

  // Runs to the end and writes status.jsonl while running and result.json at the end into the
  // results folder. Throws std::runtime_error if result.json cannot be written.
  RunResult run();

  // Target cycle the run starts at: that of the snapshot it goes on from, or 0.
  uint64_t start_cycle() const { return restore_ ? restore_->cycle() : 0; }

  // From any thread and from signal handlers.
  void request_stop() { scheduler_->request_stop(); }

 private:
  void read_options(const nlohmann::json &description, const std::filesystem::path &path);
  void add_models(const nlohmann::json &entries, ModelRole role, ModelRegistry &registry);
  void add_links(const nlohmann::json &entries);
  void check_ports_connected() const;

  // --- simulation_restore.cc ---
  void check_same_system() const;
  void restore_models();
  bool keeps_link(const std::string &name) const;
  void restore_links();
  void start_control();
  size_t find_model(const std::string &name, const std::string &where) const;

  SimulationContext context_;
  SchedulerOptions options_;
  std::vector<std::unique_ptr<Model>> models_;
  std::vector<std::vector<std::string>> port_links_;  // name of the link on each port of each model
  std::vector<std::string> kinds_;                    // of each model
  std::vector<std::string> restore_from_;             // name of each model in the snapshot
  bool clones_ = false;                               // a node has the key "restore_from"
  size_t node_count_ = 0;                             // models that are nodes come first
  std::vector<bool> starts_afresh_;                   // models not in the snapshot
  nlohmann::json description_;
  std::filesystem::path control_path_;  // empty = no control socket
  std::unique_ptr<Snapshot> restore_;
  std::unique_ptr<Scheduler> scheduler_;
  std::unique_ptr<SnapshotMaker> snapshots_;
  std::unique_ptr<ControlSocket> control_;
};

// The list "models" of a line in status.jsonl.
nlohmann::json models_to_json(const std::vector<ModelStatus> &models);

// The content of result.json.
nlohmann::json result_to_json(const RunResult &result,
                              const std::vector<std::unique_ptr<Model>> &models);

// Exit status of firesim-sim: 0 passed, 1 a node failed or did not end, 3 error, 130 interrupted.
int exit_status(const RunResult &result);

}  // namespace firesim
