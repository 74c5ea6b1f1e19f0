// SPDX-License-Identifier: BSD-3-Clause
//
// Writes status.jsonl: what everything does, line by line, for whoever watches a run.
#pragma once

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/scheduler.h"

namespace firesim {

class StatusWriter {
 public:
  // Makes the file at `path` anew. The scheduler has `threads` workers and all its links.
  StatusWriter(const std::filesystem::path &path, const Scheduler &scheduler, uint32_t threads);

  // Adds a line. A full disk does not end the run: then the line is torn, and the next may fit.
  void write(double wall_s, const std::vector<ModelStatus> &models);

 private:
  nlohmann::json changed_links();

  std::ofstream file_;
  const Scheduler &scheduler_;
  const uint32_t threads_;
  const std::vector<std::string> link_names_;
  std::vector<LinkStatus> written_links_;
  double next_host_s_ = 0;
};

// The list "models" of a line.
nlohmann::json models_to_json(const std::vector<ModelStatus> &models);

}  // namespace firesim
