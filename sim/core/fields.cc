// SPDX-License-Identifier: BSD-3-Clause
//
// Strict reading of JSON objects. See the header.
#include "core/fields.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <utility>

#include "core/json_reader.h"
#include "core/model.h"

namespace firesim {

namespace {

constexpr size_t kMaxNameBytes = 128;

size_t edit_distance(const std::string &a, const std::string &b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
    }
  }
  return row[b.size()];
}

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
        nearest_name(other, {key}) == key) {
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

std::string nearest_name(const std::string &word, const std::vector<std::string> &candidates) {
  std::string best;
  size_t least = std::max<size_t>(2, word.size() / 3) + 1;
  for (const std::string &candidate : candidates) {
    const size_t distance = edit_distance(word, candidate);
    if (distance >= least) continue;
    least = distance;
    best = candidate;
  }
  return best;
}

std::string did_you_mean(const std::string &word, const std::vector<std::string> &candidates) {
  const std::string nearest = nearest_name(word, candidates);
  return nearest.empty() ? "" : " (did you mean \"" + nearest + "\"?)";
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
