// SPDX-License-Identifier: BSD-3-Clause
// Lists the functions of an ELF file with libdwarf and libelf.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace firesim::bridges {

struct FunctionRange {
  uint64_t low;
  uint64_t high;  // exclusive; equal to `low` when the file does not say
  std::string name;
};

// Functions with machine code according to DWARF; empty when the file has none.
// Throws ConfigError, starting with `where`, when the file cannot be read.
std::vector<FunctionRange> dwarf_functions(const std::filesystem::path &file,
                                           const std::string &where);

// Labels in executable sections according to the symbol table, in order of address. A label
// without a size reaches to the next one, or to the end of its section.
std::vector<FunctionRange> symbol_functions(const std::filesystem::path &file,
                                            const std::string &where);

}  // namespace firesim::bridges
