// SPDX-License-Identifier: BSD-3-Clause
//
// Makes models by the "kind" of their entry in the simulation description.
//
// A kind of one's own is a class derived from `Model` (or from one of the switches) and a line that
// adds it to the registry. It can live in a shared object named by the entry's key "library", which
// exports `extern "C" void firesim_register(firesim::ModelRegistry &)`.
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

namespace firesim {

// What a factory may know about the run it builds a model for.
struct SimulationContext {
  std::filesystem::path description_directory;  // inputs are relative to it
  std::filesystem::path results_directory;      // outputs are relative to it
  uint64_t clock_hz = 3'200'000'000;
  bool restored = false;  // `load` follows: files of a first content need not be read

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
  void load_library(const std::filesystem::path &path);

  // `where` names the entry in messages ("switches[2]"). Throws DescriptionError for an unknown
  // kind, naming the nearest known one.
  std::unique_ptr<Model> make(ModelRole role, const std::string &where, const nlohmann::json &entry,
                              const SimulationContext &context) const;

 private:
  std::map<std::pair<ModelRole, std::string>, ModelFactory> factories_;
  std::vector<std::filesystem::path> libraries_;
};

}  // namespace firesim
