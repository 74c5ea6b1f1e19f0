// SPDX-License-Identifier: BSD-3-Clause
//
// Runs a simulation and writes result.json.
#include <algorithm>

#include "core/atomic_file.h"
#include "core/json_reader.h"
#include "core/simulation.h"
#include "core/status_writer.h"
#include "core/token_hash.h"

namespace firesim {

namespace {

// More than what they take of result.json.
constexpr uint64_t kResultBytes = 64 << 10;
constexpr uint64_t kResultBytesOfModel = 2048;
constexpr uint64_t kResultBytesOfLink = 1024;

// A hash of tokens that are not in the cycles of the system would look like one of those that are.
nlohmann::json totals_to_json(const std::optional<ChannelTotals> &totals,
                              const std::optional<FaultCounts> &faults, bool exact) {
  if (!totals) return nullptr;
  nlohmann::json json = {{"flits", totals->flits}, {"packets", totals->packets}};
  json["hash"] = exact ? nlohmann::json(hash_to_hex(totals->hash)) : nlohmann::json(nullptr);
  if (faults) json["faults"] = faults->to_json();
  return json;
}

nlohmann::json model_to_json(const ModelResult &result, const Model &model) {
  nlohmann::json json = {{"name", result.name},
                         {"cycles", result.cycles},
                         {"cpu_s", result.cpu_s},
                         {"advances", result.advances},
                         {"statistics", model.statistics()}};
  if (!result.is_node) return json;
  json["ended_at_cycle"] = nullptr;
  json["exit_code"] = nullptr;
  json["message"] = "";
  if (result.end) {
    json["ended_at_cycle"] = result.end->cycle;
    json["exit_code"] = result.end->exit_code;
    json["message"] = result.end->message;
  }
  return json;
}

}  // namespace

nlohmann::json result_to_json(const RunResult &result,
                              const std::vector<std::unique_ptr<Model>> &models) {
  nlohmann::json nodes = nlohmann::json::array();
  nlohmann::json switches = nlohmann::json::array();
  for (size_t i = 0; i < models.size(); ++i) {
    const ModelResult &model = result.models[i];
    (model.is_node ? nodes : switches).push_back(model_to_json(model, *models[i]));
  }
  // Any model that let something in from outside makes the run one that cannot be repeated.
  const bool is_deterministic =
      std::all_of(models.begin(), models.end(), [](const std::unique_ptr<Model> &model) {
        const nlohmann::json facts = model->statistics();
        return !facts.is_object() || facts.value("deterministic", true);
      });
  nlohmann::json links = nlohmann::json::array();
  for (const LinkResult &link : result.links) {
    links.push_back(
        {{"name", link.name},
         {"a_to_b", totals_to_json(link.a_to_b, link.faults_a_to_b, result.exact_network)},
         {"b_to_a", totals_to_json(link.b_to_a, link.faults_b_to_a, result.exact_network)}});
  }
  nlohmann::json token_hash = nullptr;
  if (result.exact_network) token_hash = hash_to_hex(result.token_hash);
  return {{"reason", result.reason},
          {"message", result.message},
          {"end_cycle", result.end_cycle},
          {"token_hash", token_hash},
          {"network",
           {{"mode", result.exact_network ? "exact" : "functional"},
            {"max_drift_cycles", result.drift_cycles}}},
          {"deterministic", is_deterministic},
          {"wall_s", result.wall_s},
          {"cpu_s", result.cpu_s},
          {"nodes", nodes},
          {"switches", switches},
          {"links", links}};
}

int exit_status(const RunResult &result) {
  if (result.reason == "error") return 3;
  if (result.reason == "interrupted") return 130;
  if (result.reason != "ended") return 1;
  const bool failed = std::any_of(result.models.begin(), result.models.end(),
                                  [](const ModelResult &model) {
                                    return model.end && model.end->exit_code != 0;
                                  }) ||
                      std::any_of(result.remote_ends.begin(), result.remote_ends.end(),
                                  [](const NodeEnd &one) { return one.end.exit_code != 0; });
  return failed ? 1 : 0;
}

RunResult Simulation::run() {
  const bool of_all = !processes_ || processes_->is_first();
  const uint64_t models = of_all ? listed_.size() : models_.size();
  ReservedFile result_file(
      result_path("result", ".json"),
      kResultBytes + models * kResultBytesOfModel + links_.size() * kResultBytesOfLink);
  if (processes_) join_processes();
  scheduler_->prepare();
  start_control();
  // Also if the run fails: a client may wait for a snapshot, and the socket for the client.
  const std::unique_ptr<SnapshotMaker, void (*)(SnapshotMaker *)> closes(
      snapshots_.get(), [](SnapshotMaker *snapshots) { snapshots->close(); });
  StatusWriter status(result_path("status", ".jsonl"), *scheduler_, options_.threads);
  if (debugger_) debugger_->begin(start_cycle());
  const RunResult result =
      scheduler_->run([&status](double wall_s, const std::vector<ModelStatus> &models) {
        status.write(wall_s, models);
      });
  snapshots_->close();
  control_.reset();
  nlohmann::json json = result_to_json(result, models_);
  json["start_cycle"] = start_cycle();
  const uint64_t functional_before = restore_ ? restore_->functional_before_cycle() : 0;
  if (result.exact_network && functional_before != 0) {
    json["network"][kFunctionalBefore] = functional_before;
  }
  json["snapshots"] = snapshots_->made();
  if (processes_) {
    processes_->end(result, json, part_.models);
  }
  // Every copy of a debugged run may come to its end, and there is one file.
  if (debugger_) debugger_->over(json);
  result_file.write(dump_any(json, 1) + "\n");
  return result;
}

}  // namespace firesim
