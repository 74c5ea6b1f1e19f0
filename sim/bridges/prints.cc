// SPDX-License-Identifier: BSD-3-Clause
// Prints of the target; see prints.h.
#include "bridges/prints.h"

#include <fmt/format.h>

#include "bridges/print_text.h"

namespace firesim::bridges {

PrintDriver::PrintDriver(Config &config, const SimulationContext &simulation,
                         const FiresimPort &port, std::vector<Source> sources, Window window)
    : printing_(port), sources_(std::move(sources)), window_(std::move(window)) {
  const std::string path = config.required_text("file");
  config.finish();
  if (!window_.never()) file_ = std::make_unique<BufferedFile>(simulation.output_path(path));
}

void PrintDriver::print(uint64_t cycle) {
  for (uint32_t bit = 0; bit < sources_.size(); ++bit) {
    if (!printing_[bit]) continue;
    const Source &source = sources_[bit];
    write(text_of(source.info.pieces, source.arguments, cycle), cycle);
  }
}

void PrintDriver::write(const std::string &text, uint64_t cycle) {
  std::string lines;
  for (const char c : text) {
    if (!within_line_) lines += fmt::format("{}: ", cycle);
    within_line_ = c != '\n';
    lines.push_back(c);
  }
  file_->put(lines);
  if (due_ == kNever) due_ = cycle + kMostPrintDelayCycles;
}

void PrintDriver::flush() {
  file_->flush();
  due_ = kNever;
}

void PrintDriver::finish(uint64_t) {
  if (file_) flush();
}

void PrintDriver::save(StateWriter &state) const {
  state.section("prints", 2);
  state.boolean(within_line_);
  window_.save(state);
}

void PrintDriver::load(StateReader &state) {
  state.section("prints", 2);
  state.boolean();
  within_line_ = false;  // The line was begun in another file.
  window_.load(state);
}

}  // namespace firesim::bridges
