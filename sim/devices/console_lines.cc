// SPDX-License-Identifier: BSD-3-Clause
// Lines of a console with their cycles; see console_lines.h.
#include "devices/console_lines.h"

#include <stdexcept>

namespace firesim::devices {
namespace {

constexpr size_t kMostBytes = 256;  // longer lines are told in pieces

}  // namespace

ConsoleLines::ConsoleLines(std::unique_ptr<EventFile> file)
    : file_(std::move(file)), track_(file_->name(EventFile::kNone, "console")) {}

void ConsoleLines::put(char byte, uint64_t cycle) {
  if (byte != '\n' && byte != '\r') line_ += byte;
  if (byte == '\n' || line_.size() == kMostBytes) end_line(cycle);
  last_cycle_ = cycle;
}

ConsoleLines::~ConsoleLines() {
  try {
    end_line(last_cycle_);
  } catch (const std::runtime_error &) {
    // The file says so itself, where the run is still going.
  }
}

void ConsoleLines::end_line(uint64_t cycle) {
  if (line_.empty()) return;
  file_->instant(file_->name(track_, line_), cycle);
  line_.clear();
}

}  // namespace firesim::devices
