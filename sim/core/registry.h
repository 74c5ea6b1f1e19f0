// SPDX-License-Identifier: BSD-3-Clause
//
// Makes models by the "kind" of their entry in the simulation description.
//
// A kind of one's own is a class derived from `Model` (or from one of the switches) and a line that
// adds it to the registry. It can live in a shared object named by the entry's key "library":
//
//   FIRESIM_MODELS(registry) {
//     registry.add(firesim::ModelRole::kSwitch, "spreading",
//     firesim::make_switch<SpreadingSwitch>);
//   }
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/model.h"

// Begins the function of a shared object that adds its kinds to `registry`, and says for which
// version of our headers it was built. In a kind that comes with FireSim, which is linked with it,
// FIRESIM_STOCK_MODELS is that function's name.
#ifdef FIRESIM_STOCK_MODELS
#define FIRESIM_MODELS(registry) void FIRESIM_STOCK_MODELS(firesim::ModelRegistry &registry)
#else
#define FIRESIM_MODELS(registry)                                                \
  extern "C" uint32_t firesim_model_abi() { return firesim::kModelAbiVersion; } \
  extern "C" void firesim_register(firesim::ModelRegistry &registry)
#endif

namespace firesim {

// Raised when a shared object built before can no longer be used: a class that models derive from
// or hold has got another layout or other virtual functions.
inline constexpr uint32_t kModelAbiVersion = 4;

// What a factory may know about the run it builds a model for.
struct SimulationContext {
  std::filesystem::path description_directory;  // inputs are relative to it
  std::filesystem::path results_directory;      // outputs are relative to it
  uint64_t clock_hz = 3'200'000'000;
  bool restored = false;    // `load` follows: files of a first content need not be read
  uint64_t node_count = 1;  // that this process simulates, all in the memory of one host

  // A file to be read: relative to the description's folder.
  std::filesystem::path input_path(const std::string &path) const {
    return description_directory / path;
  }
  // A file to be written: relative to the results folder. Makes the folders it lies in.
  // Throws DescriptionError when that is impossible.
  std::filesystem::path output_path(const std::string &path) const;
};

enum class ModelRole { kNode, kSwitch };

// Builds a model from its entry in "nodes" or "switches" and checks every key of the entry but
// "name", "kind" and "library", which are checked before. Throws DescriptionError.
using ModelFactory =
    std::function<std::unique_ptr<Model>(const nlohmann::json &entry, const SimulationContext &)>;

class ModelRegistry {
 public:
  // Adds a kind; adding one twice is an error (std::logic_error).
  void add(ModelRole role, const std::string &kind, ModelFactory factory);

  // Loads the shared object at `path` and lets it add its kinds. Loading one twice does nothing.
  // Throws DescriptionError for what is no library of models, or one for another version of ours.
  void load_library(const std::filesystem::path &path);

  // The kinds of a role, sorted; those that the library at `path` added, if it is given.
  std::vector<std::string> kinds(ModelRole role) const;
  std::vector<std::string> kinds(ModelRole role, const std::filesystem::path &path) const;

  // `where` names the entry in messages ("switches[2]"). Throws DescriptionError for an unknown
  // kind, naming the nearest known one.
  std::unique_ptr<Model> make(ModelRole role, const std::string &where, const nlohmann::json &entry,
                              const SimulationContext &context) const;

 private:
  struct Kind {
    ModelFactory factory;
    std::filesystem::path library;  // that added it; empty for what comes with FireSim
  };

  [[noreturn]] void give_up(const std::string &why);

  std::map<std::pair<ModelRole, std::string>, Kind> kinds_;
  std::vector<std::filesystem::path> libraries_;
  std::filesystem::path loading_;  // the library that is adding its kinds; empty for none
};

}  // namespace firesim
