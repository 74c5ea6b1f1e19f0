// SPDX-License-Identifier: BSD-3-Clause
// Program counter to function; see symbols.h.
#include "bridges/tracerv/symbols.h"

#include <algorithm>
#include <iterator>

#include "bridges/tracerv/elf_functions.h"

namespace firesim::bridges {

uint32_t SymbolTable::intern(const std::string &name) {
  const auto [place, added] = numbers_.emplace(name, static_cast<uint32_t>(names_.size()));
  if (added) names_.push_back(name);
  return place->second;
}

void SymbolTable::add(uint64_t low, uint64_t high, const std::string &name) {
  auto next = ranges_.upper_bound(low);
  if (next != ranges_.begin()) low = std::max(low, std::prev(next)->second.high);
  if (next != ranges_.end()) high = std::min(high, next->first);
  if (low < high) ranges_[low] = {low, high, intern(name)};
}

void SymbolTable::add_elf(const std::filesystem::path &file, const std::string &where,
                          std::optional<uint64_t> also_at) {
  const std::vector<FunctionRange> labels = symbol_functions(file, where);
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
  CodeRange gap{0, UINT64_MAX, kUnknown};
  const auto next = ranges_.upper_bound(pc);
  if (next != ranges_.end()) gap.high = next->first;
  if (next == ranges_.begin()) return gap;
  const CodeRange &before = std::prev(next)->second;
  if (before.contains(pc)) return before;
  gap.low = before.high;
  return gap;
}

}  // namespace firesim::bridges
