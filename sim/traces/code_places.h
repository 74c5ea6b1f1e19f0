// SPDX-License-Identifier: BSD-3-Clause
// Where in the source a file's code is, from its DWARF: which functions were inlined at a place,
// one in the other, and files and lines.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace firesim::traces {

// What frames of call stacks tell beyond the function that code belongs to.
struct FrameDetail {
  bool inlined = false;  // functions that were inlined are frames of their own
  bool lines = false;    // frames say file and line
  bool any() const { return inlined || lines; }
};

// What ends the names of frames of inlined functions, as in flamegraph.pl.
constexpr const char *kInlined = "_[i]";

// low <= pc < high are one place.
struct PlaceRange {
  uint64_t low;
  uint64_t high;
  std::string line;                  // behind the function's name: " (main.c:12)", or empty
  std::vector<std::string> inlined;  // the outermost first: "copy (copy.h:3)_[i]"
};

class CodePlaces {
 public:
  // Throws ConfigError, starting with `where`, when the file cannot be read.
  CodePlaces(const std::filesystem::path &file, const std::string &where, FrameDetail detail);

  // Nothing where no function of the DWARF is.
  std::optional<PlaceRange> find(uint64_t pc) const;

 private:
  friend class PlaceReader;
  static constexpr uint32_t kNone = UINT32_MAX;

  struct Line {
    uint32_t file = kNone;
    uint32_t number = 0;  // 0 when nobody knows
  };
  // A function that was inlined, into the one `within` or else into the function itself.
  struct Inlined {
    uint32_t within;
    uint32_t name;
    Line call;  // where in that one
  };
  // Up to where the next begins.
  struct Piece {
    uint64_t low;
    bool is_known;  // else there is no function
    uint32_t inlined;
    Line line;
  };

  uint32_t number_of(const std::string &text);
  std::string shown(const Line &line) const;

  FrameDetail detail_;
  std::vector<Piece> pieces_;
  std::vector<Inlined> inlined_;
  std::vector<std::string> texts_;  // names of functions and of files
  std::map<std::string, uint32_t> numbers_;
};

}  // namespace firesim::traces
