// SPDX-License-Identifier: BSD-3-Clause
// What tests of devices and bridges share: a folder of their own, and the message of a refusal.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "core/model.h"

namespace firesim::devices {

// A folder of its own for one test, removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "firesim-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
    path_ = name;
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  std::filesystem::path operator/(const std::string &name) const { return path_ / name; }
  const std::filesystem::path &path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// The message of the DescriptionError that `action` throws; "" when it throws none.
template <typename Action>
std::string refusal(Action &&action) {
  try {
    action();
  } catch (const DescriptionError &error) {
    return error.what();
  }
  return "";
}

}  // namespace firesim::devices
