// SPDX-License-Identifier: BSD-3-Clause
// Function lists from DWARF and from symbol tables; see elf_functions.h.
#include "traces/elf_functions.h"

#include <fmt/format.h>
#include <gelf.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "devices/config.h"
#include "traces/dwarf_file.h"

namespace firesim::traces {

using namespace devices;
namespace {

[[noreturn]] void fail(const std::string &where, const std::filesystem::path &file,
                       const std::string &what) {
  throw ConfigError(fmt::format("{}: {} {}", where, file.string(), what));
}

// Takes the functions that are in one piece.
class FunctionList final : public DwarfFile::Visitor {
 public:
  void function(Dwarf_Die, const DwarfFile::Function &function) override {
    if (!function.is_whole) return;
    functions.push_back({function.spans[0].low, function.spans[0].high, function.name});
  }

  std::vector<FunctionRange> functions;
};

// An ELF file that libelf reads.
class ElfFile {
 public:
  ElfFile(const std::filesystem::path &file, const std::string &where) : file_(file, where) {
    elf_version(EV_CURRENT);
    elf_ = elf_begin(file_.descriptor(), ELF_C_READ, nullptr);
    if (elf_ != nullptr && elf_kind(elf_) == ELF_K_ELF) return;
    if (elf_ != nullptr) elf_end(elf_);
    fail(where, file, "is not an ELF file");
  }
  ~ElfFile() { elf_end(elf_); }
  ElfFile(const ElfFile &) = delete;
  ElfFile &operator=(const ElfFile &) = delete;
  Elf *get() const { return elf_; }

 private:
  const OpenFile file_;
  Elf *elf_;
};

// `kind` is that of the section with the symbols.
std::vector<CodeLabel> code_labels(Elf *elf, uint32_t kind) {
  std::vector<CodeLabel> labels;
  for (Elf_Scn *scan = nullptr; (scan = elf_nextscn(elf, scan)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(scan, &header) == nullptr || header.sh_type != kind) continue;
    Elf_Data *data = elf_getdata(scan, nullptr);
    const size_t count = header.sh_entsize == 0 ? 0 : header.sh_size / header.sh_entsize;
    for (size_t i = 0; data != nullptr && i < count; ++i) {
      GElf_Sym symbol;
      if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr) continue;
      const int type = GELF_ST_TYPE(symbol.st_info);
      const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);
      if ((type != STT_FUNC && type != STT_NOTYPE) || name == nullptr) continue;
      GElf_Shdr section;
      Elf_Scn *home = elf_getscn(elf, symbol.st_shndx);
      if (home == nullptr || gelf_getshdr(home, &section) == nullptr) continue;
      if ((section.sh_flags & SHF_EXECINSTR) == 0) continue;
      const uint64_t end = section.sh_addr + section.sh_size;
      const bool is_local = GELF_ST_BIND(symbol.st_info) == STB_LOCAL;
      if (!names_routine(name) || symbol.st_value >= end) continue;
      labels.push_back({symbol.st_value, symbol.st_size, end, is_local, name});
    }
  }
  return labels;
}

}  // namespace

std::vector<FunctionRange> dwarf_functions(const std::filesystem::path &file,
                                           const std::string &where) {
  FunctionList list;
  DwarfFile(file, where).walk(list);
  return std::move(list.functions);
}

bool names_routine(const std::string &name) {
  return !name.empty() && name[0] != '$' && name[0] != '.';
}

std::vector<FunctionRange> functions_of(std::vector<CodeLabel> labels) {
  const auto rank = [](const CodeLabel &label) {
    return (label.bytes != 0 ? 0 : 2) + (label.is_local ? 1 : 0);
  };
  std::sort(labels.begin(), labels.end(), [&rank](const CodeLabel &a, const CodeLabel &b) {
    return std::tuple(a.address, rank(a), a.name) < std::tuple(b.address, rank(b), b.name);
  });
  std::vector<FunctionRange> functions;
  for (size_t i = 0; i < labels.size(); ++i) {
    const uint64_t low = labels[i].address;
    if (!functions.empty() && functions.back().low == low) continue;
    uint64_t high = low + labels[i].bytes;
    if (high == low) {
      size_t next = i + 1;
      while (next < labels.size() && labels[next].address == low) ++next;
      high = labels[i].limit;
      if (next < labels.size()) high = std::min(high, labels[next].address);
    }
    functions.push_back({low, high, labels[i].name});
  }
  return functions;
}

std::vector<FunctionRange> symbol_functions(const std::filesystem::path &file,
                                            const std::string &where) {
  const ElfFile elf(file, where);
  std::vector<CodeLabel> labels = code_labels(elf.get(), SHT_SYMTAB);
  if (labels.empty()) {
    labels = code_labels(elf.get(), SHT_DYNSYM);
    std::erase_if(labels, [](const CodeLabel &label) { return label.bytes == 0; });
  }
  return functions_of(std::move(labels));
}

std::vector<LoadedSegment> loaded_segments(const std::filesystem::path &file,
                                           const std::string &where) {
  const ElfFile elf(file, where);
  std::vector<LoadedSegment> segments;
  size_t count = 0;
  if (elf_getphdrnum(elf.get(), &count) != 0) return segments;
  for (size_t i = 0; i < count; ++i) {
    GElf_Phdr header;
    if (gelf_getphdr(elf.get(), static_cast<int>(i), &header) == nullptr) continue;
    if (header.p_type != PT_LOAD) continue;
    segments.push_back({header.p_offset, header.p_filesz, header.p_vaddr});
  }
  return segments;
}

}  // namespace firesim::traces
