// SPDX-License-Identifier: BSD-3-Clause
// Events of a timeline as numbers of seven bits a byte; see event_file.h.
#include "devices/event_file.h"

#include <algorithm>
#include <stdexcept>

#include "core/varint.h"

namespace firesim::devices {
namespace {

constexpr std::string_view kMagic = "FSEVENT1";
constexpr uint64_t kMostEventBytes = 3 * kMostVarintBytes;
constexpr size_t kMostNameBytes = 4096;

}  // namespace

EventFile::EventFile(const std::filesystem::path &file, uint64_t most_bytes)
    : file_(file), left_bytes_(most_bytes) {
  file_.put(kMagic);
}

EventFile::~EventFile() {
  try {
    finish();
  } catch (const std::runtime_error &) {
    // Reported when it first happened, if the run was still going.
  }
}

std::unique_ptr<EventFile> EventFile::make(Config &config, const SimulationContext &simulation) {
  const nlohmann::json &settings = config.child("timeline");
  if (settings.is_null()) return nullptr;
  Config own(settings, config.child_where("timeline"));
  const std::string file = own.required_text("file");
  const uint64_t most_bytes = own.required_integer("most_bytes", 0, UINT64_MAX);
  own.finish();
  return std::make_unique<EventFile>(simulation.output_path(file), most_bytes);
}

void EventFile::put(uint64_t value) {
  char *const start = file_.room(kMostVarintBytes);
  const auto bytes = static_cast<size_t>(put_varint(start, value) - start);
  file_.advance(bytes);
  left_bytes_ -= std::min<uint64_t>(left_bytes_, bytes);
}

void EventFile::record(Kind kind, uint64_t value) { put(value << 2 | static_cast<uint64_t>(kind)); }

// The difference to the cycle before: small ones of either sign become small numbers.
void EventFile::put_cycle(uint64_t cycle) {
  put(zigzag(cycle - last_cycle_));
  last_cycle_ = cycle;
}

uint32_t EventFile::name(uint32_t parent, std::string_view text) {
  text = text.substr(0, kMostNameBytes);
  if (left_out_ != 0 || left_bytes_ < 2 * kMostVarintBytes + text.size()) return kNone;
  record(Kind::kName, parent);
  put(text.size());
  file_.put(text);
  left_bytes_ -= std::min<uint64_t>(left_bytes_, text.size());
  return ++names_;
}

// Once an event has been left out, so are all that come after it.
bool EventFile::has_room(uint32_t name, uint64_t cycle) {
  if (left_out_ == 0 && name != kNone && left_bytes_ >= kMostEventBytes) return true;
  if (left_out_++ == 0) full_at_ = cycle;
  return false;
}

void EventFile::slice(uint32_t name, uint64_t begin, uint64_t end) {
  if (!has_room(name, begin)) return;
  record(Kind::kSlice, name);
  put_cycle(begin);
  put(end - begin);
  last_cycle_ = end;
}

void EventFile::instant(uint32_t name, uint64_t cycle) {
  if (!has_room(name, cycle)) return;
  record(Kind::kInstant, name);
  put_cycle(cycle);
}

void EventFile::finish() {
  if (left_out_ != told_left_out_) {
    record(Kind::kLeftOut, left_out_ - told_left_out_);
    put_cycle(full_at_);
    told_left_out_ = left_out_;
  }
  file_.flush();
}

}  // namespace firesim::devices
