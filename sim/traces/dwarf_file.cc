// SPDX-License-Identifier: BSD-3-Clause
// Walks DWARF; see dwarf_file.h.
#include "traces/dwarf_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <libdwarf/dwarf.h>
#include <unistd.h>

#include "devices/config.h"

namespace firesim::traces {
namespace {

[[noreturn]] void refuse(const std::string &where, const std::filesystem::path &file,
                         const char *what) {
  throw devices::ConfigError(fmt::format("{}: {} {}", where, file.string(), what));
}

}  // namespace

OpenFile::OpenFile(const std::filesystem::path &file, const std::string &where)
    : descriptor_(open(file.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (descriptor_ < 0) refuse(where, file, "cannot be opened");
}

OpenFile::~OpenFile() { close(descriptor_); }

DwarfFile::DwarfFile(const std::filesystem::path &file, const std::string &where)
    : file_(file, where) {
  const int status = dwarf_init_b(file_.descriptor(), DW_DLC_READ, DW_GROUPNUMBER_ANY, nullptr,
                                  nullptr, &debug_, &error_);
  if (status == DW_DLV_NO_ENTRY) debug_ = nullptr;
  if (status == DW_DLV_ERROR) refuse(where, file, "is not an ELF file with readable DWARF");
}

DwarfFile::~DwarfFile() {
  if (debug_ != nullptr) dwarf_finish(debug_, &error_);
}

void DwarfFile::walk(Visitor &visitor) {
  Dwarf_Unsigned length, next_offset, type_offset;
  Dwarf_Off abbreviations;
  Dwarf_Half version, address_size, length_size, extension_size, kind;
  Dwarf_Sig8 signature;
  while (debug_ != nullptr &&
         dwarf_next_cu_header_d(debug_, 1, &length, &version, &abbreviations, &address_size,
                                &length_size, &extension_size, &signature, &type_offset,
                                &next_offset, &kind, &error_) == DW_DLV_OK) {
    Dwarf_Die unit = nullptr;
    if (dwarf_siblingof_b(debug_, nullptr, 1, &unit, &error_) != DW_DLV_OK) continue;
    Dwarf_Addr base = 0;
    unit_base_ = dwarf_lowpc(unit, &base, &error_) == DW_DLV_OK ? base : 0;
    visitor.unit(unit);
    functions_in(unit, visitor, 0);
    dwarf_dealloc(debug_, unit, DW_DLA_DIE);
  }
}

void DwarfFile::each_child(Dwarf_Die parent,
                           const std::function<void(Dwarf_Die, Dwarf_Half)> &take) {
  Dwarf_Die entry = nullptr;
  if (dwarf_child(parent, &entry, &error_) != DW_DLV_OK) return;
  while (entry != nullptr) {
    Dwarf_Half tag = 0;
    if (dwarf_tag(entry, &tag, &error_) == DW_DLV_OK) take(entry, tag);
    Dwarf_Die next = nullptr;
    const bool more = dwarf_siblingof_b(debug_, entry, 1, &next, &error_) == DW_DLV_OK;
    dwarf_dealloc(debug_, entry, DW_DLA_DIE);
    entry = more ? next : nullptr;
  }
}

void DwarfFile::functions_in(Dwarf_Die parent, Visitor &visitor, int depth) {
  if (depth == kMostDepth) return;
  each_child(parent, [&](Dwarf_Die entry, Dwarf_Half tag) {
    if (tag == DW_TAG_subprogram) {
      CodeSpan whole{0, 0};
      const bool is_whole = own_span(entry, whole);
      const Function function{spans_of(entry), is_whole, name_of(entry)};
      if (!function.spans.empty() && !function.name.empty()) visitor.function(entry, function);
    } else if (tag == DW_TAG_namespace || tag == DW_TAG_class_type ||
               tag == DW_TAG_structure_type) {
      functions_in(entry, visitor, depth + 1);
    }
  });
}

bool DwarfFile::own_span(Dwarf_Die entry, CodeSpan &span) {
  Dwarf_Addr low = 0, high = 0;
  Dwarf_Half form = 0;
  Dwarf_Form_Class form_class = DW_FORM_CLASS_UNKNOWN;
  if (dwarf_lowpc(entry, &low, &error_) != DW_DLV_OK) return false;
  if (dwarf_highpc_b(entry, &high, &form, &form_class, &error_) != DW_DLV_OK) return false;
  if (form_class == DW_FORM_CLASS_CONSTANT) high += low;
  span = {low, high};
  return high > low;
}

std::string DwarfFile::name_of(Dwarf_Die entry, int depth) {
  char *text = nullptr;
  if (dwarf_diename(entry, &text, &error_) == DW_DLV_OK) return text;
  if (depth == kMostDepth) return "";
  for (const Dwarf_Half reference : {DW_AT_specification, DW_AT_abstract_origin}) {
    Dwarf_Attribute attribute = nullptr;
    if (dwarf_attr(entry, reference, &attribute, &error_) != DW_DLV_OK) continue;
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

uint64_t DwarfFile::number_of(Dwarf_Die entry, Dwarf_Half name, uint64_t otherwise) {
  Dwarf_Attribute attribute = nullptr;
  if (dwarf_attr(entry, name, &attribute, &error_) != DW_DLV_OK) return otherwise;
  Dwarf_Unsigned value = 0;
  Dwarf_Signed signed_value = 0;
  if (dwarf_formudata(attribute, &value, &error_) != DW_DLV_OK) {
    const bool found = dwarf_formsdata(attribute, &signed_value, &error_) == DW_DLV_OK;
    value = found && signed_value >= 0 ? static_cast<uint64_t>(signed_value) : otherwise;
  }
  dwarf_dealloc(debug_, attribute, DW_DLA_ATTR);
  return value;
}

std::vector<CodeSpan> DwarfFile::spans_of(Dwarf_Die entry) {
  std::vector<CodeSpan> spans;
  CodeSpan own{0, 0};
  Dwarf_Attribute attribute = nullptr;
  if (own_span(entry, own)) {
    spans.push_back(own);
  } else if (dwarf_attr(entry, DW_AT_ranges, &attribute, &error_) == DW_DLV_OK) {
    Dwarf_Half version = 0, offset_size = 0;
    const bool known = dwarf_get_version_of_die(entry, &version, &offset_size) == DW_DLV_OK;
    if (known && version >= 5) ranges(attribute, spans);
    if (known && version < 5) older_ranges(entry, attribute, spans);
    dwarf_dealloc(debug_, attribute, DW_DLA_ATTR);
  }
  return spans;
}

void DwarfFile::older_ranges(Dwarf_Die entry, Dwarf_Attribute attribute,
                             std::vector<CodeSpan> &spans) {
  Dwarf_Off offset = 0, real_offset = 0;
  Dwarf_Ranges *list = nullptr;
  Dwarf_Signed count = 0;
  Dwarf_Unsigned bytes = 0;
  if (dwarf_global_formref(attribute, &offset, &error_) != DW_DLV_OK) return;
  if (dwarf_get_ranges_b(debug_, offset, entry, &real_offset, &list, &count, &bytes, &error_) !=
      DW_DLV_OK) {
    return;
  }
  uint64_t base = unit_base_;
  for (Dwarf_Signed i = 0; i < count; ++i) {
    const Dwarf_Ranges &each = list[i];
    if (each.dwr_type == DW_RANGES_ADDRESS_SELECTION) base = each.dwr_addr2;
    if (each.dwr_type != DW_RANGES_ENTRY || each.dwr_addr1 >= each.dwr_addr2) continue;
    spans.push_back({base + each.dwr_addr1, base + each.dwr_addr2});
  }
  dwarf_ranges_dealloc(debug_, list, count);
}

void DwarfFile::ranges(Dwarf_Attribute attribute, std::vector<CodeSpan> &spans) {
  Dwarf_Half form = 0;
  Dwarf_Unsigned value = 0, count = 0, offset = 0;
  Dwarf_Rnglists_Head head = nullptr;
  if (dwarf_whatform(attribute, &form, &error_) != DW_DLV_OK) return;
  const int status = form == DW_FORM_rnglistx ? dwarf_formudata(attribute, &value, &error_)
                                              : dwarf_global_formref(attribute, &value, &error_);
  if (status != DW_DLV_OK || dwarf_rnglists_get_rle_head(attribute, form, value, &head, &count,
                                                         &offset, &error_) != DW_DLV_OK) {
    return;
  }
  for (Dwarf_Unsigned i = 0; i < count; ++i) {
    unsigned length = 0, kind = 0;
    Dwarf_Unsigned raw1, raw2, low, high;
    Dwarf_Bool is_missing = 0;
    if (dwarf_get_rnglists_entry_fields_a(head, i, &length, &kind, &raw1, &raw2, &is_missing, &low,
                                          &high, &error_) != DW_DLV_OK) {
      break;
    }
    const bool is_span = kind == DW_RLE_startx_endx || kind == DW_RLE_startx_length ||
                         kind == DW_RLE_offset_pair || kind == DW_RLE_start_end ||
                         kind == DW_RLE_start_length;
    if (is_span && is_missing == 0 && low < high) spans.push_back({low, high});
  }
  dwarf_dealloc_rnglists_head(head);
}

}  // namespace firesim::traces
