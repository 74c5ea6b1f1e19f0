// SPDX-License-Identifier: BSD-3-Clause
// A compiled blade model (model.so) and one instance of it.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "engine/firesim_engine.h"

namespace firesim::bridges {

// One instance of a model, with its ports by name. Owns a reference to the shared object.
class ModelInstance {
 public:
  // Loads `library` and makes an instance. Throws ConfigError, starting with `where`, when it is
  // not a model of this ABI version whose design hash is `design_hash`.
  ModelInstance(const std::filesystem::path &library, const std::string &design_hash,
                const std::string &where);
  ~ModelInstance();
  ModelInstance(const ModelInstance &) = delete;
  ModelInstance &operator=(const ModelInstance &) = delete;

  const std::map<std::string, FiresimPort> &ports() const { return ports_; }
  const char *engine_name() const { return engine_->engine_name; }
  void settle() { engine_->settle(instance_); }
  void tick() { engine_->tick(instance_); }

  // The state between two cycles. `load` is false when `state` is not one of this model.
  bool can_save() const { return engine_->save != nullptr && engine_->load != nullptr; }
  std::vector<uint8_t> save() const;
  bool load(const std::vector<uint8_t> &state);

  // What can be seen inside: registers and memories, and in a model built for waves every wire;
  // nothing when the engine cannot show any. Storage is valid as long as this instance.
  std::vector<FiresimSignal> signals() const;
  // Must follow what was written into storage of signals, between two cycles.
  void written() { engine_->written(instance_); }

 private:
  void *library_ = nullptr;
  const FiresimEngine *engine_ = nullptr;
  void *instance_ = nullptr;
  std::map<std::string, FiresimPort> ports_;
};

}  // namespace firesim::bridges
