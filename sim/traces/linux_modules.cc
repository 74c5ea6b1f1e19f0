// SPDX-License-Identifier: BSD-3-Clause
// Modules of a kernel; see linux_modules.h.
//
// The kernel has relocated their symbols: these are addresses as they are. A module's code lies in
// two areas, and the symbols are those of both until its first function has returned.
#include "traces/linux_modules.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "devices/config.h"

namespace firesim::traces {
namespace {

constexpr uint32_t kMostLoaded = 1024, kMostSymbols = 65536;
constexpr size_t kMostSymbolBytes = 511;  // of a name, as in the kernel
constexpr uint64_t kMostCodeBytes = 64 << 20, kMostNamesBytes = 8 << 20;
constexpr uint32_t kMostModuleReads = 4096;    // of the list, until modules come or go
constexpr uint64_t kMostListBytes = 16 << 20;  // of symbols and names, of all modules of a list
constexpr uint64_t kMostReadBytes = uint64_t{4} << 30;  // of them, in all readings together

// What the macros module_init and module_exit call a function that has a name of its own.
bool is_alias(const std::string &name) { return name == "init_module" || name == "cleanup_module"; }

class ModuleReader {
 public:
  // Symbols and names take `left_bytes` at most, which is what is left then.
  ModuleReader(const KernelMemory &memory, const ModuleTypes &types, uint64_t module,
               uint64_t &left_bytes)
      : memory_(memory), types_(types), module_(module), left_bytes_(left_bytes) {}

  std::optional<LoadedModule> read() {
    if (memory_.half(module_ + types_.state) == types_.unformed) return std::nullopt;
    LoadedModule module{module_, frame_name(memory_.text(module_ + types_.name, types_.name_bytes)),
                        area(types_.core), area(types_.init)};
    if (module.name.empty()) return std::nullopt;
    read_labels();
    module.core.functions = functions_in(module.core);
    module.init.functions = functions_in(module.init);
    return module;
  }

 private:
  ModuleCode area(uint32_t layout) const {
    const uint64_t low = memory_.word(module_ + layout + types_.layout_base);
    const uint64_t bytes = memory_.half(module_ + layout + types_.layout_text);
    if (!is_pointer(low) || bytes > kMostCodeBytes || low > UINT64_MAX - bytes) return {};
    return {low, low + bytes, {}};
  }

  void read_labels() {
    const uint64_t symbols = memory_.word(module_ + types_.symbols);
    const uint32_t count = memory_.half(symbols + types_.table_count);
    const uint64_t names = memory_.word(symbols + types_.names);
    const uint64_t names_end =
        memory_.word(symbols + types_.kinds);  // these follow, in a byte each
    if (count > kMostSymbols || names_end <= names || names_end - names > kMostNamesBytes) return;
    const uint64_t bytes = count * sizeof(Elf64_Sym) + (names_end - names);
    if (bytes > left_bytes_) return;
    left_bytes_ -= bytes;
    std::vector<uint8_t> table(count * sizeof(Elf64_Sym)), texts(names_end - names);
    if (!memory_.read(memory_.word(symbols + types_.table), table)) return;
    if (!memory_.read(names, texts)) return;
    texts.push_back(0);
    for (uint32_t i = 0; i < count; ++i) {
      Elf64_Sym symbol;
      std::memcpy(&symbol, &table[i * sizeof symbol], sizeof symbol);
      const int type = ELF64_ST_TYPE(symbol.st_info);
      if (symbol.st_shndx == SHN_UNDEF || symbol.st_name >= texts.size()) continue;
      if (type != STT_FUNC && type != STT_NOTYPE) continue;
      const char *const text = reinterpret_cast<const char *>(&texts[symbol.st_name]);
      std::string name = frame_name({text, strnlen(text, kMostSymbolBytes)});
      if (!names_routine(name)) continue;
      const uint64_t bytes = is_alias(name) ? 0 : symbol.st_size;
      const bool is_local = ELF64_ST_BIND(symbol.st_info) == STB_LOCAL;
      labels_.push_back({symbol.st_value, bytes, 0, is_local, std::move(name)});
    }
  }

  std::vector<FunctionRange> functions_in(const ModuleCode &code) const {
    std::vector<CodeLabel> labels;
    for (const CodeLabel &label : labels_) {
      if (label.address < code.low || label.address >= code.high) continue;
      labels.push_back(label);
      labels.back().limit = code.high;
    }
    std::vector<FunctionRange> functions = functions_of(std::move(labels));
    for (size_t i = 0; i < functions.size(); ++i) {
      const uint64_t limit = i + 1 < functions.size() ? functions[i + 1].low : code.high;
      const bool fits = functions[i].high > functions[i].low && functions[i].high <= limit;
      if (!fits) functions[i].high = limit;
    }
    return functions;
  }

  const KernelMemory &memory_;
  const ModuleTypes &types_;
  const uint64_t module_;
  uint64_t &left_bytes_;
  std::vector<CodeLabel> labels_;
};

}  // namespace

std::vector<LoadedModule> loaded_modules(const KernelMemory &memory, const ModuleTypes &types,
                                         uint64_t &left_bytes) {
  std::vector<LoadedModule> found;
  const uint64_t kept_bytes = left_bytes - std::min(left_bytes, kMostListBytes);
  left_bytes -= kept_bytes;
  uint64_t at = memory.word(types.head);
  for (uint32_t i = 0; i < kMostLoaded && is_pointer(at) && at != types.head; ++i) {
    std::optional<LoadedModule> module =
        ModuleReader(memory, types, at - types.list, left_bytes).read();
    if (module) found.push_back(std::move(*module));
    at = memory.word(at);
  }
  left_bytes += kept_bytes;
  return found;
}

ModuleFunctions::ModuleFunctions(SymbolTable &symbols, const std::optional<ModuleTypes> &types,
                                 std::map<std::string, std::filesystem::path> files,
                                 std::string where, FrameDetail detail)
    : symbols_(symbols),
      types_(types),
      files_(std::move(files)),
      where_(std::move(where)),
      detail_(detail),
      left_bytes_(kMostReadBytes) {}

ModuleFunctions::Found ModuleFunctions::found_in(const std::vector<LoadedModule> &modules,
                                                 uint64_t pc) {
  for (const LoadedModule &module : modules) {
    for (const ModuleCode *code : {&module.core, &module.init}) {
      if (pc < code->low || pc >= code->high) continue;
      const auto next = std::upper_bound(
          code->functions.begin(), code->functions.end(), pc,
          [](uint64_t place, const FunctionRange &function) { return place < function.low; });
      const bool is_in = next != code->functions.begin() && pc < std::prev(next)->high;
      return {&module, code, is_in ? &*std::prev(next) : nullptr};
    }
  }
  return {};
}

CodeRange ModuleFunctions::range_of(const Found &found, uint64_t pc) {
  if (found.function != nullptr) {
    return {found.function->low, found.function->high, symbols_.intern(found.function->name)};
  }
  CodeRange gap{found.code->low, found.code->high,
                symbols_.intern(fmt::format("[{}]", found.module->name))};
  for (const FunctionRange &each : found.code->functions) {
    if (each.high <= pc) gap.low = std::max(gap.low, each.high);
    if (each.low > pc) gap.high = std::min(gap.high, each.low);
  }
  return gap;
}

// The area that a module begins in is free again soon, for the next one.
bool ModuleFunctions::is_still_there(const KernelMemory &memory, const Found &found) const {
  if (found.code == &found.module->core) return true;
  const uint64_t layout = found.module->address + types_->init;
  return memory.word(layout + types_->layout_base) == found.code->low &&
         memory.half(layout + types_->layout_text) == found.code->high - found.code->low &&
         frame_name(memory.text(found.module->address + types_->name, types_->name_bytes)) ==
             found.module->name;
}

CodeRange ModuleFunctions::outside(uint64_t pc, CodeRange gap) const {
  for (const LoadedModule &module : modules_) {
    for (const ModuleCode *code : {&module.core, &module.init}) {
      if (code->high <= pc) gap.low = std::max(gap.low, code->high);
      if (code->low > pc) gap.high = std::min(gap.high, code->low);
    }
  }
  return gap;
}

CodeRange ModuleFunctions::find(const KernelMemory &memory, uint64_t pc, CodeRange gap) {
  if (!types_) return gap;
  Found found = found_in(modules_, pc);
  const bool is_known = found.code != nullptr && is_still_there(memory, found);
  if (!is_known && reads_ < kMostModuleReads && left_bytes_ > 0) {
    ++reads_;
    ++changes_;
    modules_ = loaded_modules(memory, *types_, left_bytes_);
    found = found_in(modules_, pc);
  }
  return found.code == nullptr ? outside(pc, gap) : range_of(found, pc);
}

void ModuleFunctions::forget() {
  modules_.clear();
  reads_ = 0;
  ++changes_;
}

const ModuleFunctions::File &ModuleFunctions::file_of(const std::string &module) {
  std::unique_ptr<File> &file = opened_[module];
  if (file != nullptr) return *file;
  file = std::make_unique<File>();
  const auto place = files_.find(module);
  if (place == files_.end()) return *file;
  try {
    file->symbols.add_elf(place->second, where_, std::nullopt, detail_);
    file->functions = symbol_functions(place->second, where_);
  } catch (const devices::ConfigError &) {
    file->functions.clear();  // a module may be loaded that no tool of ours can read
  }
  return *file;
}

std::optional<PlaceRange> ModuleFunctions::place(const KernelMemory &memory, uint64_t pc,
                                                 uint32_t function) {
  if (!types_ || files_.empty()) return std::nullopt;
  Found found = found_in(modules_, pc);
  if (found.function == nullptr) {
    if (place_changes_ != changes_) place_modules_ = loaded_modules(memory, *types_, left_bytes_);
    place_changes_ = changes_;
    found = found_in(place_modules_, pc);
  }
  if (found.function == nullptr || symbols_.intern(found.function->name) != function) {
    return std::nullopt;
  }
  const FunctionRange &here = *found.function;
  const File &file = file_of(found.module->name);
  std::optional<PlaceRange> at;
  for (const FunctionRange &there : file.functions) {
    const bool is_same = there.name == here.name && there.high - there.low == here.high - here.low;
    if (!is_same) continue;
    if (at) return std::nullopt;  // two have this name
    at = file.symbols.place(there.low + (pc - here.low));
    if (!at) return std::nullopt;
    at->low = at->low - there.low + here.low;
    at->high = at->high - there.low + here.low;
  }
  return at;
}

}  // namespace firesim::traces
