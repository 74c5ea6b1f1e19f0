// SPDX-License-Identifier: BSD-3-Clause
//
// What every target stands on: a real run's description, snapshot and files, a place for results,
// and what counts as a defect.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "core/registry.h"

namespace firesim::hostile {

// What became of one case. A defect is anything but an orderly end: no crash comes here.
struct Verdict {
  bool accepted = false;  // else refused in a sentence
  std::string said;       // the sentence
  std::string defect;     // nothing if all is well
};

// Whether a refusal is one that a user can act on. Returns what is wrong with it, or nothing.
std::string defect_of(const std::exception &error);

// Runs `work`, which throws what refuses the case.
Verdict judged(const std::function<void()> &work);

class Bench {
 public:
  // `base` is the results folder of a run: description.json, snapshots/*, and the files that the
  // description names. Throws std::runtime_error.
  explicit Bench(const std::filesystem::path &base);
  ~Bench();
  Bench(const Bench &) = delete;
  Bench &operator=(const Bench &) = delete;

  const std::filesystem::path &folder() const { return folder_; }      // empty, for a case
  const std::filesystem::path &snapshot() const { return snapshot_; }  // of the base
  const nlohmann::json &description() const { return description_; }
  uint64_t snapshot_cycle() const { return snapshot_cycle_; }

  // Simulates what the text describes for a few thousand cycles from where it starts.
  Verdict simulate(const std::string &description) const;

 private:
  std::filesystem::path folder_;
  std::filesystem::path snapshot_;
  nlohmann::json description_;
  uint64_t snapshot_cycle_ = 0;
};

std::string read_file(const std::filesystem::path &path);
void write_file(const std::filesystem::path &path, const std::string &content);

}  // namespace firesim::hostile
