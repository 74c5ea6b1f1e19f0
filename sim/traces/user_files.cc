// SPDX-License-Identifier: BSD-3-Clause
// Files of programs; see user_files.h.
#include "traces/user_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "devices/config.h"

namespace firesim::traces {
namespace {

constexpr size_t kMostModules = 4096;

// The last part of a path.
std::string shown(const std::string &path) {
  const std::string name = frame_name(path.substr(path.rfind('/') + 1));
  return fmt::format("[{}]", name.empty() ? "?" : name);
}

}  // namespace

UserFiles::UserFiles(SymbolTable &symbols, std::map<std::string, std::filesystem::path> files,
                     std::string where, FrameDetail detail)
    : symbols_(symbols), files_(std::move(files)), where_(std::move(where)), detail_(detail) {}

UserFiles::Module &UserFiles::module_of(const std::string &path) {
  if (modules_.size() >= kMostModules && !modules_.contains(path)) modules_.clear();
  std::unique_ptr<Module> &module = modules_[path];
  if (module != nullptr) return *module;
  module = std::make_unique<Module>();
  module->whole = symbols_.intern(shown(path));
  const auto file = files_.find(path.substr(1));  // without the first /
  if (file == files_.end()) return *module;
  try {
    module->symbols.add_elf(file->second, where_, std::nullopt, detail_);
    module->segments = loaded_segments(file->second, where_);
  } catch (const devices::ConfigError &) {
    module->segments.clear();  // a program may be mapped that no tool of ours can read
  }
  return *module;
}

std::optional<uint64_t> UserFiles::address_in(const Module &module, const Mapping &mapping,
                                              uint64_t pc) {
  const uint64_t offset = pc - mapping.start + mapping.file_offset;
  for (const LoadedSegment &segment : module.segments) {
    if (offset - segment.offset < segment.bytes) return offset - segment.offset + segment.address;
  }
  return std::nullopt;
}

std::optional<PlaceRange> UserFiles::place(const Mapping &mapping, uint64_t pc) {
  if (mapping.path.empty()) return std::nullopt;
  const Module &module = module_of(mapping.path);
  const std::optional<uint64_t> address = address_in(module, mapping, pc);
  std::optional<PlaceRange> found = address ? module.symbols.place(*address) : std::nullopt;
  if (!found) return std::nullopt;
  found->low = pc - std::min(*address - found->low, pc - mapping.start);
  found->high = pc + std::min(found->high - *address, mapping.end - pc);
  return found;
}

CodeRange UserFiles::find(const Mapping &mapping, uint64_t pc) {
  CodeRange range{mapping.start, mapping.end, 0};
  if (mapping.path.empty()) {
    range.function = symbols_.intern(mapping.is_vdso ? "[vdso]" : "[anonymous]");
    return range;
  }
  Module &module = module_of(mapping.path);
  range.function = module.whole;
  const std::optional<uint64_t> address = address_in(module, mapping, pc);
  if (!address) return range;
  const CodeRange found = module.symbols.find(*address);
  // Places of the file are moved by as much as `pc` is; beyond the mapping is another file.
  if (*address - found.low < pc - range.low) range.low = pc - (*address - found.low);
  if (found.high - *address < range.high - pc) range.high = pc + (found.high - *address);
  if (found.function != SymbolTable::kUnknown) {
    range.function = symbols_.intern(module.symbols.name(found.function));
  }
  return range;
}

}  // namespace firesim::traces
