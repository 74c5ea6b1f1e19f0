// SPDX-License-Identifier: BSD-3-Clause
// Functions from the DWARF and the symbol table of a real RISC-V program.
#include "traces/symbols.h"

#include "devices/tests/support.h"
#include "traces/elf_functions.h"

namespace firesim::traces {
using devices::refusal;
namespace {

FunctionRange named(const std::vector<FunctionRange> &functions, const std::string &name) {
  for (const FunctionRange &function : functions) {
    if (function.name == name) return function;
  }
  return {0, 0, ""};
}

TEST(Symbols, DwarfHasTheCFunctionsWithTheirEnds) {
  const auto functions = dwarf_functions(CALL_DEMO, "n");
  for (const char *name : {"leaf", "middle", "main"}) {
    const FunctionRange function = named(functions, name);
    EXPECT_EQ(function.name, name);
    EXPECT_GT(function.high, function.low);
  }
}

TEST(Symbols, AssemblyRoutinesComeFromTheSymbolTable) {
  SymbolTable table;
  table.add_elf(CALL_DEMO, "n");
  EXPECT_EQ(table.name(table.find(0x80000000).function), "_start");
  const FunctionRange hang = named(symbol_functions(CALL_DEMO, "n"), "hang");
  EXPECT_EQ(table.name(table.find(hang.low).function), "hang");
  const FunctionRange leaf = named(dwarf_functions(CALL_DEMO, "n"), "leaf");
  EXPECT_EQ(table.name(table.find(leaf.high - 2).function), "leaf");
}

TEST(Symbols, EveryFunctionIsFoundAtItsVeryStart) {
  // The linker has shortened the call in _start, which the DWARF of the assembler does not know.
  SymbolTable table;
  table.add_elf(CALL_DEMO, "n");
  for (const FunctionRange &function : dwarf_functions(CALL_DEMO, "n")) {
    EXPECT_EQ(table.name(table.find(function.low).function), function.name);
  }
  const FunctionRange hang = named(symbol_functions(CALL_DEMO, "n"), "hang");
  EXPECT_EQ(table.name(table.find(hang.low).function), "hang");
}

TEST(Symbols, CodeIsFoundAtASecondPlace) {
  constexpr uint64_t kThere = 0xffffffff80000000;
  SymbolTable table;
  table.add_elf(CALL_DEMO, "n", kThere);
  for (const FunctionRange &function : symbol_functions(CALL_DEMO, "n")) {
    for (const uint64_t pc : {function.low, function.low - 0x80000000 + kThere}) {
      EXPECT_EQ(table.name(table.find(pc).function), function.name);
    }
  }
}

TEST(Symbols, TablesOfTheSameFilesShareThem) {
  const std::vector<SymbolFile> files{{CALL_DEMO, std::nullopt}};
  SymbolTable first(files, "n"), second(files, "n"), alone;
  alone.add_elf(CALL_DEMO, "n");
  const uint32_t mine = first.intern("mine"), other = second.intern("other");
  EXPECT_EQ(first.name(mine), "mine");
  EXPECT_EQ(second.name(other), "other");
  EXPECT_EQ(first.intern("mine"), mine);
  EXPECT_EQ(first.intern("main"), alone.intern("main"));
  EXPECT_EQ(first.name(SymbolTable::kUnknown), "[unknown]");
  for (uint64_t pc = 0x80000000 - 4; pc < 0x80000400; pc += 2) {
    const CodeRange found = first.find(pc), expected = alone.find(pc);
    EXPECT_EQ(first.name(found.function), alone.name(expected.function));
    EXPECT_EQ(found.low, expected.low);
    EXPECT_EQ(found.high, expected.high);
    EXPECT_EQ(first.find(pc).function, found.function);
  }
}

TEST(Symbols, GapsBelongToNobody) {
  SymbolTable table;
  table.add(100, 200, "a");
  table.add(300, 400, "b");
  table.add(150, 350, "late");  // only what is still free
  EXPECT_EQ(table.find(50).function, SymbolTable::kUnknown);
  EXPECT_EQ(table.find(50).high, 100u);
  EXPECT_EQ(table.name(table.find(250).function), "late");
  EXPECT_EQ(table.find(250).high, 300u);
  EXPECT_EQ(table.find(400).low, 400u);
  EXPECT_EQ(table.find(400).function, SymbolTable::kUnknown);
}

TEST(Symbols, FilesThatAreNoElfAreRefused) {
  EXPECT_EQ(refusal([] { dwarf_functions("/none", "n"); }), "n: /none cannot be opened");
  EXPECT_EQ(refusal([] { symbol_functions("/proc/self/status", "n"); }),
            "n: /proc/self/status is not an ELF file");
}

}  // namespace
}  // namespace firesim::traces
