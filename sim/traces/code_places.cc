// SPDX-License-Identifier: BSD-3-Clause
// Places in the source; see code_places.h.
#include "traces/code_places.h"

#include <fmt/format.h>
#include <libdwarf/dwarf.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "traces/dwarf_file.h"

namespace firesim::traces {

// Reads the pieces of a file, function by function.
class PlaceReader final : public DwarfFile::Visitor {
 public:
  PlaceReader(DwarfFile &file, CodePlaces &places) : file_(file), places_(places) {}
  ~PlaceReader() override { end_unit(); }

  void unit(Dwarf_Die entry) override {
    end_unit();
    Dwarf_Unsigned version = 0;
    Dwarf_Small tables = 0;
    const bool has_lines =
        places_.detail_.lines &&
        dwarf_srclines_b(entry, &version, &tables, &lines_, file_.error()) == DW_DLV_OK;
    if (!has_lines) lines_ = nullptr;
    read_rows();
  }

  void function(Dwarf_Die entry, const DwarfFile::Function &function) override {
    spans_.clear();
    if (places_.detail_.inlined) read_inlined(entry, CodePlaces::kNone, 0);
    for (const CodeSpan &span : function.spans) {
      if (span.low != 0) put_pieces(span);  // what the linker has left out is told to be at 0
    }
  }

 private:
  using Line = CodePlaces::Line;
  using Piece = CodePlaces::Piece;
  struct Row {
    uint64_t low;
    Line line;
    bool is_end;  // of a sequence: nothing is known from here on
  };
  struct Span {
    CodeSpan code;
    uint32_t depth;
    uint32_t inlined;
  };
  static constexpr uint32_t kMostDepth = 64;

  void end_unit() {
    if (lines_ != nullptr) dwarf_srclines_dealloc_b(lines_);
    lines_ = nullptr;
    rows_.clear();
    files_.clear();
  }

  uint32_t file_name(uint64_t number) {
    const auto [place, is_new] = files_.try_emplace(number, CodePlaces::kNone);
    const char *name = nullptr;
    Dwarf_Unsigned folder, time, length;
    Dwarf_Form_Data16 *digest = nullptr;
    if (is_new && lines_ != nullptr &&
        dwarf_srclines_files_data_b(lines_, static_cast<Dwarf_Signed>(number), &name, &folder,
                                    &time, &length, &digest, file_.error()) == DW_DLV_OK &&
        name != nullptr) {
      place->second = places_.number_of(std::filesystem::path(name).filename().string());
    }
    return place->second;
  }

  void read_rows() {
    Dwarf_Line *lines = nullptr;
    Dwarf_Signed count = 0;
    if (lines_ == nullptr ||
        dwarf_srclines_from_linecontext(lines_, &lines, &count, file_.error()) != DW_DLV_OK) {
      return;
    }
    for (Dwarf_Signed i = 0; i < count; ++i) {
      Dwarf_Addr low = 0;
      Dwarf_Unsigned number = 0, file = 0;
      Dwarf_Bool is_end = 0;
      if (dwarf_lineaddr(lines[i], &low, file_.error()) != DW_DLV_OK ||
          dwarf_lineno(lines[i], &number, file_.error()) != DW_DLV_OK ||
          dwarf_line_srcfileno(lines[i], &file, file_.error()) != DW_DLV_OK ||
          dwarf_lineendsequence(lines[i], &is_end, file_.error()) != DW_DLV_OK) {
        continue;
      }
      const Line line{file_name(file), static_cast<uint32_t>(number)};
      rows_.push_back({low, is_end != 0 ? Line{} : line, is_end != 0});
    }
    // Where one sequence ends, another may begin.
    std::stable_sort(rows_.begin(), rows_.end(), [](const Row &a, const Row &b) {
      return std::tuple(a.low, !a.is_end) < std::tuple(b.low, !b.is_end);
    });
  }

  void read_inlined(Dwarf_Die parent, uint32_t within, uint32_t depth) {
    if (depth == kMostDepth) return;
    file_.each_child(parent, [&](Dwarf_Die entry, Dwarf_Half tag) {
      if (tag == DW_TAG_lexical_block) return read_inlined(entry, within, depth + 1);
      if (tag != DW_TAG_inlined_subroutine) return;
      const std::string name = file_.name_of(entry);
      const auto mine = static_cast<uint32_t>(places_.inlined_.size());
      const uint64_t line = file_.number_of(entry, DW_AT_call_line, 0);
      const uint32_t file = file_name(file_.number_of(entry, DW_AT_call_file, 0));
      places_.inlined_.push_back({within,
                                  places_.number_of(name.empty() ? "?" : name),
                                  {file, static_cast<uint32_t>(line)}});
      for (const CodeSpan &code : file_.spans_of(entry)) spans_.push_back({code, depth, mine});
      read_inlined(entry, mine, depth + 1);
    });
  }

  // Cuts a function where another inlined function or another line begins.
  void put_pieces(const CodeSpan &code) {
    std::set<uint64_t> cuts{code.low};
    const auto cut = [&](uint64_t at) {
      if (at > code.low && at < code.high) cuts.insert(at);
    };
    for (const Span &span : spans_) {
      cut(span.code.low);
      cut(span.code.high);
    }
    auto row = std::upper_bound(rows_.begin(), rows_.end(), code.low,
                                [](uint64_t low, const Row &each) { return low < each.low; });
    for (auto next = row; next != rows_.end() && next->low < code.high; ++next) cut(next->low);
    std::sort(spans_.begin(), spans_.end(),
              [](const Span &a, const Span &b) { return a.code.low < b.code.low; });
    std::set<std::tuple<uint32_t, uint32_t, uint64_t>> open;  // depth, which, its end
    size_t begun = 0;
    for (const uint64_t low : cuts) {
      for (; begun < spans_.size() && spans_[begun].code.low <= low; ++begun) {
        const Span &span = spans_[begun];
        open.emplace(span.depth, span.inlined, span.code.high);
      }
      std::erase_if(open, [low](const auto &each) { return std::get<2>(each) <= low; });
      while (row != rows_.end() && row->low <= low) ++row;
      const uint32_t inlined = open.empty() ? CodePlaces::kNone : std::get<1>(*open.rbegin());
      places_.pieces_.push_back({low, true, inlined, row == rows_.begin() ? Line{} : row[-1].line});
    }
    places_.pieces_.push_back({code.high, false, CodePlaces::kNone, {}});
  }

  DwarfFile &file_;
  CodePlaces &places_;
  Dwarf_Line_Context lines_ = nullptr;  // of the unit
  std::vector<Row> rows_;               // of the unit, in order of address
  std::map<uint64_t, uint32_t> files_;  // of the unit
  std::vector<Span> spans_;             // of the function
};

CodePlaces::CodePlaces(const std::filesystem::path &file, const std::string &where,
                       FrameDetail detail)
    : detail_(detail) {
  DwarfFile dwarf(file, where);
  {
    PlaceReader reader(dwarf, *this);
    dwarf.walk(reader);
  }
  std::stable_sort(pieces_.begin(), pieces_.end(), [](const Piece &a, const Piece &b) {
    return std::tuple(a.low, a.is_known) < std::tuple(b.low, b.is_known);
  });
}

uint32_t CodePlaces::number_of(const std::string &text) {
  const auto [place, is_new] = numbers_.emplace(text, static_cast<uint32_t>(texts_.size()));
  if (is_new) texts_.push_back(text);
  return place->second;
}

std::string CodePlaces::shown(const Line &line) const {
  const bool known = detail_.lines && line.number != 0 && line.file != kNone;
  return known ? fmt::format(" ({}:{})", texts_[line.file], line.number) : "";
}

std::optional<PlaceRange> CodePlaces::find(uint64_t pc) const {
  const auto next =
      std::upper_bound(pieces_.begin(), pieces_.end(), pc,
                       [](uint64_t address, const Piece &piece) { return address < piece.low; });
  if (next == pieces_.begin() || !next[-1].is_known) return std::nullopt;
  const Piece &piece = next[-1];
  PlaceRange range{piece.low, next == pieces_.end() ? UINT64_MAX : next->low, "", {}};
  Line line = piece.line;
  for (uint32_t each = piece.inlined; each != kNone; each = inlined_[each].within) {
    range.inlined.push_back(texts_[inlined_[each].name] + shown(line) + kInlined);
    line = inlined_[each].call;
  }
  std::reverse(range.inlined.begin(), range.inlined.end());
  range.line = shown(line);
  return range;
}

}  // namespace firesim::traces
