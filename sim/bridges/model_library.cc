// SPDX-License-Identifier: BSD-3-Clause
// Loads compiled blade models; see model_library.h.
#include "bridges/model_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "devices/config.h"

namespace firesim::bridges {

using namespace devices;

ModelInstance::ModelInstance(const std::filesystem::path &library, const std::string &design_hash,
                             const std::string &where) {
  const auto fail = [&](const std::string &what) {
    if (library_ != nullptr) dlclose(library_);
    throw ConfigError(fmt::format("{}: model {} {}", where, library.string(), what));
  };
  // An absolute path: dlopen looks for a bare name elsewhere.
  library_ = dlopen(std::filesystem::absolute(library).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) fail(fmt::format("cannot be loaded: {}", dlerror()));
  const auto entry =
      reinterpret_cast<const FiresimEngine *(*)()>(dlsym(library_, "firesim_engine"));
  if (entry == nullptr) fail("has no function firesim_engine, so it is not a blade model");
  engine_ = entry();
  if (engine_->abi_version != FIRESIM_ENGINE_ABI_VERSION) {
    fail(fmt::format("has engine ABI version {}, expected {}; build it again", engine_->abi_version,
                     static_cast<int>(FIRESIM_ENGINE_ABI_VERSION)));
  }
  if (design_hash != engine_->design_hash) {
    fail(fmt::format("has design hash {}, but its manifest says {}; build it again",
                     engine_->design_hash, design_hash));
  }
  instance_ = engine_->create();
  if (instance_ == nullptr) fail("cannot be instantiated: out of memory");
  for (uint32_t i = 0; i < engine_->port_count; ++i) {
    const FiresimPort port = engine_->port(instance_, i);
    ports_[port.name] = port;
  }
}

ModelInstance::~ModelInstance() {
  engine_->destroy(instance_);
  dlclose(library_);
}

std::vector<uint8_t> ModelInstance::save() const {
  std::vector<uint8_t> state;
  engine_->save(
      instance_,
      [](void *to, const void *data, size_t bytes) {
        const auto *from = static_cast<const uint8_t *>(data);
        static_cast<std::vector<uint8_t> *>(to)->insert(
            static_cast<std::vector<uint8_t> *>(to)->end(), from, from + bytes);
      },
      &state);
  return state;
}

bool ModelInstance::load(const std::vector<uint8_t> &state) {
  return engine_->load(instance_, state.data(), state.size()) == 0;
}

std::vector<FiresimSignal> ModelInstance::signals() const {
  std::vector<FiresimSignal> found;
  for (uint32_t i = 0; i < engine_->signal_count; ++i) {
    found.push_back(engine_->signal(instance_, i));
  }
  return found;
}

}  // namespace firesim::bridges
