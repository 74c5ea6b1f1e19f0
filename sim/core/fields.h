// SPDX-License-Identifier: BSD-3-Clause
//
// Strict reading of one JSON object: every key is asked for by type and range, and a key that
// nobody asked for is an error. All errors are DescriptionErrors of one sentence that names the
// place, what was found, and what was expected.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/names.h"

namespace firesim {

class Fields {
 public:
  // `where` names the object in messages: "switches[0] (tor0)". Keys in `ignored` may be present.
  Fields(const nlohmann::json &object, std::string where, std::vector<std::string> ignored = {});

  const std::string &where() const { return where_; }

  // Integer in [least, most]. Without a default the key must be there.
  uint64_t integer(const std::string &key, uint64_t least, uint64_t most,
                   std::optional<uint64_t> missing = std::nullopt);
  double number(const std::string &key, double least, double most, std::optional<double> missing);
  bool boolean(const std::string &key, std::optional<bool> missing = std::nullopt);
  std::string text(const std::string &key);
  // As `text`, but it may be empty.
  std::string any_text(const std::string &key);
  // The name of a model or link, which appears in files and messages and so is kept plain: up to
  // 128 letters, digits and the characters _ - . / :
  std::string name(const std::string &key);
  // Nothing if the key is missing or null.
  std::optional<std::string> optional_text(const std::string &key);
  std::optional<uint64_t> optional_integer(const std::string &key, uint64_t least, uint64_t most);
  // One of the given words.
  std::string choice(const std::string &key, const std::vector<std::string> &words);
  // An array; empty if `required` is false and the key is missing or null.
  const nlohmann::json &array(const std::string &key, bool required = true);
  // An object that must be there.
  const nlohmann::json &object(const std::string &key);

  // Call after the last key: throws if the object has others.
  void finish() const;

  [[noreturn]] void fail(const std::string &key, const std::string &expected) const;

 private:
  const nlohmann::json *find(const std::string &key);
  const nlohmann::json &get(const std::string &key, const std::string &expected);

  const nlohmann::json &object_;
  std::string where_;
  std::vector<std::string> known_;
};

// "00:12:6D:00:00:02" as a number with byte 0 of the address in bits 7:0. Nothing if malformed.
std::optional<uint64_t> parse_mac(const std::string &text);
std::string format_mac(uint64_t mac);

}  // namespace firesim
