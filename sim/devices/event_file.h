// SPDX-License-Identifier: BSD-3-Clause
// What a timeline shows of a hart or a device: slices of time and instants, by target cycle.
// docs/reference/traces.md describes the file.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "core/buffered_file.h"
#include "core/registry.h"
#include "devices/config.h"

namespace firesim::devices {

// Names make trees: a track is a name without a parent, a frame of a call stack has the frame below
// it as its parent. Slices of one track do not overlap. Depends on the events alone, not on when
// they were told.
class EventFile {
 public:
  static constexpr uint32_t kNone = 0;

  // Once `most_bytes` are written, events are only counted. Throws std::runtime_error when the
  // host cannot write the file.
  EventFile(const std::filesystem::path &file, uint64_t most_bytes);
  ~EventFile();
  EventFile(const EventFile &) = delete;
  EventFile &operator=(const EventFile &) = delete;

  // By the key `timeline` of a device's settings, {file, most_bytes}; null without it. Throws
  // ConfigError.
  static std::unique_ptr<EventFile> make(Config &config, const SimulationContext &simulation);

  // The number of a new name; kNone once the file is full, which events are told like any other.
  uint32_t name(uint32_t parent, std::string_view text);
  // Of the cycles begin <= cycle < end.
  void slice(uint32_t name, uint64_t begin, uint64_t end);
  void instant(uint32_t name, uint64_t cycle);
  // Writes out what there is, with how much has been left out.
  void finish();

 private:
  enum class Kind : uint8_t { kName, kSlice, kInstant, kLeftOut };

  void record(Kind kind, uint64_t value);
  void put(uint64_t value);
  void put_cycle(uint64_t cycle);
  bool has_room(uint32_t name, uint64_t cycle);

  BufferedFile file_;
  uint64_t left_bytes_;
  uint64_t last_cycle_ = 0;
  uint32_t names_ = 0;
  uint64_t left_out_ = 0, told_left_out_ = 0;
  uint64_t full_at_ = 0;  // cycle of the first event that was left out
};

}  // namespace firesim::devices
