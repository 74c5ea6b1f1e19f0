// SPDX-License-Identifier: BSD-3-Clause
//
// What of the target is simulated here: all of it, or a part whose links to the rest end in models
// that stand for other processes.
#include <algorithm>
#include <map>

#include "core/simulation.h"
#include "core/token_hash.h"

namespace firesim {

void Simulation::check_all_simulate() const {
  for (size_t process = 0; process < processes_->count(); ++process) {
    const bool simulates =
        std::any_of(listed_.begin(), listed_.end(),
                    [process](const ListedModel &model) { return model.process == process; });
    if (simulates) continue;
    throw DescriptionError("\"processes\": " + processes_->name(process) +
                           " simulates nothing, expected a model at least");
  }
}

void Simulation::connect_all() {
  for (const LinkEntry &link : links_) connect_here(link);
}

void Simulation::connect_here(const LinkEntry &link) {
  scheduler_->connect(link.name, listed_[link.models[0]].local, link.ports[0],
                      listed_[link.models[1]].local, link.ports[1], link.latency_cycles);
  set_faults(link);
}

// Those of what is put in here.
void Simulation::set_faults(const LinkEntry &link) {
  for (const size_t end : {0, 1}) {
    if (link.faults[end]) scheduler_->set_faults(link.name, end == 0, *link.faults[end]);
  }
}

// All links of the target, with those that keep unconnected parts of it together: the same as a
// scheduler adds that simulates everything.
std::vector<GraphLink> Simulation::whole_graph() const {
  std::vector<GraphLink> graph;
  for (const LinkEntry &link : links_) {
    graph.push_back({link.models[0], link.models[1], link.latency_cycles});
  }
  const std::vector<GraphLink> hidden = hidden_links(listed_.size(), graph);
  graph.insert(graph.end(), hidden.begin(), hidden.end());
  return graph;
}

// Of the cycles of a link between two processes, those at its end `end` (0 or 1).
static uint32_t near_cycles(uint32_t latency_cycles, uint32_t wire_cycles, size_t end) {
  const uint32_t left = latency_cycles - wire_cycles;
  return end == 0 ? left - left / 2 : left / 2;
}

void Simulation::connect_across(const LinkEntry &link, size_t near_end, uint32_t peer_port,
                                uint32_t wire_cycles) {
  const size_t local = listed_[link.models[near_end]].local;
  const size_t peer = processes_->peer(listed_[link.models[1 - near_end]].process);
  const uint32_t cycles = near_cycles(link.latency_cycles, wire_cycles, near_end);
  CutLink &cut = part_.cut_links[link.name];
  cut.name = link.name;
  cut.near_end = near_end;
  cut.near_cycles = cycles;
  cut.wire_cycles = wire_cycles;
  cut.far_cycles = near_cycles(link.latency_cycles, wire_cycles, 1 - near_end);
  cut.process = listed_[link.models[1 - near_end]].process;
  cut.port = peer_port;
  if (near_end == 0) {
    scheduler_->connect(link.name, local, link.ports[0], peer, peer_port, cycles);
  } else {
    scheduler_->connect(link.name, peer, peer_port, local, link.ports[1], cycles);
  }
  set_faults(link);
}

void Simulation::connect_part(const MeshFactory &mesh) {
  const std::vector<GraphLink> graph = whole_graph();
  std::map<size_t, Wire> wires;
  const auto far_end = [&](size_t a, size_t b) -> std::optional<size_t> {
    if (is_here(a) == is_here(b)) return std::nullopt;
    return is_here(a) ? 1 : 0;
  };
  for (size_t i = 0; i < graph.size(); ++i) {
    const size_t ends[2] = {graph[i].a, graph[i].b};
    const auto far = far_end(ends[0], ends[1]);
    if (!far) continue;
    Wire &wire = wires[listed_[ends[*far]].process];
    wire.links += i < links_.size() ? 1 : 0;  // hidden ones have no port
    // What thirds leave over is on the wire: so both sides count in steps of the same length.
    const uint32_t middle = graph[i].latency_cycles - graph[i].latency_cycles / 3 * 2;
    wire.cycles = wire.cycles == 0 ? middle : std::min(wire.cycles, middle);
  }
  processes_->connect(mesh, hash_to_hex(hash_text(description_)), compressed_, *scheduler_, wires);
  std::map<size_t, uint32_t> next_port;
  for (const LinkEntry &link : links_) {
    const auto far = far_end(link.models[0], link.models[1]);
    if (far) {
      const size_t process = listed_[link.models[*far]].process;
      connect_across(link, 1 - *far, next_port[process]++, wires[process].cycles);
    } else if (is_here(link.models[0])) {
      connect_here(link);
    }
  }
  for (size_t i = links_.size(); i < graph.size(); ++i) {
    const size_t ends[2] = {graph[i].a, graph[i].b};
    if (const auto far = far_end(ends[0], ends[1])) {
      scheduler_->connect_hidden(listed_[ends[1 - *far]].local,
                                 processes_->peer(listed_[ends[*far]].process),
                                 near_cycles(graph[i].latency_cycles,
                                             wires[listed_[ends[*far]].process].cycles, 1 - *far));
    } else if (is_here(ends[0])) {
      scheduler_->connect_hidden(listed_[ends[0]].local, listed_[ends[1]].local,
                                 graph[i].latency_cycles);
    }
  }
  scheduler_->set_part(diameter_cycles(listed_.size(), graph));
  part_.processes = processes_.get();
  part_.configuration = &description_;
  for (const ListedModel &model : listed_) part_.models.push_back(model.name);
  for (const LinkEntry &link : links_) part_.links.push_back(link.name);
}

// What the other processes have to know of the models here before they start.
nlohmann::json Simulation::ready() const {
  size_t counted = 0;
  nlohmann::json ends = nlohmann::json::array();
  for (size_t i = 0; i < models_.size(); ++i) {
    const Model &model = *models_[i];
    const bool counts = i < node_count_ && model.counts_for_end();
    if (counts) ++counted;
    if (!model.end()) continue;
    ends.push_back({{"node", model.name()},
                    {"counts", counts},
                    {"cycle", model.end()->cycle},
                    {"exit_code", model.end()->exit_code},
                    {"assert_failed", model.end()->assert_failed},
                    {"message", model.end()->message}});
  }
  return {{"counted_nodes", counted}, {"ends", ends}, {"newcomers", newcomers_}};
}

void Simulation::join_processes() {
  const std::map<size_t, nlohmann::json> others = processes_->meet(ready());
  for (const auto &[process, other] : others) {
    scheduler_->add_remote_nodes(other.at("counted_nodes"));
    for (const nlohmann::json &name : other.at("newcomers")) newcomers_.insert(name);
  }
  for (const auto &[process, other] : others) {
    for (const nlohmann::json &end : other.at("ends")) {
      scheduler_->note_remote_end(
          {end.at("node"),
           end.at("counts"),
           {end.at("cycle"), end.at("exit_code"), end.at("assert_failed"), end.at("message")}});
    }
  }
  if (restore_) restore_cut_links();
  scheduler_->prepare();
  processes_->start();
}

// The first process writes the results of the run, the others those of their part beside them.
std::filesystem::path Simulation::result_path(const std::string &stem,
                                              const std::string &suffix) const {
  const bool other = processes_ && !processes_->is_first();
  return context_.results_directory / (stem + (other ? "-" + processes_->name() : "") + suffix);
}

}  // namespace firesim
