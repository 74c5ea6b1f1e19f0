// SPDX-License-Identifier: BSD-3-Clause
// Reads a ring of captured signals; see capture_ring.h.
#include "hostlib/capture_ring.h"

#include <fmt/format.h>

#include <bit>
#include <stdexcept>

#include "core/model.h"
#include "hostlib/registers.h"

namespace firesim::hostlib {
namespace {

enum Space : uint32_t { kControl = 0, kMask = 1, kMatch = 2, kRing = 3 };
constexpr uint32_t kProgress = 0, kFrom = 0, kAfter = 1;  // words of kControl

constexpr uint32_t place(Space space, uint32_t word, uint32_t row = 0) {
  return space << 24 | word << 16 | row;
}

}  // namespace

uint32_t CaptureLayout::width_bits() const {
  uint32_t width = 0;
  for (const CapturedSignal &signal : signals) width += signal.width_bits;
  return width;
}

CaptureRing::CaptureRing(HostPlatform &platform, CaptureLayout layout, const std::string &where)
    : platform_(platform), layout_(std::move(layout)) {
  const auto log_depth = static_cast<uint32_t>(std::countr_zero(layout_.depth_cycles));
  const uint32_t expected = layout_.width_bits() << 8 | log_depth;
  if (const uint32_t found = platform_.read(kCaptureShape); found != expected) {
    throw DescriptionError(
        fmt::format("{}: found a capture of {} bits and 2^{} cycles on the platform, expected {} "
                    "bits and 2^{} cycles, as in the manifest",
                    where, found >> 8, found & 0xff, layout_.width_bits(), log_depth));
  }
}

uint64_t CaptureRing::at(uint32_t place) {
  platform_.write(kCaptureAt, place);
  return platform_.read_wide(kCaptureValue);
}

void CaptureRing::put(uint32_t place, uint64_t value) {
  platform_.write(kCaptureAt, place);
  platform_.write_wide(kCaptureValue, value);
}

void CaptureRing::arm(const CaptureTrigger &trigger) {
  for (uint32_t word = 0; word < trigger.mask.size(); ++word) {
    put(place(kMask, word), trigger.mask[word]);
    put(place(kMatch, word), trigger.match[word]);
  }
  after_cycles_ = trigger.after_cycles;
  put(place(kControl, kAfter), after_cycles_);
  put(place(kControl, kFrom), trigger.from_cycle);
}

CaptureSource::Progress CaptureRing::progress() {
  const uint64_t found = at(place(kControl, kProgress));
  Progress progress{found & CaptureTrigger::kNever, std::nullopt};
  if (found >> 63 == 0) return progress;
  const uint64_t left = at(place(kControl, kAfter));
  if (left > after_cycles_ || after_cycles_ - left >= progress.cycles) {
    throw std::runtime_error(
        fmt::format("{}: found {} cycles captured and {} left after the trigger, expected at most "
                    "{} left",
                    platform_.name(), progress.cycles, left, after_cycles_));
  }
  progress.trigger_cycle = progress.cycles - 1 - (after_cycles_ - left);
  return progress;
}

void CaptureRing::read(uint64_t cycle, Words &row) {
  const auto number = static_cast<uint32_t>(cycle % layout_.depth_cycles);
  row.resize((layout_.width_bits() + 63) / 64);
  for (uint32_t word = 0; word < row.size(); ++word) row[word] = at(place(kRing, word, number));
}

}  // namespace firesim::hostlib
