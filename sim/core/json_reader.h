// SPDX-License-Identifier: BSD-3-Clause
//
// The one strict reader of JSON text: all of ours, and what a snapshot or a client of the control
// socket gives, goes through it. Size and depth are limited, so that no text can use up memory or
// the stack of whatever walks the values later. Keys that stand twice in one object and numbers
// that do not fit are refused, where JSON leaves open what they mean.
#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

namespace firesim {

struct JsonLimits {
  size_t bytes = 0;  // of the whole text
  size_t depth = 0;  // objects and arrays within each other
};

// Written by the manager and by Golden Gate, for whole clusters.
inline constexpr JsonLimits kDescriptionLimits{size_t{256} << 20, 32};
inline constexpr JsonLimits kManifestLimits{size_t{64} << 20, 16};
// From outside. A snapshot holds the description it was made from.
inline constexpr JsonLimits kSnapshotLimits{size_t{64} << 20, 48};
inline constexpr JsonLimits kControlLimits{65536, 8};

// What is wrong with a text, to be put after its name; `line` counts from 1.
class JsonError : public std::runtime_error {
 public:
  JsonError(size_t line, const std::string &problem) : std::runtime_error(problem), line_(line) {}
  size_t line() const { return line_; }

 private:
  size_t line_;
};

// Throws JsonError.
nlohmann::json parse_json(const std::string &text, const JsonLimits &limits);

// Reads a file that the user named, which must be a regular one. Throws DescriptionError: the file,
// the line, what is wrong.
nlohmann::json read_json_file(const std::filesystem::path &path, const JsonLimits &limits);

// The value as text, on one line or indented. Text from a guest or a snapshot need not be UTF-8, as
// JSON must be; what is not is replaced.
std::string dump_any(const nlohmann::json &value, int indent = -1);

// The value as it would stand in a file, cut to a length that fits a sentence.
std::string shown(const nlohmann::json &value, size_t most_bytes = 60);

}  // namespace firesim
