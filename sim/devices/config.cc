// SPDX-License-Identifier: BSD-3-Clause
// Strict JSON object reading; see config.h.
#include "devices/config.h"

#include <fmt/format.h>

#include <algorithm>

namespace firesim::devices {
namespace {

std::string shown(const nlohmann::json &value) {
  std::string text = value.dump();
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  return text;
}

}  // namespace

Config::Config(const nlohmann::json &object, std::string where)
    : object_(object), where_(std::move(where)) {
  if (object_.is_null()) object_ = nlohmann::json::object();
  if (!object_.is_object()) {
    throw ConfigError(fmt::format("{}: found {}, expected an object", where_, shown(object)));
  }
}

const nlohmann::json *Config::find(const char *key) {
  if (std::find(known_.begin(), known_.end(), key) == known_.end()) known_.emplace_back(key);
  const auto it = object_.find(key);
  return it == object_.end() || it->is_null() ? nullptr : &*it;
}

void Config::fail(const std::string &key, const std::string &expected) const {
  const auto it = object_.find(key);
  const std::string found = it == object_.end() ? "nothing" : shown(*it);
  throw ConfigError(fmt::format("{}.{}: found {}, expected {}", where_, key, found, expected));
}

bool Config::has(const char *key) { return find(key) != nullptr; }

uint64_t Config::integer(const char *key, uint64_t fallback, uint64_t least, uint64_t most) {
  const nlohmann::json *value = find(key);
  if (value == nullptr) return fallback;
  const bool fits = value->is_number_unsigned() || (value->is_number_integer() && *value >= 0);
  const uint64_t number = fits ? value->get<uint64_t>() : 0;
  if (!fits || number < least || number > most) {
    fail(key, fmt::format("a whole number from {} to {}", least, most));
  }
  return number;
}

uint64_t Config::required_integer(const char *key, uint64_t least, uint64_t most) {
  if (!has(key)) fail(key, fmt::format("a whole number from {} to {}", least, most));
  return integer(key, 0, least, most);
}

bool Config::boolean(const char *key, bool fallback) {
  const nlohmann::json *value = find(key);
  if (value == nullptr) return fallback;
  if (!value->is_boolean()) fail(key, "true or false");
  return value->get<bool>();
}

std::optional<std::string> Config::text(const char *key) {
  const nlohmann::json *value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_string() || value->get_ref<const std::string &>().empty()) {
    fail(key, "a non-empty text");
  }
  return value->get<std::string>();
}

std::string Config::required_text(const char *key) {
  std::optional<std::string> value = text(key);
  if (!value) fail(key, "a non-empty text");
  return *value;
}

std::string Config::choice(const char *key, const std::vector<std::string> &choices) {
  const nlohmann::json *value = find(key);
  if (value == nullptr) return choices.front();
  const std::string name = value->is_string() ? value->get<std::string>() : shown(*value);
  if (std::find(choices.begin(), choices.end(), name) == choices.end()) {
    fail(key, fmt::format("one of {}; nearest is '{}'", join_names(choices),
                          nearest_name(name, choices)));
  }
  return name;
}

std::vector<std::string> Config::text_list(const char *key) {
  const nlohmann::json *value = find(key);
  if (value == nullptr) return {};
  std::vector<std::string> items;
  if (!value->is_array()) fail(key, "a list of texts");
  for (const nlohmann::json &item : *value) {
    if (!item.is_string()) fail(key, "a list of texts");
    items.push_back(item.get<std::string>());
  }
  return items;
}

const nlohmann::json &Config::child(const char *key) {
  static const nlohmann::json nothing;
  const nlohmann::json *value = find(key);
  return value == nullptr ? nothing : *value;
}

void Config::finish() const {
  for (const auto &[key, value] : object_.items()) {
    if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
    if (known_.empty()) throw ConfigError(fmt::format("{}: unknown key '{}'", where_, key));
    throw ConfigError(fmt::format("{}: unknown key '{}', nearest is '{}'", where_, key,
                                  nearest_name(key, known_)));
  }
}

}  // namespace firesim::devices
