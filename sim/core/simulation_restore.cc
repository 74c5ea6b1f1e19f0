// SPDX-License-Identifier: BSD-3-Clause
//
// A simulation that goes on from a snapshot, and one that can be controlled while it runs.
#include <algorithm>

#include "core/fields.h"
#include "core/json_reader.h"
#include "core/simulation.h"

namespace firesim {

namespace {

constexpr size_t kMaxFingerprintBytes = 256;  // that are shown

}  // namespace

// Without clones the system must be the one that was saved: what is in the snapshot must be here.
void Simulation::check_same_system() const {
  if (clones_) return;
  const std::string &where = restore_->where();
  for (const Snapshot::ModelEntry &saved : restore_->models()) {
    const bool here = std::any_of(models_.begin(), models_.end(),
                                  [&](const auto &model) { return model->name() == saved.name; });
    if (!here) {
      throw SnapshotError(where + ": has the model " + saved.name +
                          ", which is not in this system, expected a snapshot of this system");
    }
  }
  const std::vector<std::string> links = scheduler_->link_names();
  for (const std::string &saved : restore_->links()) {
    if (std::find(links.begin(), links.end(), saved) != links.end()) continue;
    throw SnapshotError(where + ": has the link " + saved +
                        ", which is not in this system, expected a snapshot of this system");
  }
}

void Simulation::restore_models() {
  const uint64_t cycle = restore_->cycle();
  starts_afresh_.resize(models_.size());
  for (size_t i = 0; i < models_.size(); ++i) {
    Model &model = *models_[i];
    const std::string &from = restore_from_[i];
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
      starts_afresh_[i] = true;
      model.start_at(cycle);
      continue;
    }
    const std::string where = restore_->where() + ": " + from;
    const bool other_kind = saved->kind != kinds_[i];
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

// What is in flight on a link belongs to the models at its ends: both must go on as themselves.
bool Simulation::keeps_link(const std::string &name) const {
  for (size_t i = 0; i < models_.size(); ++i) {
    const auto &links = port_links_[i];
    if (std::find(links.begin(), links.end(), name) == links.end()) continue;
    if (starts_afresh_[i] || restore_from_[i] != models_[i]->name()) return false;
  }
  StateReader state = restore_->link_state(name);
  return scheduler_->fits_link(name, state);
}

void Simulation::restore_links() {
  scheduler_->start_at(restore_->cycle());
  const std::vector<std::string> &saved = restore_->links();
  for (const std::string &name : scheduler_->link_names()) {
    if (std::find(saved.begin(), saved.end(), name) == saved.end()) continue;
    if (clones_ && !keeps_link(name)) continue;
    StateReader state = restore_->link_state(name);
    scheduler_->load_link(name, state);
  }
}

void Simulation::start_control() {
  if (control_path_.empty()) return;
  control_ = std::make_unique<ControlSocket>(
      control_path_,
      ControlSocket::Handlers{
          [this] {
            return nlohmann::json{{"ok", true}, {"models", models_to_json(scheduler_->status())}};
          },
          [this](const std::string &name) { return snapshots_->request(name); },
          [this] { scheduler_->request_stop(); }});
}

}  // namespace firesim
