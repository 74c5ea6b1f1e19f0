// SPDX-License-Identifier: BSD-3-Clause
// Which function a program counter is in, from the DWARF of ELF files and, for assembly routines,
// from their symbol tables.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "traces/code_places.h"

namespace firesim::traces {

// A stretch of addresses that belongs to one function (or to none known).
struct CodeRange {
  uint64_t low = 0;
  uint64_t high = 0;  // exclusive
  uint32_t function = 0;

  bool contains(uint64_t pc) const { return pc >= low && pc < high; }
};

// An ELF file whose code may also be found where its lowest function is at `also_at`.
struct SymbolFile {
  std::filesystem::path path;
  std::optional<uint64_t> also_at;
};

// A name as frames have it: no character of it can be mistaken for something else.
std::string frame_name(std::string name);

class SymbolTable {
 public:
  static constexpr uint32_t kUnknown = 0;  // function of addresses nothing is known about

  SymbolTable() = default;
  // The functions of some files, and room for names of its own. Tables of the same files share
  // them, as those of all nodes with the same kernel do. Throws ConfigError, starting with `where`.
  SymbolTable(const std::vector<SymbolFile> &files, const std::string &where,
              FrameDetail detail = {});

  // Adds the functions of an ELF file, and once more as they lie when its lowest is at `also_at`: a
  // kernel runs at physical addresses first. Throws ConfigError, starting with `where`.
  void add_elf(const std::filesystem::path &file, const std::string &where,
               std::optional<uint64_t> also_at = std::nullopt, FrameDetail detail = {});
  // Adds [low, high), but for what is already known.
  void add(uint64_t low, uint64_t high, const std::string &name);

  // The range `pc` is in; for unknown places the whole gap.
  CodeRange find(uint64_t pc) const;
  // What the detail that was asked for says of `pc`; nothing where nothing is known.
  std::optional<PlaceRange> place(uint64_t pc) const;
  const std::string &name(uint32_t function) const {
    return function < shared_names_ ? shared_->names_[function] : names_[function - shared_names_];
  }
  // The number of a made-up function such as a trap; the same for the same name.
  uint32_t intern(const std::string &name);

 private:
  struct Found {
    uint64_t pc = 1;
    CodeRange range;
  };
  static constexpr size_t kFound = 1024;

  // Of a file whose code lies this much further than it says.
  struct MovedPlaces {
    std::shared_ptr<const CodePlaces> places;
    uint64_t by;
  };

  std::map<uint64_t, CodeRange> ranges_;  // by low
  std::vector<MovedPlaces> places_;
  std::vector<std::string> names_{"[unknown]"};
  std::map<std::string, uint32_t> numbers_;
  // With another table, that one has the ranges and the first names, and nothing is added to it.
  std::shared_ptr<const SymbolTable> shared_;
  uint32_t shared_names_ = 0;
  mutable std::vector<Found>
      found_;  // what was found there last, by pc: mostly begins of functions
};

}  // namespace firesim::traces
