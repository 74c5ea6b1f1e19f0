// SPDX-License-Identifier: BSD-3-Clause
//
// The processes that simulate one target together, as one of them sees it: who simulates what, and
// how they begin and end as one run.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
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
  uint32_t threads() const { return places_[self_].threads; }  // 0: as for all
  const std::string &name(size_t process) const { return places_[process].name; }
  const std::string &name() const { return places_[self_].name; }

  // Before the run: makes the mesh, and a model for each process that `wires` lead to. `agreement`
  // stands for what is simulated.
  void connect(const MeshFactory &factory, const std::string &agreement, bool compressed,
               Scheduler &scheduler, const std::map<size_t, Wire> &wires);
  // The model that stands for a process, and its index in the scheduler.
  PeerModel &peer_model(size_t process) const { return *peers_.at(process).model; }
  size_t peer(size_t process) const { return peers_.at(process).index; }
  // Before the run: all links are empty at `cycle`.
  void start_at(uint64_t cycle);

  // Finds the other processes, tells each of them `ready`, and returns what each has said. Throws
  // std::runtime_error.
  std::map<size_t, nlohmann::json> meet(const nlohmann::json &ready);
  // Once the scheduler is prepared: heeds what the others send.
  void start();
  // After the scheduler has run: tells the others, and returns when their runs are over, too. In
  // the first process `part` becomes the result of the whole run, of `models`.
  void end(const RunResult &result, nlohmann::json &part, const std::vector<std::string> &models);

  // --- processes_pause.cc: while all models stand at one cycle. The first process gives orders,
  // and the others answer each of them, or none, as the two sides know. ---
  // Tells the others.
  void order(const nlohmann::json &order);
  // One answer of each. Throws std::runtime_error naming a process that will not answer any more.
  std::map<size_t, Message> answers();
  // For the others: the next order, or nothing when the first process is not there any more.
  std::optional<nlohmann::json> next_order();
  void answer(std::span<const uint8_t> answer);
  // All that was sent before `cycle` is here. Throws std::runtime_error if it will not come.
  void await_tokens(uint64_t cycle);

 private:
  struct Peer {
    std::unique_ptr<PeerModel> model;
    size_t index = 0;
  };

  void received(size_t process, const Parcel &message);
  void obey(size_t process, const Parcel &message);
  void stopped(size_t process, const nlohmann::json &why);
  void note_lost(const std::string &name);
  nlohmann::json lost();
  bool all_done();
  void want_pause();
  void reached(size_t process, uint64_t cycle);
  bool take_pause_message(size_t process, std::span<const uint8_t> message);
  void abandon_waiting();
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
  std::vector<std::pair<size_t, Parcel>> early_;  // came before this process was ready for them
  std::map<size_t, nlohmann::json> ready_;        // what each has said before the run
  std::map<size_t, std::string> done_;            // what each has said at its end; "" when lost
  std::string lost_early_;                        // why a process was lost before the run
  std::vector<std::string> lost_;                 // names of those lost, sorted
  std::map<size_t, uint64_t> reached_;            // in the first process, after each kHold
  std::map<size_t, Message> answers_;
  std::deque<nlohmann::json> orders_;

  std::unique_ptr<Mesh> mesh_;  // last: its thread is gone before what it calls
};

// Puts the results of all processes together in `first`: all nodes and switches, in the order of
// `models`, all links with both directions, and their hash. Throws nlohmann::json::exception or
// std::runtime_error for what is no result.
void merge_results(nlohmann::json &first, const std::vector<nlohmann::json> &others,
                   const std::vector<std::string> &models);

}  // namespace firesim
