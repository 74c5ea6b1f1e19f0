// SPDX-License-Identifier: BSD-3-Clause
//
// One snapshot of a target that several processes simulate, all standing at one cycle.
//
// Each process writes the files of its models into its own results folder, and sends the first one
// what it holds of links. The first one puts links together and writes them with the index, last of
// all. So the snapshot is that of a single process; only its files are where their models are.
//
// In steps, each of which the first process orders and all take; they may share one folder:
//   write   a folder beside the snapshot's, SNAPSHOT.partial-PROCESS, is filled and synced
//   clear   a snapshot of the same name goes
//   place   the files move into the snapshot's folder
// If one of them fails anywhere, all undo what they did.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/cut_link.h"
#include "core/processes.h"
#include "core/scheduler.h"
#include "core/snapshot.h"

namespace firesim {

// What is simulated here of the whole target.
struct PartOfTarget {
  Processes *processes = nullptr;
  std::map<std::string, CutLink> cut_links;  // by name
  std::vector<std::string> models;           // of the whole target, in the order of the description
  std::vector<std::string> links;
  const std::string *configuration = nullptr;  // text of the description
};

class SnapshotParts {
 public:
  // What this process saves: its models, and links that are not cut.
  using Collect = std::function<SnapshotContent(uint64_t cycle)>;

  SnapshotParts(const PartOfTarget &part, const Scheduler &scheduler,
                std::filesystem::path directory, Collect collect);

  // Whether this link has its other end in another process.
  bool is_cut(const std::string &link) const { return part_.cut_links.contains(link); }

  // --- In the first process, at a pause ---
  // Throws std::runtime_error naming the process that failed; nothing is left behind then.
  void make(const std::string &name, uint64_t cycle);
  void remove(const std::string &name);
  void resume();

  // --- In the others ---
  // Does what the first process orders, until the models go on.
  void serve(uint64_t cycle);

 private:
  // One process's share, as it is sent to the first one.
  struct Share {
    nlohmann::json models;
    nlohmann::json ends;
    std::map<std::string, std::vector<uint8_t>> links;
    std::map<std::string, HalfLink> halves[2];  // by whether the end "b" is here
  };

  void step(const std::string &step, const std::string &name, const std::function<void()> &own,
            const std::function<void(StateReader &)> &answered = nullptr);
  void take_step(const std::string &step, const std::string &name, uint64_t cycle);
  void write(const std::string &name, uint64_t cycle);
  void clear(const std::string &name);
  void place(const std::string &name);
  void undo(const std::string &name);
  void write_share(StateWriter &state) const;
  void read_share(StateReader &state);
  void put_together(SnapshotContent &content, nlohmann::json &models);
  std::filesystem::path partial(const std::string &name) const;

  const PartOfTarget &part_;
  Processes &processes_;
  const Scheduler &scheduler_;
  const std::filesystem::path directory_;
  const Collect collect_;

  Share share_;           // of this process; in the first one, of all
  bool cleared_ = false;  // there is no older snapshot of the name any more
};

}  // namespace firesim
