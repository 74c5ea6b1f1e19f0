// SPDX-License-Identifier: BSD-3-Clause
//
// The state of a model as a snapshot keeps it (docs/reference/interfaces/snapshots.md).
//
// A state is a list of named sections, each with a version of its own, of typed values; a reader
// asks for the same sections and values in the same order. Every value carries its type, and no
// read goes beyond its section, so that a state that does not fit is refused in one sentence and
// never misread. Large memories are *regions*: files beside the state, with holes for pages that
// are zero, mapped copy-on-write when they are read.
//
//   void Uart::save(StateWriter &state) const {      void Uart::load(StateReader &state) {
//     state.section("uart", 1);                        state.section("uart", 1);
//     state.u64(sent_bytes_);                          sent_bytes_ = state.u64();
//     state.bytes(input_);                             input_ = state.bytes(kMaxInputBytes);
//   }                                                }
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/mapped_memory.h"
#include "core/model.h"
#include "core/regular_file.h"

namespace firesim {

// A snapshot that cannot be used here, or cannot be made. The text is one sentence: where, what was
// found, what was expected.
class SnapshotError : public DescriptionError {
 public:
  using DescriptionError::DescriptionError;
};

class StateWriter {
 public:
  // A memory to be saved. It is read after `save` returned, but before the model goes on.
  struct Region {
    std::string name;
    const uint8_t *data = nullptr;
    uint64_t bytes = 0;
  };

  // Begins a section; all values belong to one. `version` is raised when its values change.
  void section(const std::string &name, uint32_t version);

  void boolean(bool value);
  void u64(uint64_t value);  // any unsigned integer
  void i64(int64_t value);
  void f64(double value);  // bit for bit
  void text(const std::string &value);
  void bytes(const void *data, size_t count);
  void bytes(std::span<const uint8_t> data) { bytes(data.data(), data.size()); }
  void u64s(std::span<const uint64_t> values);

  // `name` is unique within the model and fit for the name of a file.
  void region(const std::string &name, const void *data, uint64_t bytes);

  // The state without its regions, as it goes into a file.
  const std::vector<uint8_t> &data() const { return data_; }
  const std::vector<Region> &regions() const { return regions_; }

 private:
  void begin_value(char type);
  void put(uint64_t value, size_t bytes);

  std::vector<uint8_t> data_;
  size_t section_length_at_ = SIZE_MAX;  // where the length of the open section stands
  std::vector<Region> regions_;
};

class StateReader {
 public:
  // A file that has been checked; it is opened again when the region is asked for, since there may
  // be thousands.
  struct RegionFile {
    std::shared_ptr<const UntrustedFolder> folder;
    std::string name;
    uint64_t bytes = 0;
  };

  // `where` names the state in messages ("snapshot booted: node0"). `data` must outlive the reader.
  StateReader(std::string where, std::span<const uint8_t> data,
              std::map<std::string, RegionFile> regions);

  // Reads what `writer` holds, which must outlive the reader; regions are copied. For tests.
  StateReader(std::string where, const StateWriter &writer);

  // Enters the next section, which must have this name; the one before must have been read to its
  // end. Returns its version, 1 to `newest_version`.
  uint32_t section(const std::string &name, uint32_t newest_version);

  // The cycle that the model has reached in the state, for what is checked against it.
  void set_cycle(uint64_t cycle) { cycle_ = cycle; }
  std::optional<uint64_t> cycle() const { return cycle_; }

  // Whether the next section has this name, for sections that are not always there. The one before
  // must have been read to its end.
  bool next_section_is(const std::string &name) const;

  bool boolean();
  uint64_t u64();
  uint64_t u64(uint64_t most);  // at most this
  // A cycle that something in the model has reached: at most that of the state, or a little more,
  // since parts of a model may be ahead of it.
  uint64_t past_cycle();
  int64_t i64();
  double f64();
  std::string text();
  std::vector<uint8_t> bytes(size_t most);
  void bytes_into(void *data, size_t count);  // exactly `count`
  std::vector<uint64_t> u64s(size_t most);

  // Read a value that must be the same here as when it was saved; `what` names it in the message.
  void expect(const std::string &what, uint64_t here);
  void expect(const std::string &what, const std::string &here);

  // The region, which must have exactly this size.
  MappedMemory region(const std::string &name, uint64_t bytes);

  // Call at the end: throws if anything has not been read.
  void finish() const;

  // Throws SnapshotError: the present place, then `problem`.
  [[noreturn]] void fail(const std::string &problem) const;

 private:
  void begin_value(char type);
  uint64_t get(size_t bytes);
  size_t get_count(size_t most, size_t bytes_each);

  const std::string where_;
  std::span<const uint8_t> data_;
  std::map<std::string, RegionFile> regions_;
  const StateWriter *writer_ = nullptr;
  std::string section_;  // the present one; empty before the first
  size_t at_ = 0;
  size_t section_end_ = 0;
  std::optional<uint64_t> cycle_;
};

}  // namespace firesim
