// SPDX-License-Identifier: BSD-3-Clause
// Strict reading of one JSON object of the simulation description: every key is checked for type
// and range, and a key nobody asked for is an error that names the nearest valid one.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model.h"
#include "core/names.h"

namespace firesim::devices {

// A mistake in what the user gave (description, image, ELF, manifest).
using ConfigError = DescriptionError;

// One object being read. `where` starts every message, e.g. "node0: bridges.uart".
class Config {
 public:
  // A null object reads as an empty one. Throws ConfigError when `object` is of another type.
  Config(const nlohmann::json &object, std::string where);

  // True when `key` is there and not null. Marks the key as known.
  bool has(const char *key);
  // An integer in [least, most]; `fallback` when absent or null.
  uint64_t integer(const char *key, uint64_t fallback, uint64_t least, uint64_t most);
  // As `integer`, but the key must be there.
  uint64_t required_integer(const char *key, uint64_t least, uint64_t most);
  bool boolean(const char *key, bool fallback);
  std::optional<std::string> text(const char *key);
  std::string required_text(const char *key);
  // One of `choices`; the first is the default.
  std::string choice(const char *key, const std::vector<std::string> &choices);
  std::vector<std::string> text_list(const char *key);
  // The value itself (null when absent), for nested objects.
  const nlohmann::json &child(const char *key);
  std::string child_where(const char *key) const { return where_ + "." + key; }
  const std::string &where() const { return where_; }

  // Call last: throws ConfigError if a key was never asked for.
  void finish() const;
  [[noreturn]] void fail(const std::string &key, const std::string &expected) const;

 private:
  const nlohmann::json *find(const char *key);

  nlohmann::json object_;
  std::string where_;
  std::vector<std::string> known_;
};

}  // namespace firesim::devices
