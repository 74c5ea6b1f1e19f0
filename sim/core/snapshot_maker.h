// SPDX-License-Identifier: BSD-3-Clause
//
// Makes the snapshots of a run: those of the description's key "snapshots" and those asked for
// while it runs.
//
//   "snapshots": {"directory": "snapshots", "at_cycles": [1000000], "interval_cycles": 0,
//                 "interval_s": 0, "keep": 2}
//
// Those at `at_cycles` are named "cycle-N". Those at an interval, of target cycles or of wall-clock
// time, are named "auto-N", and only the newest `keep` of this run stay; an older one goes when the
// newer one is complete. A snapshot that cannot be written does not end the run: it is named on the
// console and in result.json.
//
// Of several processes that simulate a target, the first one decides, and the others take their
// part (snapshot_parts.h).
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <future>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/registry.h"
#include "core/scheduler.h"
#include "core/snapshot.h"
#include "core/snapshot_parts.h"

namespace firesim {

class SnapshotMaker {
 public:
  // Reads the key "snapshots" of `settings`, which `description` is the text of, and plans the
  // pauses of `scheduler`. References outlive this, but for `settings`. `part` is null when this
  // process simulates everything. Throws DescriptionError, also when a model cannot be saved and
  // snapshots are planned.
  SnapshotMaker(const nlohmann::json &settings, const std::string &description,
                const SimulationContext &context, Scheduler &scheduler,
                const std::vector<std::unique_ptr<Model>> &models,
                const std::vector<std::string> &kinds, const PartOfTarget *part);

  // Makes a snapshot as soon as possible and waits for it; any thread but the one of the run.
  // Returns the answer of the control socket. Throws std::runtime_error with one sentence.
  nlohmann::json request(const std::string &name);

  // The run is over: requests still waiting are refused, and so are all that come.
  void close();

  // For result.json: every snapshot made and still there, and those that failed.
  const nlohmann::json &made() const { return made_; }

 private:
  struct Request {
    std::string name;
    std::promise<nlohmann::json> answer;  // {"error": …} when there is none
  };

  void read_settings(const nlohmann::json &settings, const SimulationContext &context);
  void check_models() const;
  uint64_t next_cycle(uint64_t after) const;
  void at_pause(uint64_t cycle, bool timed);
  void take_part(uint64_t cycle);
  SnapshotContent collect(uint64_t cycle) const;
  nlohmann::json make(uint64_t cycle, const std::string &name);
  void note_failure(nlohmann::json failure);
  bool try_make(uint64_t cycle, const std::string &name);
  void drop_oldest();
  void remove_leftovers(const std::string &process) const;
  void answer_requests(uint64_t cycle);

  const std::string &description_;  // text
  Scheduler &scheduler_;
  const std::vector<std::unique_ptr<Model>> &models_;
  const std::vector<std::string> &kinds_;
  std::unique_ptr<SnapshotParts> parts_;  // null when this process simulates everything
  bool leads_ = true;                     // decides what snapshots there are
  std::filesystem::path directory_;
  std::vector<uint64_t> at_cycles_;  // ascending
  uint64_t interval_cycles_ = 0;
  double interval_s_ = 0;
  size_t keep_ = 2;
  std::deque<std::string> automatic_;  // names of those that are there, oldest first
  nlohmann::json made_ = nlohmann::json::array();

  std::mutex mutex_;  // guards what follows
  std::deque<Request> requests_;
  bool closed_ = false;
};

}  // namespace firesim
