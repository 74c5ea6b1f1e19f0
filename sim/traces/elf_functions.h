// SPDX-License-Identifier: BSD-3-Clause
// Lists the functions of an ELF file, and what of it is loaded, with libdwarf and libelf.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace firesim::traces {

struct FunctionRange {
  uint64_t low;
  uint64_t high;  // exclusive; equal to `low` when the file does not say
  std::string name;
};

// A label of code, as a symbol table has it.
struct CodeLabel {
  uint64_t address;
  uint64_t bytes;  // 0 when the table does not say
  uint64_t limit;  // where the code ends that it is in
  bool is_local;
  std::string name;
};

// Whether a label names a routine: "$x" and ".L1" mark places for tools.
bool names_routine(const std::string &name);

// The functions that labels begin, in order of address. One without a size reaches to the next
// label, or to its limit. Of several in one place, the one with a size, then the global one, names
// the function.
std::vector<FunctionRange> functions_of(std::vector<CodeLabel> labels);

// Functions with machine code according to DWARF; empty when the file has none.
// Throws ConfigError, starting with `where`, when the file cannot be read.
std::vector<FunctionRange> dwarf_functions(const std::filesystem::path &file,
                                           const std::string &where);

// A part of the file that is loaded, and the address that the file says for it.
struct LoadedSegment {
  uint64_t offset;
  uint64_t bytes;
  uint64_t address;
};

// Functions in executable sections according to the symbol table, in order of address. Of a file
// whose symbol table was stripped, what it shows to others, as far as that has a size.
std::vector<FunctionRange> symbol_functions(const std::filesystem::path &file,
                                            const std::string &where);

std::vector<LoadedSegment> loaded_segments(const std::filesystem::path &file,
                                           const std::string &where);

}  // namespace firesim::traces
