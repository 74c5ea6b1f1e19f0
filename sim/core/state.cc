// SPDX-License-Identifier: BSD-3-Clause
//
// States of models: typed values in sections. All numbers are stored little end first.
//
// section: 'S', length of the name (1 byte), name, version (4), length of what follows (8)
// value:   type (1): 'b' 1 byte, 'u' 'i' 'f' 8 bytes, 't' 'x' 'q' length in items (8) and the items
#include "core/state.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/check.h"
#include "core/json_reader.h"

namespace firesim {

static_assert(std::endian::native == std::endian::little, "arrays are stored as they lie here");

namespace {

constexpr size_t kMaxNameBytes = 255;
constexpr uint64_t kMostAheadCycles = 1 << 21;
constexpr size_t kMaxShownBytes = 256;  // of two texts that are to be compared

std::string type_name(char type) {
  switch (type) {
    case 'S':
      return "a section";
    case 'b':
      return "a truth value";
    case 'u':
      return "an unsigned integer";
    case 'i':
      return "a signed integer";
    case 'f':
      return "a floating-point number";
    case 't':
      return "text";
    case 'x':
      return "bytes";
    case 'q':
      return "an array of integers";
    default:
      return "the byte " + std::to_string(static_cast<uint8_t>(type));
  }
}

}  // namespace

void StateWriter::put(uint64_t value, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) data_.push_back(static_cast<uint8_t>(value >> (8 * i)));
  if (section_length_at_ == SIZE_MAX) return;
  const uint64_t length = data_.size() - section_length_at_ - 8;
  std::memcpy(data_.data() + section_length_at_, &length, sizeof length);
}

void StateWriter::begin_value(char type) {
  FIRESIM_CHECK(section_length_at_ != SIZE_MAX, "a value outside of any section");
  data_.push_back(static_cast<uint8_t>(type));
}

void StateWriter::section(const std::string &name, uint32_t version) {
  FIRESIM_CHECK(!name.empty() && name.size() <= kMaxNameBytes, "the name of a section is too long");
  FIRESIM_CHECK(version >= 1, "versions count from 1");
  section_length_at_ = SIZE_MAX;
  data_.push_back('S');
  put(name.size(), 1);
  data_.insert(data_.end(), name.begin(), name.end());
  put(version, 4);
  const size_t length_at = data_.size();
  put(0, 8);
  section_length_at_ = length_at;
}

void StateWriter::boolean(bool value) {
  begin_value('b');
  put(value ? 1 : 0, 1);
}

void StateWriter::u64(uint64_t value) {
  begin_value('u');
  put(value, 8);
}

void StateWriter::i64(int64_t value) {
  begin_value('i');
  put(static_cast<uint64_t>(value), 8);
}

void StateWriter::f64(double value) {
  begin_value('f');
  put(std::bit_cast<uint64_t>(value), 8);
}

void StateWriter::text(const std::string &value) {
  begin_value('t');
  put(value.size(), 8);
  data_.insert(data_.end(), value.begin(), value.end());
  put(0, 0);
}

void StateWriter::bytes(const void *data, size_t count) {
  begin_value('x');
  put(count, 8);
  const auto *from = static_cast<const uint8_t *>(data);
  data_.insert(data_.end(), from, from + count);
  put(0, 0);
}

void StateWriter::u64s(std::span<const uint64_t> values) {
  begin_value('q');
  put(values.size(), 8);
  const auto *from = reinterpret_cast<const uint8_t *>(values.data());
  data_.insert(data_.end(), from, from + values.size_bytes());
  put(0, 0);
}

void StateWriter::region(const std::string &name, const void *data, uint64_t bytes) {
  const bool plain = std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-';
  });
  FIRESIM_CHECK(plain && !name.empty() && name.size() <= 64, "a region needs a plain name");
  for (const Region &other : regions_) {
    FIRESIM_CHECK(other.name != name, "two regions have the same name");
  }
  regions_.push_back({name, static_cast<const uint8_t *>(data), bytes});
}

StateReader::StateReader(std::string where, std::span<const uint8_t> data,
                         std::map<std::string, RegionFile> regions)
    : where_(std::move(where)), data_(data), regions_(std::move(regions)) {}

StateReader::StateReader(std::string where, const StateWriter &writer)
    : where_(std::move(where)), data_(writer.data()), writer_(&writer) {}

void StateReader::fail(const std::string &problem) const {
  throw SnapshotError(where_ + (section_.empty() ? "" : ": section \"" + section_ + "\"") + ": " +
                      problem);
}

uint64_t StateReader::get(size_t bytes) {
  if (bytes > section_end_ - at_) fail("found its end within a value, expected more bytes");
  uint64_t value = 0;
  std::memcpy(&value, data_.data() + at_, bytes);
  at_ += bytes;
  return value;
}

void StateReader::begin_value(char type) {
  if (at_ == section_end_) fail("found its end, expected " + type_name(type));
  const auto found = static_cast<char>(get(1));
  if (found != type) fail("found " + type_name(found) + ", expected " + type_name(type));
}

bool StateReader::next_section_is(const std::string &name) const {
  if (at_ != section_end_) return false;
  const std::span<const uint8_t> rest = data_.subspan(at_);
  return rest.size() >= 2 + name.size() && rest[0] == 'S' && rest[1] == name.size() &&
         std::memcmp(rest.data() + 2, name.data(), name.size()) == 0;
}

uint32_t StateReader::section(const std::string &name, uint32_t newest_version) {
  if (at_ != section_end_) fail("found more values than expected");
  section_.clear();
  section_end_ = data_.size();
  const std::string expected = "expected the section \"" + name + "\"";
  if (at_ == section_end_) fail("found the end of the state, " + expected);
  if (get(1) != 'S') fail("found no section, " + expected);
  const size_t length = get(1);
  if (length > section_end_ - at_) fail("found the end of the state, " + expected);
  const std::string found(reinterpret_cast<const char *>(data_.data() + at_), length);
  if (found != name) fail("found the section " + shown(found) + ", " + expected);
  at_ += length;
  const auto version = static_cast<uint32_t>(get(4));
  const uint64_t bytes = get(8);
  section_ = name;
  if (bytes > section_end_ - at_) fail("found the end of the state within it");
  section_end_ = at_ + bytes;
  if (version < 1 || version > newest_version) {
    fail("has version " + std::to_string(version) + ", expected at most " +
         std::to_string(newest_version) + " as this FireSim writes");
  }
  return version;
}

bool StateReader::boolean() {
  begin_value('b');
  const uint64_t value = get(1);
  if (value > 1) fail("found the truth value " + std::to_string(value) + ", expected 0 or 1");
  return value == 1;
}

uint64_t StateReader::u64() {
  begin_value('u');
  return get(8);
}

uint64_t StateReader::u64(uint64_t most) {
  const uint64_t value = u64();
  if (value > most) {
    fail("found " + std::to_string(value) + ", expected at most " + std::to_string(most));
  }
  return value;
}

uint64_t StateReader::past_cycle() {
  const uint64_t reached = u64();
  if (cycle_ && reached > kMostAheadCycles && reached - kMostAheadCycles > *cycle_) {
    fail("found a part in cycle " + std::to_string(reached) + " of a model in cycle " +
         std::to_string(*cycle_));
  }
  return reached;
}

int64_t StateReader::i64() {
  begin_value('i');
  return static_cast<int64_t>(get(8));
}

double StateReader::f64() {
  begin_value('f');
  return std::bit_cast<double>(get(8));
}

size_t StateReader::get_count(size_t most, size_t bytes_each) {
  const uint64_t count = get(8);
  if (count > most) {
    fail("found " + std::to_string(count) + " items, expected at most " + std::to_string(most));
  }
  if (count > (section_end_ - at_) / bytes_each) {
    fail("found its end within a value, expected more bytes");
  }
  return count;
}

std::string StateReader::text() {
  begin_value('t');
  const size_t count = get_count(SIZE_MAX, 1);
  std::string value(reinterpret_cast<const char *>(data_.data() + at_), count);
  at_ += count;
  return value;
}

std::vector<uint8_t> StateReader::bytes(size_t most) {
  begin_value('x');
  const size_t count = get_count(most, 1);
  std::vector<uint8_t> value(data_.data() + at_, data_.data() + at_ + count);
  at_ += count;
  return value;
}

void StateReader::bytes_into(void *data, size_t count) {
  const std::vector<uint8_t> value = bytes(count);
  if (value.size() != count) {
    fail("found " + std::to_string(value.size()) + " bytes, expected " + std::to_string(count));
  }
  if (count != 0) std::memcpy(data, value.data(), count);
}

std::vector<uint64_t> StateReader::u64s(size_t most) {
  begin_value('q');
  const size_t count = get_count(most, sizeof(uint64_t));
  std::vector<uint64_t> values(count);
  if (count != 0) std::memcpy(values.data(), data_.data() + at_, count * sizeof(uint64_t));
  at_ += count * sizeof(uint64_t);
  return values;
}

void StateReader::expect(const std::string &what, uint64_t here) {
  const uint64_t saved = u64();
  if (saved == here) return;
  fail(what + " is " + std::to_string(saved) + ", expected " + std::to_string(here) +
       " as in this system");
}

void StateReader::expect(const std::string &what, const std::string &here) {
  const std::string saved = text();
  if (saved == here) return;
  fail(what + " is " + shown(saved, kMaxShownBytes) + ", expected " + shown(here, kMaxShownBytes) +
       " as in this system");
}

MappedMemory StateReader::region(const std::string &name, uint64_t bytes) {
  const auto check_size = [&](uint64_t saved) {
    if (saved == bytes) return;
    fail("the region \"" + name + "\" has " + std::to_string(saved) + " bytes, expected " +
         std::to_string(bytes) + " as in this system");
  };
  if (writer_ != nullptr) {
    for (const StateWriter::Region &region : writer_->regions()) {
      if (region.name != name) continue;
      check_size(region.bytes);
      MappedMemory memory = MappedMemory::zeros(bytes);
      if (bytes != 0) std::memcpy(memory.data(), region.data, bytes);
      return memory;
    }
  }
  const auto found = regions_.find(name);
  if (found == regions_.end()) fail("found no region \"" + name + "\"");
  check_size(found->second.bytes);
  try {
    const RegularFile file = found->second.folder->open(found->second.name);
    check_size(file.bytes());
    return MappedMemory::copy_on_write(file);
  } catch (const FileError &error) {
    fail("the file " + found->second.name + " " + error.what());
  }
}

void StateReader::finish() const {
  if (at_ != section_end_) fail("found more values than expected");
  if (at_ != data_.size()) fail("found more sections than expected");
}

}  // namespace firesim
