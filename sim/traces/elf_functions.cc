// SPDX-License-Identifier: BSD-3-Clause
// Function lists from DWARF and from symbol tables; see elf_functions.h.
#include "traces/elf_functions.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>
#include <libdwarf/dwarf.h>
#include <libdwarf/libdwarf.h>
#include <unistd.h>

#include <algorithm>
#include <tuple>

#include "devices/config.h"

namespace firesim::traces {

using namespace devices;
namespace {

[[noreturn]] void fail(const std::string &where, const std::filesystem::path &file,
                       const std::string &what) {
  throw ConfigError(fmt::format("{}: {} {}", where, file.string(), what));
}

// An open file descriptor.
class File {
 public:
  File(const std::filesystem::path &file, const std::string &where)
      : descriptor_(open(file.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ < 0) fail(where, file, "cannot be opened");
  }
  ~File() { close(descriptor_); }
  File(const File &) = delete;
  File &operator=(const File &) = delete;
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

// Walks the debugging entries of one file.
class DwarfWalk {
 public:
  DwarfWalk(Dwarf_Debug debug, std::vector<FunctionRange> &functions)
      : debug_(debug), functions_(functions) {}

  void units() {
    Dwarf_Unsigned length, next_offset, type_offset;
    Dwarf_Off abbreviations;
    Dwarf_Half version, address_size, length_size, extension_size, kind;
    Dwarf_Sig8 signature;
    while (dwarf_next_cu_header_d(debug_, 1, &length, &version, &abbreviations, &address_size,
                                  &length_size, &extension_size, &signature, &type_offset,
                                  &next_offset, &kind, &error_) == DW_DLV_OK) {
      Dwarf_Die unit = nullptr;
      if (dwarf_siblingof_b(debug_, nullptr, 1, &unit, &error_) == DW_DLV_OK) children(unit, 0);
    }
  }

 private:
  static constexpr int kMostDepth = 32;

  void children(Dwarf_Die parent, int depth) {
    Dwarf_Die die = nullptr;
    if (depth < kMostDepth && dwarf_child(parent, &die, &error_) == DW_DLV_OK) {
      while (die != nullptr) {
        visit(die, depth);
        Dwarf_Die next = nullptr;
        const bool more = dwarf_siblingof_b(debug_, die, 1, &next, &error_) == DW_DLV_OK;
        dwarf_dealloc(debug_, die, DW_DLA_DIE);
        die = more ? next : nullptr;
      }
    }
    if (depth == 0) dwarf_dealloc(debug_, parent, DW_DLA_DIE);
  }

  void visit(Dwarf_Die die, int depth) {
    Dwarf_Half tag = 0;
    if (dwarf_tag(die, &tag, &error_) != DW_DLV_OK) return;
    if (tag == DW_TAG_subprogram) {
      subprogram(die);
    } else if (tag == DW_TAG_namespace || tag == DW_TAG_class_type ||
               tag == DW_TAG_structure_type) {
      children(die, depth + 1);
    }
  }

  void subprogram(Dwarf_Die die) {
    Dwarf_Addr low = 0, high = 0;
    Dwarf_Half form = 0;
    Dwarf_Form_Class form_class = DW_FORM_CLASS_UNKNOWN;
    if (dwarf_lowpc(die, &low, &error_) != DW_DLV_OK) return;
    if (dwarf_highpc_b(die, &high, &form, &form_class, &error_) != DW_DLV_OK) return;
    if (form_class == DW_FORM_CLASS_CONSTANT) high += low;
    const std::string name = name_of(die, 0);
    if (high > low && !name.empty()) functions_.push_back({low, high, name});
  }

  // The name, which may stand at the declaration or at the abstract instance.
  std::string name_of(Dwarf_Die die, int depth) {
    char *text = nullptr;
    if (dwarf_diename(die, &text, &error_) == DW_DLV_OK) return text;
    if (depth == kMostDepth) return "";
    for (const Dwarf_Half reference : {DW_AT_specification, DW_AT_abstract_origin}) {
      Dwarf_Attribute attribute = nullptr;
      if (dwarf_attr(die, reference, &attribute, &error_) != DW_DLV_OK) continue;
      Dwarf_Off offset = 0;
      const bool found = dwarf_global_formref(attribute, &offset, &error_) == DW_DLV_OK;
      dwarf_dealloc(debug_, attribute, DW_DLA_ATTR);
      Dwarf_Die other = nullptr;
      if (!found || dwarf_offdie_b(debug_, offset, 1, &other, &error_) != DW_DLV_OK) continue;
      std::string name = name_of(other, depth + 1);
      dwarf_dealloc(debug_, other, DW_DLA_DIE);
      return name;
    }
    return "";
  }

  Dwarf_Debug debug_;
  std::vector<FunctionRange> &functions_;
  Dwarf_Error error_ = nullptr;  // without one to fill in, libdwarf ends the process
};

// A label as libelf shows it, with the end of its section.
struct Label {
  GElf_Sym symbol;
  uint64_t section_end;
  std::string name;
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
  const File file_;
  Elf *elf_;
};

// `kind` is that of the section with the symbols.
std::vector<Label> code_labels(Elf *elf, uint32_t kind) {
  std::vector<Label> labels;
  for (Elf_Scn *scan = nullptr; (scan = elf_nextscn(elf, scan)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(scan, &header) == nullptr || header.sh_type != kind) continue;
    Elf_Data *data = elf_getdata(scan, nullptr);
    const size_t count = header.sh_entsize == 0 ? 0 : header.sh_size / header.sh_entsize;
    for (size_t i = 0; data != nullptr && i < count; ++i) {
      Label label;
      if (gelf_getsym(data, static_cast<int>(i), &label.symbol) == nullptr) continue;
      const int type = GELF_ST_TYPE(label.symbol.st_info);
      const char *name = elf_strptr(elf, header.sh_link, label.symbol.st_name);
      if ((type != STT_FUNC && type != STT_NOTYPE) || name == nullptr) continue;
      GElf_Shdr section;
      Elf_Scn *home = elf_getscn(elf, label.symbol.st_shndx);
      if (home == nullptr || gelf_getshdr(home, &section) == nullptr) continue;
      if ((section.sh_flags & SHF_EXECINSTR) == 0) continue;
      label.section_end = section.sh_addr + section.sh_size;
      label.name = name;
      // "$x" and ".L1" mark places for tools, and name no routine.
      const bool routine = !label.name.empty() && label.name[0] != '$' && label.name[0] != '.';
      if (routine && label.symbol.st_value < label.section_end) labels.push_back(label);
    }
  }
  return labels;
}

}  // namespace

std::vector<FunctionRange> dwarf_functions(const std::filesystem::path &file,
                                           const std::string &where) {
  const File open_file(file, where);
  std::vector<FunctionRange> functions;
  Dwarf_Debug debug = nullptr;
  Dwarf_Error error = nullptr;
  const int status = dwarf_init_b(open_file.descriptor(), DW_DLC_READ, DW_GROUPNUMBER_ANY, nullptr,
                                  nullptr, &debug, &error);
  if (status == DW_DLV_NO_ENTRY) return functions;
  if (status != DW_DLV_OK) fail(where, file, "is not an ELF file with readable DWARF");
  DwarfWalk(debug, functions).units();
  dwarf_finish(debug, &error);
  return functions;
}

std::vector<FunctionRange> symbol_functions(const std::filesystem::path &file,
                                            const std::string &where) {
  const ElfFile elf(file, where);
  std::vector<Label> labels = code_labels(elf.get(), SHT_SYMTAB);
  if (labels.empty()) {
    labels = code_labels(elf.get(), SHT_DYNSYM);
    std::erase_if(labels, [](const Label &label) { return label.symbol.st_size == 0; });
  }
  // Of several labels in one place the one with a size, then the global one, names the routine.
  const auto rank = [](const Label &label) {
    return (label.symbol.st_size != 0 ? 0 : 2) +
           (GELF_ST_BIND(label.symbol.st_info) == STB_LOCAL ? 1 : 0);
  };
  std::sort(labels.begin(), labels.end(), [&rank](const Label &a, const Label &b) {
    return std::tuple(a.symbol.st_value, rank(a), a.name) <
           std::tuple(b.symbol.st_value, rank(b), b.name);
  });
  std::vector<FunctionRange> functions;
  for (size_t i = 0; i < labels.size(); ++i) {
    const uint64_t low = labels[i].symbol.st_value;
    if (!functions.empty() && functions.back().low == low) continue;
    uint64_t high = low + labels[i].symbol.st_size;
    if (high == low) {
      size_t next = i + 1;
      while (next < labels.size() && labels[next].symbol.st_value == low) ++next;
      high = labels[i].section_end;
      if (next < labels.size()) high = std::min(high, labels[next].symbol.st_value);
    }
    functions.push_back({low, high, labels[i].name});
  }
  return functions;
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
