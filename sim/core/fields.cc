// SPDX-License-Identifier: BSD-3-Clause
//
// Strict reading of JSON objects. See the header.
#include "core/fields.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <utility>

#include "core/json_reader.h"
#include "core/model.h"

namespace firesim {

namespace {

constexpr size_t kMaxNameBytes = 128;

}  // namespace

Fields::Fields(const nlohmann::json &object, std::string where, std::vector<std::string> ignored)
    : object_(object), where_(std::move(where)), known_(std::move(ignored)) {
  if (!object.is_object()) {
    throw DescriptionError(where_ + ": found " + shown(object) + ", expected an object");
  }
}

void Fields::fail(const std::string &key, const std::string &expected) const {
  const auto found = object_.find(key);
  throw DescriptionError(where_ + ": \"" + key + "\" is " +
                         (found == object_.end() ? "missing" : shown(*found)) + ", expected " +
                         expected);
}

const nlohmann::json *Fields::find(const std::string &key) {
  known_.push_back(key);
  const auto found = object_.find(key);
  return found == object_.end() ? nullptr : &*found;
}

const nlohmann::json &Fields::get(const std::string &key, const std::string &expected) {
  const nlohmann::json *value = find(key);
  if (value != nullptr) return *value;
  // A misspelt key is better named than a missing one.
  for (const auto &[other, unused] : object_.items()) {
    if (std::find(known_.begin(), known_.end(), other) == known_.end() &&
        !did_you_mean(other, {key}).empty()) {
      throw DescriptionError(where_ + ": unknown key \"" + other + "\" (did you mean \"" + key +
                             "\"?)");
    }
  }
  fail(key, expected);
}

uint64_t Fields::integer(const std::string &key, uint64_t least, uint64_t most,
                         std::optional<uint64_t> missing) {
  const std::string expected =
      "an integer from " + std::to_string(least) + " to " + std::to_string(most);
  if (missing && !object_.contains(key)) {
    known_.push_back(key);
    return *missing;
  }
  const nlohmann::json &value = get(key, expected);
  if (!value.is_number_unsigned()) fail(key, expected);
  const auto number = value.get<uint64_t>();
  if (number < least || number > most) fail(key, expected);
  return number;
}

double Fields::number(const std::string &key, double least, double most,
                      std::optional<double> missing) {
  char expected[80];
  std::snprintf(expected, sizeof expected, "a number from %g to %g", least, most);
  if (missing && !object_.contains(key)) {
    known_.push_back(key);
    return *missing;
  }
  const nlohmann::json &value = get(key, expected);
  if (!value.is_number()) fail(key, expected);
  const auto number = value.get<double>();
  if (!(number >= least && number <= most)) fail(key, expected);
  return number;
}

bool Fields::boolean(const std::string &key, std::optional<bool> missing) {
  if (missing && !object_.contains(key)) {
    known_.push_back(key);
    return *missing;
  }
  const nlohmann::json &value = get(key, "true or false");
  if (!value.is_boolean()) fail(key, "true or false");
  return value.get<bool>();
}

std::string Fields::text(const std::string &key) {
  const nlohmann::json &value = get(key, "a non-empty string");
  if (!value.is_string() || value.get<std::string>().empty()) fail(key, "a non-empty string");
  return value.get<std::string>();
}

std::string Fields::any_text(const std::string &key) {
  const nlohmann::json &value = get(key, "a string");
  if (!value.is_string()) fail(key, "a string");
  return value.get<std::string>();
}

std::string Fields::name(const std::string &key) {
  const std::string name = text(key);
  const bool plain = std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.' || c == '/' || c == ':';
  });
  if (!plain || name.size() > kMaxNameBytes) {
    fail(key, "up to 128 letters, digits and the characters _ - . / :");
  }
  return name;
}

std::optional<std::string> Fields::optional_text(const std::string &key) {
  const nlohmann::json *value = find(key);
  if (value == nullptr || value->is_null()) return std::nullopt;
  if (!value->is_string() || value->get<std::string>().empty()) {
    fail(key, "a non-empty string or null");
  }
  return value->get<std::string>();
}

std::optional<uint64_t> Fields::optional_integer(const std::string &key, uint64_t least,
                                                 uint64_t most) {
  const auto found = object_.find(key);
  if (found != object_.end() && !found->is_null()) return integer(key, least, most);
  known_.push_back(key);
  return std::nullopt;
}

std::string Fields::choice(const std::string &key, const std::vector<std::string> &words) {
  std::string expected = "one of";
  for (size_t i = 0; i < words.size(); ++i) {
    expected += (i == 0 ? " \"" : ", \"") + words[i] + "\"";
  }
  const nlohmann::json &value = get(key, expected);
  if (!value.is_string()) fail(key, expected);
  const auto word = value.get<std::string>();
  if (std::find(words.begin(), words.end(), word) == words.end()) {
    fail(key, expected + did_you_mean(word, words));
  }
  return word;
}

const nlohmann::json &Fields::array(const std::string &key, bool required) {
  static const nlohmann::json empty = nlohmann::json::array();
  if (!required) {
    const nlohmann::json *value = find(key);
    if (value == nullptr || value->is_null()) return empty;
  }
  const nlohmann::json &value = get(key, "an array");
  if (!value.is_array()) fail(key, "an array");
  return value;
}

const nlohmann::json &Fields::object(const std::string &key) {
  const nlohmann::json &value = get(key, "an object");
  if (!value.is_object()) fail(key, "an object");
  return value;
}

void Fields::finish() const {
  for (const auto &[key, unused] : object_.items()) {
    if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
    throw DescriptionError(where_ + ": unknown key \"" + key + "\"" + did_you_mean(key, known_));
  }
}

std::optional<uint64_t> parse_mac(const std::string &text) {
  if (text.size() != 17) return std::nullopt;
  uint64_t mac = 0;
  for (size_t byte = 0; byte < 6; ++byte) {
    uint64_t value = 0;
    for (size_t digit = 0; digit < 2; ++digit) {
      const char c = text[3 * byte + digit];
      if (c >= '0' && c <= '9') {
        value = value * 16 + static_cast<uint64_t>(c - '0');
      } else if ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')) {
        value = value * 16 + static_cast<uint64_t>((c | 0x20) - 'a' + 10);
      } else {
        return std::nullopt;
      }
    }
    if (byte < 5 && text[3 * byte + 2] != ':') return std::nullopt;
    mac |= value << (8 * byte);
  }
  return mac;
}

std::string format_mac(uint64_t mac) {
  char text[18];
  std::snprintf(text, sizeof text, "%02X:%02X:%02X:%02X:%02X:%02X",
                static_cast<unsigned>(mac & 0xff), static_cast<unsigned>(mac >> 8 & 0xff),
                static_cast<unsigned>(mac >> 16 & 0xff), static_cast<unsigned>(mac >> 24 & 0xff),
                static_cast<unsigned>(mac >> 32 & 0xff), static_cast<unsigned>(mac >> 40 & 0xff));
  return text;
}

}  // namespace firesim
