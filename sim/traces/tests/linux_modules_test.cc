// SPDX-License-Identifier: BSD-3-Clause
// Modules of a kernel: the list of them, their functions from the symbols that the kernel keeps,
// what comes in their place; and that memory of any content is read without harm.
#include "traces/linux_modules.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <random>

#include "core/tests/random_seed.h"
#include "traces/tests/guest_memory.h"

namespace firesim::traces {
namespace {

constexpr uint64_t kHead = kBase + 0x2000, kFirst = kBase + 0x3000, kSecond = kBase + 0x4000,
                   kTable = 0x200, kNames = 0x600, kSymbols = 0x180, kCode = kBase + 0x10000,
                   kInit = kBase + 0x20000, kCodeBytes = 0x400;
constexpr uint64_t kUnformed = 3;

ModuleTypes some_types() {
  ModuleTypes types{};
  types.head = GuestMemory::seen(kHead);
  types.list = 8, types.state = 0, types.name = 24, types.core = 80, types.init = 112;
  types.symbols = 144;
  types.layout_base = 0, types.layout_text = 12;
  types.table = 0, types.table_count = 8, types.names = 16, types.kinds = 24;
  types.name_bytes = 56;
  types.unformed = kUnformed;
  return types;
}

struct Symbol {
  std::string name;
  uint64_t address, bytes = 0x80;
  int type = STT_FUNC, bind = STB_LOCAL;
};

class LinuxModules : public testing::Test {
 protected:
  static uint64_t seen(uint64_t physical) { return GuestMemory::seen(physical); }

  void link(const std::vector<uint64_t> &modules) {
    uint64_t at = kHead;
    for (const uint64_t module : modules) {
      memory.put(at, seen(module + 8));
      at = module + 8;
    }
    memory.put(at, seen(kHead));
  }
  void module(uint64_t at, const std::string &name, uint64_t core, uint64_t init,
              const std::vector<Symbol> &symbols) {
    memory.put_text(at + 24, name);
    area(at + 80, core, kCodeBytes);
    area(at + 112, init, init == 0 ? 0 : kCodeBytes);
    memory.put(at + 144, seen(at + kSymbols));
    std::string names(1, 0);
    for (size_t i = 0; i < symbols.size(); ++i) {
      const Symbol &each = symbols[i];
      Elf64_Sym symbol{};
      symbol.st_name = static_cast<uint32_t>(names.size());
      symbol.st_info = static_cast<uint8_t>(ELF64_ST_INFO(each.bind, each.type));
      symbol.st_shndx = 1;
      symbol.st_value = seen(each.address);
      symbol.st_size = each.bytes;
      std::memcpy(memory.bytes().data() + (at - kBase) + kTable + i * sizeof symbol, &symbol,
                  sizeof symbol);
      names += each.name + '\0';
    }
    std::memcpy(memory.bytes().data() + (at - kBase) + kNames, names.data(), names.size());
    memory.put(at + kSymbols, seen(at + kTable));
    memory.put(at + kSymbols + 8, symbols.size());
    memory.put(at + kSymbols + 16, seen(at + kNames));
    memory.put(at + kSymbols + 24, seen(at + kNames + names.size()));
  }
  void area(uint64_t at, uint64_t code, uint64_t bytes) {
    memory.put(at, code == 0 ? 0 : seen(code));
    memory.put(at + 8, bytes << 32);
  }
  void two_modules() {
    module(kFirst, "first", kCode, kInit,
           {{"inner", kCode + 0x40},
            {"outer", kCode + 0x100},
            {"$x", kCode + 0x48, 0, STT_NOTYPE},
            {"table", kCode + 0x60, 8, STT_OBJECT},
            {"init_module", kInit, 0x80, STT_FUNC, STB_GLOBAL},
            {"first_loads", kInit}});
    module(kSecond, "second", kCode + 0x1000, 0, {{"asm; label", kCode + 0x1000, 0, STT_NOTYPE}});
    link({kFirst, kSecond});
  }
  std::string name_at(uint64_t physical) {
    const CodeRange range = functions.find(kernel, seen(physical), {0, UINT64_MAX, 0});
    EXPECT_TRUE(range.contains(seen(physical)));
    return symbols.name(range.function);
  }

  GuestMemory memory;
  const KernelMemory kernel{memory, kSatp};
  const std::optional<ModuleTypes> types = some_types();
  SymbolTable symbols;
  ModuleFunctions functions{symbols, types, {}, "n", {}};
};

TEST_F(LinuxModules, FunctionsAreThoseThatTheKernelKnows) {
  two_modules();
  EXPECT_EQ(name_at(kCode + 0x40), "inner");
  EXPECT_EQ(name_at(kCode + 0xbe), "inner");
  EXPECT_EQ(name_at(kCode + 0x100), "outer");
  EXPECT_EQ(name_at(kInit + 4), "first_loads");
  EXPECT_EQ(name_at(kCode + 0x1004), "asm??label");
}

TEST_F(LinuxModules, CodeWithoutAFunctionIsItsModules) {
  two_modules();
  EXPECT_EQ(name_at(kCode), "[first]");
  const CodeRange gap = functions.find(kernel, seen(kCode + 0xd0), {0, UINT64_MAX, 0});
  EXPECT_EQ(symbols.name(gap.function), "[first]");
  EXPECT_EQ(gap.low, seen(kCode + 0xc0));
  EXPECT_EQ(gap.high, seen(kCode + 0x100));
}

TEST_F(LinuxModules, OutsideOfThemTheGapEndsWhereTheyBegin) {
  two_modules();
  const CodeRange gap = functions.find(kernel, seen(kCode + 0x800), {0, UINT64_MAX, 0});
  EXPECT_EQ(gap.function, SymbolTable::kUnknown);
  EXPECT_EQ(gap.low, seen(kCode + kCodeBytes));
  EXPECT_EQ(gap.high, seen(kCode + 0x1000));
}

TEST_F(LinuxModules, OneThatIsBeingPutInPlaceIsNotLookedAt) {
  two_modules();
  memory.put(kFirst, kUnformed);
  EXPECT_EQ(name_at(kCode + 0x40), "[unknown]");
}

TEST_F(LinuxModules, WhatComesInTheirPlaceIsFoundWhenTheyWereForgotten) {
  two_modules();
  EXPECT_EQ(name_at(kCode + 0x40), "inner");
  module(kFirst, "third", kCode, 0, {{"other", kCode + 0x20}});
  EXPECT_EQ(name_at(kCode + 0x40), "inner");
  const uint64_t changes = functions.changes();
  functions.forget();
  EXPECT_NE(functions.changes(), changes);
  EXPECT_EQ(name_at(kCode + 0x40), "other");
}

TEST_F(LinuxModules, TheAreaOfOneThatHasBegunIsSoonThatOfTheNext) {
  two_modules();
  EXPECT_EQ(name_at(kInit), "first_loads");
  // The first one goes on without it, and the next one begins there.
  area(kFirst + 112, 0, 0);
  module(kSecond, "second", kCode + 0x1000, kInit, {{"second_loads", kInit}});
  EXPECT_EQ(name_at(kInit), "second_loads");
}

TEST_F(LinuxModules, AKernelThatLoadsNoneHasNone) {
  two_modules();
  const std::optional<ModuleTypes> none;
  ModuleFunctions without(symbols, none, {}, "n", {});
  const CodeRange range = without.find(kernel, seen(kCode + 0x40), {1, UINT64_MAX, 0});
  EXPECT_EQ(range.low, 1u);
  EXPECT_EQ(range.function, SymbolTable::kUnknown);
}

TEST_F(LinuxModules, ThereIsAnEndToWhatIsRead) {
  two_modules();
  uint64_t left_bytes = 1 << 20;
  loaded_modules(kernel, *types, left_bytes);
  const uint64_t taken = (1 << 20) - left_bytes;
  ASSERT_GT(taken, 0u);
  uint64_t too_few = taken - 1;
  const std::vector<LoadedModule> modules = loaded_modules(kernel, *types, too_few);
  ASSERT_EQ(modules.size(), 2u);
  EXPECT_FALSE(modules[0].core.functions.empty());
  EXPECT_TRUE(modules[1].core.functions.empty());
  EXPECT_GT(too_few, 0u);
}

TEST_F(LinuxModules, AnyMemoryIsReadWithoutHarm) {
  const uint64_t seed = random_seed();
  SCOPED_TRACE("FIRESIM_TEST_SEED=" + std::to_string(seed));
  std::mt19937_64 random(seed);
  two_modules();
  const std::vector<uint8_t> good = memory.bytes();
  for (int round = 0; round < 400; ++round) {
    memory.bytes() = good;
    for (int i = 0; i < 12; ++i) {
      const uint64_t at = kHead + random() % 0x2800 / 8 * 8;
      // Pointers into the same structures, and numbers large and small.
      const uint64_t value = random() >> random() % 64;
      memory.put(at, random() % 2 ? seen(kHead + random() % 0x2800) : value);
    }
    functions.forget();
    for (const uint64_t at : {kCode + 0x40, kCode + 0x1000, kInit}) name_at(at);
    uint64_t left_bytes = 1 << 20;
    for (const LoadedModule &each : loaded_modules(kernel, *types, left_bytes)) {
      for (const ModuleCode *code : {&each.core, &each.init}) {
        uint64_t last = code->low;
        for (const FunctionRange &function : code->functions) {
          EXPECT_LE(last, function.low);
          EXPECT_LT(function.low, function.high);
          EXPECT_LE(function.high, code->high);
          last = function.high;
        }
      }
    }
  }
}

}  // namespace
}  // namespace firesim::traces
