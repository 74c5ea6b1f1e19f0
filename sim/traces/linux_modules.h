// SPDX-License-Identifier: BSD-3-Clause
// The modules that a kernel has loaded: where their code lies, and which functions are in it, from
// the kernel's own list of them and the symbols that it keeps of each. A guest is hostile, and may
// be changing them: what cannot be is left out.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "traces/elf_functions.h"
#include "traces/kernel_memory.h"
#include "traces/linux_types.h"
#include "traces/symbols.h"

namespace firesim::traces {

// A stretch of a module's code.
struct ModuleCode {
  uint64_t low = 0, high = 0;
  std::vector<FunctionRange> functions;  // by address, none reaches into the next
};

struct LoadedModule {
  uint64_t address;  // of the kernel's structure
  std::string name;
  ModuleCode core;
  ModuleCode init;  // goes when the module's first function has returned
};

// Symbols and names take `left_bytes` at most, which is what is left then: the guest decides how
// many there are. A module for which that is not enough has none.
std::vector<LoadedModule> loaded_modules(const KernelMemory &memory, const ModuleTypes &types,
                                         uint64_t &left_bytes);

// Which function of a module a place is in. The list is read when code is met that it does not
// have.
class ModuleFunctions {
 public:
  // `symbols` gets the names, and outlives this, as `types` does. `files` are this computer's, by
  // the names of modules, each linked at addresses of its own.
  ModuleFunctions(SymbolTable &symbols, const std::optional<ModuleTypes> &types,
                  std::map<std::string, std::filesystem::path> files, std::string where,
                  FrameDetail detail);

  // Where no module is, what of `gap` is outside all of them. `gap` has `pc`.
  CodeRange find(const KernelMemory &memory, uint64_t pc, CodeRange gap);
  // What the detail that was asked for says of a place in `function`. find() says what it would say
  // without.
  std::optional<PlaceRange> place(const KernelMemory &memory, uint64_t pc, uint32_t function);
  // Modules are coming or going.
  void forget();
  // Grows with each change of what the two say.
  uint64_t changes() const { return changes_; }

 private:
  // A file with the same code elsewhere.
  struct File {
    SymbolTable symbols;
    std::vector<FunctionRange> functions;
  };
  struct Found {
    const LoadedModule *module = nullptr;
    const ModuleCode *code = nullptr;
    const FunctionRange *function = nullptr;
  };

  static Found found_in(const std::vector<LoadedModule> &modules, uint64_t pc);
  CodeRange range_of(const Found &found, uint64_t pc);
  CodeRange outside(uint64_t pc, CodeRange gap) const;
  bool is_still_there(const KernelMemory &memory, const Found &found) const;
  const File &file_of(const std::string &module);

  SymbolTable &symbols_;
  const std::optional<ModuleTypes> &types_;
  const std::map<std::string, std::filesystem::path> files_;
  const std::string where_;
  const FrameDetail detail_;
  uint64_t left_bytes_;
  std::vector<LoadedModule> modules_;
  uint32_t reads_ = 0;  // since modules came or went
  // Read for place() alone, as of `place_changes_`.
  std::vector<LoadedModule> place_modules_;
  uint64_t place_changes_ = UINT64_MAX;
  uint64_t changes_ = 0;
  std::map<std::string, std::unique_ptr<File>> opened_;
};

}  // namespace firesim::traces
