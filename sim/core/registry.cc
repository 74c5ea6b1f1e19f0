// SPDX-License-Identifier: BSD-3-Clause
//
// Makes models by kind; loads kinds from shared objects.
#include "core/registry.h"

#include <dlfcn.h>

#include <algorithm>
#include <stdexcept>
#include <system_error>
#include <utility>

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
  const auto [known, added] =
      kinds_.emplace(std::pair(role, kind), Kind{std::move(factory), loading_});
  if (added) return;
  const std::string by = known->second.library.string();
  throw std::logic_error("kind \"" + kind + "\" is registered twice, first by " +
                         (by.empty() ? "FireSim" : by));
}

void ModelRegistry::load_library(const std::filesystem::path &path) {
  if (std::find(libraries_.begin(), libraries_.end(), path) != libraries_.end()) return;
  // Never unloaded: the models' code lives in it until the process ends.
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw DescriptionError(std::string("cannot load the library of a model: ") + dlerror());
  }
  using Version = uint32_t (*)();
  using Register = void (*)(ModelRegistry &);
  const auto version = reinterpret_cast<Version>(dlsym(library, "firesim_model_abi"));
  const auto entry = reinterpret_cast<Register>(dlsym(library, "firesim_register"));
  if (version == nullptr || entry == nullptr) {
    throw DescriptionError(path.string() +
                           ": found no FIRESIM_MODELS(registry), expected it to add the kinds");
  }
  if (const uint32_t built_for = version(); built_for != kModelAbiVersion) {
    throw DescriptionError(path.string() + ": found a library built for version " +
                           std::to_string(built_for) + " of FireSim's headers, expected version " +
                           std::to_string(kModelAbiVersion) + ": build it again");
  }
  loading_ = path;
  try {
    entry(*this);
  } catch (const std::exception &error) {
    give_up(error.what());
  } catch (...) {
    give_up("it threw something that is no std::exception");
  }
  loading_.clear();
  libraries_.push_back(path);
}

// What a library added before it failed is not there either: its kinds would be taken for kinds of
// FireSim's, or for those of the next library.
void ModelRegistry::give_up(const std::string &why) {
  const std::filesystem::path library = std::exchange(loading_, {});
  std::erase_if(kinds_, [&library](const auto &one) { return one.second.library == library; });
  throw DescriptionError(library.string() + ": FIRESIM_MODELS failed: " + why);
}

std::vector<std::string> ModelRegistry::kinds(ModelRole role) const {
  std::vector<std::string> found;
  for (const auto &[key, unused] : kinds_) {
    if (key.first == role) found.push_back(key.second);
  }
  return found;
}

std::vector<std::string> ModelRegistry::kinds(ModelRole role,
                                              const std::filesystem::path &path) const {
  std::vector<std::string> found;
  for (const auto &[key, kind] : kinds_) {
    if (key.first == role && kind.library == path) found.push_back(key.second);
  }
  return found;
}

std::unique_ptr<Model> ModelRegistry::make(ModelRole role, const std::string &where,
                                           const nlohmann::json &entry,
                                           const SimulationContext &context) const {
  const auto kind = entry.at("kind").get<std::string>();
  if (const auto found = kinds_.find({role, kind}); found != kinds_.end()) {
    return found->second.factory(entry, context);
  }
  const std::vector<std::string> known = kinds(role);
  std::string listed;
  for (const std::string &name : known) listed += (listed.empty() ? "\"" : ", \"") + name + "\"";
  throw DescriptionError(where + ": \"kind\" is \"" + kind + "\", expected one of " + listed +
                         did_you_mean(kind, known));
}

}  // namespace firesim
