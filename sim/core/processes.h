// SPDX-License-Identifier: BSD-3-Clause
//
// The processes that simulate one target together, as one of them sees it: who simulates what, and
// how they begin and end as one run.
#pragma once

#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/mesh.h"
#include "core/peer_model.h"
#include "core/scheduler.h"

namespace firesim {

// What leads to another process.
struct Wire {
  uint32_t links = 0;   // with ports
  uint32_t cycles = 0;  // of the latency of each
};

class Processes {
 public:
  // `entries` is the list "processes" of a description, `self` the name of one of them. Throws
  // DescriptionError.
  Processes(const nlohmann::json &entries, const std::string &where, const std::string &self);

  // The process of a model by its key "process", or else the first one; throws DescriptionError.
  size_t of_model(const nlohmann::json &entry, const std::string &where) const;
  size_t self() const { return self_; }
  size_t count() const { return places_.size(); }
  bool is_first() const { return self_ == 0; }
  const std::string &name(size_t process) const { return places_[process].name; }
  const std::string &name() const { return places_[self_].name; }

  // Before the run: makes the mesh, and a model for each process that `wires` lead to. `agreement`
  // stands for what is simulated.
  void connect(const MeshFactory &factory, const std::string &agreement, Scheduler &scheduler,
               const std::map<size_t, Wire> &wires);
  // Index in the scheduler of the model that stands for a process.
  size_t peer(size_t process) const { return peers_.at(process).index; }

  // Finds the other processes, tells them how many nodes here count for the end of the run, and
  // prepares the scheduler. Throws std::runtime_error.
  void begin(size_t counted_nodes);
  // After the scheduler has run: tells the others, and returns when their runs are over, too. In
  // the first process `part` becomes the result of the whole run, of `models`.
  void end(const RunResult &result, nlohmann::json &part, const std::vector<std::string> &models);

 private:
  struct Peer {
    std::unique_ptr<PeerModel> model;
    size_t index = 0;
  };

  void received(size_t process, std::span<const uint8_t> message);
  void obey(size_t process, std::span<const uint8_t> message);
  void stopped(size_t process, const std::string &error);
  void lost(size_t process, const std::string &why);
  void send_all(const Message &message, std::optional<size_t> but = std::nullopt);

  std::vector<ProcessPlace> places_;
  size_t self_ = 0;
  Scheduler *scheduler_ = nullptr;
  std::map<size_t, Peer> peers_;
  std::atomic<bool> stopped_by_other_{false};

  std::mutex mutex_;  // guards all that follows
  std::condition_variable changed_;
  bool running_ = false;
  std::vector<std::pair<size_t, Message>> early_;  // came before this process was ready for them
  std::map<size_t, size_t> counted_;               // nodes that count, by process
  std::map<size_t, std::string> done_;             // what each has said at its end; "" when lost
  std::string lost_early_;                         // why a process was lost before the run

  std::unique_ptr<Mesh> mesh_;  // last: its thread is gone before what it calls
};

// Puts the results of all processes together in `first`: all nodes and switches, in the order of
// `models`, all links with both directions, and their hash. Throws nlohmann::json::exception or
// std::runtime_error for what is no result.
void merge_results(nlohmann::json &first, const std::vector<nlohmann::json> &others,
                   const std::vector<std::string> &models);

}  // namespace firesim
