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

#include "core/registry.h"
#include "core/scheduler.h"

namespace firesim {

class Simulation {
 public:
  // Reads and checks everything. Throws DescriptionError; nothing has been started then.
  Simulation(const std::filesystem::path &description, ModelRegistry &registry);

  // Runs to the end and writes status.jsonl while running and result.json at the end into the
  // results folder. Throws std::runtime_error if result.json cannot be written.
  RunResult run();

  // From any thread and from signal handlers.
  void request_stop() { scheduler_->request_stop(); }

 private:
  void read_options(const nlohmann::json &description, const std::filesystem::path &path);
  void add_models(const nlohmann::json &entries, ModelRole role, ModelRegistry &registry);
  void add_links(const nlohmann::json &entries);
  void check_ports_connected() const;
  size_t find_model(const std::string &name, const std::string &where) const;

  SimulationContext context_;
  SchedulerOptions options_;
  std::vector<std::unique_ptr<Model>> models_;
  std::vector<std::vector<std::string>> port_links_;  // name of the link on each port of each model
  std::unique_ptr<Scheduler> scheduler_;
};

// The content of result.json.
nlohmann::json result_to_json(const RunResult &result,
                              const std::vector<std::unique_ptr<Model>> &models);

// Exit status of firesim-sim: 0 passed, 1 a node failed or did not end, 3 error, 130 interrupted.
int exit_status(const RunResult &result);

}  // namespace firesim
