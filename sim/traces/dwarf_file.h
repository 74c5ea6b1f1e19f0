// SPDX-License-Identifier: BSD-3-Clause
// A file's DWARF, opened with libdwarf: its units and the functions in them that have code.
#pragma once

#include <libdwarf/libdwarf.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace firesim::traces {

// [low, high) of code.
struct CodeSpan {
  uint64_t low;
  uint64_t high;
};

// An open file descriptor.
class OpenFile {
 public:
  // Throws ConfigError, starting with `where`.
  OpenFile(const std::filesystem::path &file, const std::string &where);
  ~OpenFile();
  OpenFile(const OpenFile &) = delete;
  OpenFile &operator=(const OpenFile &) = delete;
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

class DwarfFile {
 public:
  struct Function {
    std::vector<CodeSpan> spans;
    bool is_whole;  // its beginning and its end stand there: it is in one piece
    std::string name;
  };
  // What a walk tells.
  class Visitor {
   public:
    virtual ~Visitor() = default;
    // Before the functions of a unit.
    virtual void unit(Dwarf_Die) {}
    virtual void function(Dwarf_Die entry, const Function &function) = 0;
  };

  // Throws ConfigError, starting with `where`, when the file cannot be read. One without DWARF has
  // no units.
  DwarfFile(const std::filesystem::path &file, const std::string &where);
  ~DwarfFile();
  DwarfFile(const DwarfFile &) = delete;
  DwarfFile &operator=(const DwarfFile &) = delete;

  void walk(Visitor &visitor);

  // For visitors, of an entry. Its children, of which none is kept beyond the call:
  void each_child(Dwarf_Die parent, const std::function<void(Dwarf_Die, Dwarf_Half tag)> &take);
  // The name, which may stand at the declaration or at the abstract instance.
  std::string name_of(Dwarf_Die entry) { return name_of(entry, 0); }
  std::vector<CodeSpan> spans_of(Dwarf_Die entry);
  // A number; `otherwise` without the attribute.
  uint64_t number_of(Dwarf_Die entry, Dwarf_Half attribute, uint64_t otherwise);
  // libdwarf ends the process when an error has no place.
  Dwarf_Error *error() { return &error_; }

 private:
  static constexpr int kMostDepth = 32;

  void functions_in(Dwarf_Die parent, Visitor &visitor, int depth);
  std::string name_of(Dwarf_Die entry, int depth);
  bool own_span(Dwarf_Die entry, CodeSpan &span);
  void older_ranges(Dwarf_Die entry, Dwarf_Attribute ranges, std::vector<CodeSpan> &spans);
  void ranges(Dwarf_Attribute ranges, std::vector<CodeSpan> &spans);

  const OpenFile file_;
  Dwarf_Debug debug_ = nullptr;
  Dwarf_Error error_ = nullptr;
  uint64_t unit_base_ = 0;
};

}  // namespace firesim::traces
