// SPDX-License-Identifier: BSD-3-Clause
// Program counter to function; see symbols.h.
#include "traces/symbols.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <mutex>

#include "core/check.h"
#include "traces/elf_functions.h"

namespace firesim::traces {

namespace {

// What tables share, as long as one of them is there.
std::shared_ptr<const SymbolTable> shared_table(const std::vector<SymbolFile> &files,
                                                const std::string &where, FrameDetail detail) {
  static std::mutex mutex;
  static std::map<std::string, std::weak_ptr<const SymbolTable>> made;
  std::string key = fmt::format("{} {} ", detail.inlined, detail.lines);
  for (const SymbolFile &file : files) {
    const std::string also_at = file.also_at ? std::to_string(*file.also_at) : "";
    key += file.path.string() + '\0' + also_at + '\0';
  }
  const std::lock_guard lock(mutex);
  if (std::shared_ptr<const SymbolTable> found = made[key].lock()) return found;
  auto table = std::make_shared<SymbolTable>();
  for (const SymbolFile &file : files) table->add_elf(file.path, where, file.also_at, detail);
  made[key] = table;
  return table;
}

}  // namespace

std::string frame_name(std::string name) {
  for (char &each : name) {
    if (each <= ' ' || each == ';' || each > '~') each = '?';
  }
  return name;
}

SymbolTable::SymbolTable(const std::vector<SymbolFile> &files, const std::string &where,
                         FrameDetail detail)
    : names_(),
      shared_(shared_table(files, where, detail)),
      shared_names_(static_cast<uint32_t>(shared_->names_.size())),
      found_(kFound) {}

uint32_t SymbolTable::intern(const std::string &name) {
  if (shared_ != nullptr) {
    const auto known = shared_->numbers_.find(name);
    if (known != shared_->numbers_.end()) return known->second;
  }
  const auto next = static_cast<uint32_t>(shared_names_ + names_.size());
  const auto [place, added] = numbers_.emplace(name, next);
  if (added) names_.push_back(name);
  return place->second;
}

void SymbolTable::add(uint64_t low, uint64_t high, const std::string &name) {
  FIRESIM_CHECK(shared_ == nullptr, "functions of files are not added to");
  auto next = ranges_.upper_bound(low);
  if (next != ranges_.begin()) low = std::max(low, std::prev(next)->second.high);
  if (next != ranges_.end()) high = std::min(high, next->first);
  if (low < high) ranges_[low] = {low, high, intern(name)};
}

void SymbolTable::add_elf(const std::filesystem::path &file, const std::string &where,
                          std::optional<uint64_t> also_at, FrameDetail detail) {
  const std::vector<FunctionRange> labels = symbol_functions(file, where);
  if (detail.any()) {
    const auto places = std::make_shared<const CodePlaces>(file, where, detail);
    places_.push_back({places, 0});
    if (also_at && !labels.empty()) places_.push_back({places, *also_at - labels.front().low});
  }
  if (also_at && !labels.empty()) {
    for (const FunctionRange &label : labels) {
      const uint64_t low = label.low - labels.front().low + *also_at;
      add(low, low + (label.high - label.low), label.name);
    }
  }
  // DWARF first, for the names. Of an assembly routine it has the size before the linker shortened
  // the code; the symbol table has the one after.
  for (const FunctionRange &function : dwarf_functions(file, where)) {
    const auto label =
        std::lower_bound(labels.begin(), labels.end(), function.low,
                         [](const FunctionRange &item, uint64_t low) { return item.low < low; });
    const bool same = label != labels.end() && label->low == function.low;
    add(function.low, same ? std::min(function.high, label->high) : function.high, function.name);
  }
  for (const FunctionRange &label : labels) {
    // Only what starts outside the known functions: a label inside one is not a routine.
    if (find(label.low).function == kUnknown) add(label.low, label.high, label.name);
  }
}

CodeRange SymbolTable::find(uint64_t pc) const {
  if (shared_ != nullptr) {
    Found &found = found_[pc / 2 % kFound];
    if (found.pc != pc) found = {pc, shared_->find(pc)};
    return found.range;
  }
  CodeRange gap{0, UINT64_MAX, kUnknown};
  const auto next = ranges_.upper_bound(pc);
  if (next != ranges_.end()) gap.high = next->first;
  if (next == ranges_.begin()) return gap;
  const CodeRange &before = std::prev(next)->second;
  if (before.contains(pc)) return before;
  gap.low = before.high;
  return gap;
}

std::optional<PlaceRange> SymbolTable::place(uint64_t pc) const {
  if (shared_ != nullptr) return shared_->place(pc);
  for (const MovedPlaces &each : places_) {
    std::optional<PlaceRange> found = each.places->find(pc - each.by);
    if (!found) continue;
    found->low += each.by;
    found->high += each.by;
    return found;
  }
  return std::nullopt;
}

}  // namespace firesim::traces
