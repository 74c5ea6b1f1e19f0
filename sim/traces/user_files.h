// SPDX-License-Identifier: BSD-3-Clause
// The files that programs on a node are made of, by their paths on the node: functions by where
// they lie in a file. Read when a process first runs in one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "traces/elf_functions.h"
#include "traces/linux_maps.h"
#include "traces/symbols.h"

namespace firesim::traces {

class UserFiles {
 public:
  // `symbols` gets the names, and outlives this. `files` are this computer's, by paths
  // on the node without the first /.
  UserFiles(SymbolTable &symbols, std::map<std::string, std::filesystem::path> files,
            std::string where, FrameDetail detail);

  // The function at `pc`, which is in `mapping`. The range ends with the mapping.
  CodeRange find(const Mapping &mapping, uint64_t pc);
  // What the detail that was asked for says of it.
  std::optional<PlaceRange> place(const Mapping &mapping, uint64_t pc);

 private:
  struct Module {
    SymbolTable symbols;
    std::vector<LoadedSegment> segments;
    uint32_t whole;  // "[busybox]": stands for all that no symbol names
  };

  Module &module_of(const std::string &path);
  // What the file says for the place of `pc`.
  static std::optional<uint64_t> address_in(const Module &module, const Mapping &mapping,
                                            uint64_t pc);

  SymbolTable &symbols_;
  const std::map<std::string, std::filesystem::path> files_;
  const std::string where_;
  const FrameDetail detail_;
  std::map<std::string, std::unique_ptr<Module>> modules_;
};

}  // namespace firesim::traces
