// SPDX-License-Identifier: BSD-3-Clause
// Writes FST files; see wave_file.h. libfstwriter, which does it, comes with Verilator.
#include "bridges/wave_file.h"

#include <fmt/format.h>
#include <fstcpp/fstcpp_writer.h>

#include <algorithm>

namespace firesim::bridges {
namespace {

constexpr int8_t kFemtoseconds = -15;
constexpr unsigned __int128 kFemtosecondsPerSecond = 1'000'000'000'000'000;
// Of every file, so that the same waves are the same file.
constexpr char kDate[] = "Thu Jan  1 00:00:00 1970\n";

fst::string_view_pair view(const std::string &text) {
  return fst::make_string_view_pair(text.data(), text.size());
}

}  // namespace

std::vector<std::string> path_of(const std::string &name) {
  std::vector<std::string> path;
  size_t from = 0;
  for (size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', from)) {
    path.push_back(name.substr(from, dot - from));
    from = dot + 1;
  }
  path.push_back(name.substr(from));
  return path;
}

class WaveFile::Writer : public fst::Writer {};

WaveFile::WaveFile(const std::filesystem::path &path, const std::string &node, uint64_t clock_hz)
    : clock_hz_(clock_hz) {
  std::filesystem::create_directories(path.parent_path());
  writer_ = std::make_unique<Writer>();
  writer_->open(view(path.string()));
  writer_->setTimecale(kFemtoseconds);
  writer_->setWriter(fst::make_string_view_pair("FireSim", 7));
  writer_->setDate(fst::make_string_view_pair(kDate, sizeof kDate - 1));
  open_scope(node);
  clock_ = add({"clock"}, 1, 0);
  cycle_ = add({"cycle"}, 64, 0);
}

WaveFile::~WaveFile() = default;

uint32_t WaveFile::add(const std::vector<std::string> &path, uint32_t width_bits, uint32_t alias) {
  const size_t scopes = path.size() - 1;
  size_t common = 0;
  while (common < std::min(scopes, open_.size()) && open_[common] == path[common]) ++common;
  for (; open_.size() > common; open_.pop_back()) writer_->upscope();
  for (; open_.size() < scopes; open_.push_back(path[open_.size()])) {
    open_scope(path[open_.size()]);
  }
  std::string name = path.back();
  if (width_bits > 1) name += fmt::format(" [{}:0]", width_bits - 1);
  return writer_->createVar(fst::Hierarchy::VarType::VCD_WIRE,
                            fst::Hierarchy::VarDirection::IMPLICIT, width_bits, view(name), alias);
}

void WaveFile::begin(uint64_t cycle) {
  writer_->emitTimeChange(time_of(2 * cycle));
  writer_->emitValueChange(clock_, uint64_t{1});
  writer_->emitValueChange(cycle_, cycle);
}

void WaveFile::end(uint64_t cycle) {
  writer_->emitTimeChange(time_of(2 * cycle + 1));
  writer_->emitValueChange(clock_, uint64_t{0});
}

void WaveFile::change(uint32_t handle, const uint64_t *words, size_t count) {
  if (count == 1) {
    writer_->emitValueChange(handle, *words);
  } else {
    writer_->emitValueChange(handle, words);
  }
}

void WaveFile::close() { writer_->close(); }

void WaveFile::open_scope(const std::string &name) {
  writer_->setScope(fst::Hierarchy::ScopeType::VCD_MODULE, view(name),
                    fst::make_string_view_pair("", 0));
}

uint64_t WaveFile::time_of(uint64_t half_cycles) const {
  return static_cast<uint64_t>(half_cycles * kFemtosecondsPerSecond / 2 / clock_hz_);
}

}  // namespace firesim::bridges
