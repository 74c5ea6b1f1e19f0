// SPDX-License-Identifier: BSD-3-Clause
//
// A simulation that goes on from a snapshot, and one that can be controlled while it runs.
#include <algorithm>

#include "core/fields.h"
#include "core/json_reader.h"
#include "core/link_state.h"
#include "core/simulation.h"
#include "core/status_writer.h"

namespace firesim {

namespace {

constexpr size_t kMaxFingerprintBytes = 256;  // that are shown

}  // namespace

// Without clones the system must be the one that was saved: what is in the snapshot must be here.
void Simulation::check_same_system() const {
  if (clones_) return;
  const std::string &where = restore_->where();
  for (const Snapshot::ModelEntry &saved : restore_->models()) {
    const bool known = std::any_of(listed_.begin(), listed_.end(), [&](const ListedModel &model) {
      return model.name == saved.name;
    });
    if (!known) {
      throw SnapshotError(where + ": has the model " + saved.name +
                          ", which is not in this system, expected a snapshot of this system");
    }
  }
  for (const std::string &saved : restore_->links()) {
    const bool known = std::any_of(links_.begin(), links_.end(),
                                   [&](const LinkEntry &link) { return link.name == saved; });
    if (known) continue;
    throw SnapshotError(where + ": has the link " + saved +
                        ", which is not in this system, expected a snapshot of this system");
  }
}

void Simulation::restore_models() {
  const uint64_t cycle = restore_->cycle();
  for (const ListedModel &listed : listed_) {
    if (listed.process != self()) continue;
    const size_t i = listed.local;
    Model &model = *models_[i];
    const std::string &from = listed.restore_from;
    if (from != model.name()) newcomers_.insert(model.name());
    const Snapshot::ModelEntry *saved = restore_->find_model(from);
    if (saved == nullptr && from != model.name()) {
      std::vector<std::string> names;
      for (const auto &entry : restore_->models()) names.push_back(entry.name);
      throw SnapshotError(restore_->where() + ": has no model " + from +
                          " for \"restore_from\" of " + model.name() + did_you_mean(from, names));
    }
    // A cluster of clones has switches of its own shape; those that fit keep what they hold.
    const bool other_switch =
        clones_ && i >= node_count_ && saved != nullptr &&
        (saved->kind != kinds_[i] || saved->fingerprint != model.fingerprint());
    if (saved == nullptr || other_switch) {
      newcomers_.insert(model.name());
      model.start_at(cycle);
      continue;
    }
    const std::string where = restore_->where() + ": " + from;
    const bool other_kind = saved->kind != kinds_[i] && !model.shares_states_with(saved->kind);
    if (other_kind && !model.continues(saved->kind)) {
      throw SnapshotError(where + " is of kind " + shown(saved->kind) + ", expected \"" +
                          kinds_[i] + "\" as in this system");
    }
    if (!other_kind && saved->fingerprint != model.fingerprint()) {
      throw SnapshotError(where + " is " + shown(saved->fingerprint, kMaxFingerprintBytes) +
                          ", expected \"" + model.fingerprint() + "\" as in this system");
    }
    StateReader state = restore_->model_state(from);
    ModelState::load(model, state, cycle);
  }
}

// What is in flight on a link, as it has to be for the latency of the link here: a network that was
// functional and is exact now, or the other way round, has links of other latencies.
void Simulation::take_link_state(const LinkEntry &link,
                                 const std::function<void(StateReader &)> &take) const {
  StateReader saved = restore_->link_state(link.name);
  if (restore_->network_is_functional() != options_.exact_network) return take(saved);
  const std::vector<uint8_t> retimed = retimed_link(saved, link.latency_cycles, restore_->cycle());
  StateReader state(restore_->where() + ": link " + link.name, retimed, {});
  take(state);
}

// What is in flight on a link belongs to the models at its ends: both must go on as themselves.
bool Simulation::keeps_link(const LinkEntry &link) const {
  if (!restore_->has_link(link.name)) return false;
  if (!clones_) return true;
  for (const size_t model : link.models) {
    if (newcomers_.contains(listed_[model].name)) return false;
  }
  StateReader state = restore_->link_state(link.name);
  state.section("link", 1);
  return state.u64() == link.latency_cycles;
}

// Those whose both ends are here.
void Simulation::restore_links() {
  scheduler_->start_at(restore_->cycle());
  if (processes_) processes_->start_at(restore_->cycle());
  for (const LinkEntry &link : links_) {
    if (!is_here(link.models[0]) || !is_here(link.models[1]) || !keeps_link(link)) continue;
    take_link_state(link, [&](StateReader &state) { scheduler_->load_link(link.name, state); });
  }
}

// Once it is known which models in other processes go on as themselves.
void Simulation::restore_cut_links() {
  for (const LinkEntry &link : links_) {
    const auto cut = part_.cut_links.find(link.name);
    if (cut == part_.cut_links.end() || !keeps_link(link)) continue;
    take_link_state(link, [&](StateReader &state) {
      processes_->peer_model(cut->second.process)
          .restore_received(cut->second.port,
                            load_half(cut->second, state, restore_->cycle(), *scheduler_));
    });
  }
}

void Simulation::start_control() {
  if (control_path_.empty() || (processes_ && !processes_->is_first())) return;
  control_ = std::make_unique<ControlSocket>(
      control_path_,
      ControlSocket::Handlers{
          [this] {
            const std::string models = models_text(scheduler_->status());
            return nlohmann::json{{"ok", true}, {"models", parse_json(models, kDescriptionLimits)}};
          },
          [this](const std::string &name) { return snapshots_->request(name); },
          [this] { scheduler_->request_stop(); }});
}

// The simulation has one thread then, so that it can be copied.
void Simulation::start_debugger(const nlohmann::json &description, const std::string &where) {
  Fields fields(description, where);
  Fields debug(fields.object("debug"), where + ": \"debug\"");
  const std::string node = debug.text("node");
  const std::string socket = debug.text("socket");
  const nlohmann::json map = {{"harts", debug.array("registers", false)},
                              {"memory_side", debug.array("memory_side", false)}};
  debug.finish();
  if (processes_ || options_.threads != 1 || !control_path_.empty()) {
    fields.fail("debug", "one thread, no \"processes\" and no \"control\" where there is this key");
  }
  Model &model = *models_[find_model(node, debug.where())];
  auto *const debuggable = dynamic_cast<Debuggable *>(&model);
  const std::optional<std::string> why_not =
      debuggable == nullptr ? "models of this kind cannot be debugged" : debuggable->cannot_debug();
  if (why_not) throw DescriptionError(node + ": " + *why_not);
  debugger_ = std::make_unique<DebugSession>(debuggable->debug_target(map), socket);
}

}  // namespace firesim
