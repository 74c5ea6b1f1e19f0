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

// Labels in executable sections according to the symbol table, in order of address. A label
// without a size reaches to the next one, or to the end of its section. Of a file whose symbol
// table was stripped, what it shows to others, as far as that has a size.
std::vector<FunctionRange> symbol_functions(const std::filesystem::path &file,
                                            const std::string &where);

std::vector<LoadedSegment> loaded_segments(const std::filesystem::path &file,
                                           const std::string &where);

}  // namespace firesim::traces
