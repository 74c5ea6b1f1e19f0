// SPDX-License-Identifier: BSD-3-Clause
//
// Makes models by kind; loads kinds from shared objects.
#include "core/registry.h"

#include <dlfcn.h>

#include <algorithm>
#include <stdexcept>
#include <system_error>

#include "core/fields.h"

namespace firesim {

std::filesystem::path SimulationContext::output_path(const std::string &path) const {
  const std::filesystem::path full = results_directory / path;
  std::error_code error;
  std::filesystem::create_directories(full.parent_path(), error);
  if (error) {
    throw DescriptionError("cannot make the folder " + full.parent_path().string() + ": " +
                           error.message());
  }
  return full;
}

void ModelRegistry::add(ModelRole role, const std::string &kind, ModelFactory factory) {
  if (!factories_.emplace(std::pair(role, kind), std::move(factory)).second) {
    throw std::logic_error("kind \"" + kind + "\" is registered twice");
  }
}

void ModelRegistry::load_library(const std::filesystem::path &path) {
  if (std::find(libraries_.begin(), libraries_.end(), path) != libraries_.end()) return;
  // Never unloaded: the models' code lives in it until the process ends.
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw DescriptionError(std::string("cannot load the library of a model: ") + dlerror());
  }
  using Register = void (*)(ModelRegistry &);
  const auto entry = reinterpret_cast<Register>(dlsym(library, "firesim_register"));
  if (entry == nullptr) {
    throw DescriptionError(path.string() +
                           ": found no function firesim_register, expected extern \"C\" void "
                           "firesim_register(firesim::ModelRegistry &)");
  }
  try {
    entry(*this);
  } catch (const std::exception &error) {
    throw DescriptionError(path.string() + ": firesim_register failed: " + error.what());
  }
  libraries_.push_back(path);
}

std::unique_ptr<Model> ModelRegistry::make(ModelRole role, const std::string &where,
                                           const nlohmann::json &entry,
                                           const SimulationContext &context) const {
  const auto kind = entry.at("kind").get<std::string>();
  if (const auto found = factories_.find({role, kind}); found != factories_.end()) {
    return found->second(entry, context);
  }
  std::vector<std::string> kinds;
  std::string listed;
  for (const auto &[key, unused] : factories_) {
    if (key.first != role) continue;
    kinds.push_back(key.second);
    listed += (listed.empty() ? "\"" : ", \"") + key.second + "\"";
  }
  throw DescriptionError(where + ": \"kind\" is \"" + kind + "\", expected one of " + listed +
                         did_you_mean(kind, kinds));
}

}  // namespace firesim
