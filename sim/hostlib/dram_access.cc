// SPDX-License-Identifier: BSD-3-Clause
// Rows of a board's DRAM over the streams; see dram_access.h.
#include "hostlib/dram_access.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>

#include "hostlib/registers.h"

namespace firesim::hostlib {
namespace {

enum Operation : uint32_t { kWrite = 1, kRead = 2, kFill = 3 };  // of rtl/firesim_dram_access.v

constexpr uint64_t kWordsOfARow = 8;
// Rows of one operation. Few enough to read that the words fit where they wait for the host.
constexpr uint64_t kMostFilled = uint64_t{1} << 14, kMostCarried = 256;
// How often the platform's patience for a word may end: a simulated board on a busy computer takes
// longer than that to clear so many rows, and its target stands meanwhile.
constexpr int kMostWaits = 8;

}  // namespace

void DramAccess::check_room(uint64_t end) const {
  if (end <= kMostBytes) return;
  throw std::runtime_error(fmt::format(
      "{}: found {} bytes of target memory, expected at most {}, what a node has of the "
      "DRAM",
      platform_.name(), end, kMostBytes));
}

void DramAccess::begin(uint32_t operation, uint64_t row, uint64_t rows) {
  platform_.write(kDramRow, static_cast<uint32_t>(row));
  platform_.write(kDramRows, static_cast<uint32_t>(rows));
  platform_.write(kDram, operation | port_ << 8);
}

// A board may still be training its DRAM, and says so; it is the platform that gives it up.
void DramAccess::receive(std::span<uint64_t> words, const std::string &otherwise) {
  int waits = 0;
  while (!platform_.receive(words)) {
    if (!platform_.trouble().empty() || ++waits < kMostWaits) continue;
    throw std::runtime_error(fmt::format("{}: {}", platform_.name(), otherwise));
  }
}

void DramAccess::take_answer(uint64_t row) {
  uint64_t answer = 0;
  receive({&answer, 1}, fmt::format("the DRAM takes no row before row {}", row));
  if (answer == row) return;
  throw std::runtime_error(fmt::format("{}: found row {} of the DRAM, expected {} after a write",
                                       platform_.name(), answer, row));
}

void DramAccess::clear(uint64_t bytes) {
  check_room(bytes);
  const uint64_t end = (bytes + kRowBytes - 1) / kRowBytes;
  for (uint64_t row = 0; row < end; row += kMostFilled) {
    const uint64_t rows = std::min(kMostFilled, end - row);
    begin(kFill, row, rows);
    take_answer(row + rows);
  }
}

void DramAccess::write_rows(uint64_t row, std::span<const uint64_t> words) {
  const uint64_t rows = words.size() / kWordsOfARow;
  begin(kWrite, row, rows);
  platform_.send(words);
  take_answer(row + rows);
}

void DramAccess::read_rows(uint64_t row, std::span<uint64_t> words) {
  begin(kRead, row, words.size() / kWordsOfARow);
  receive(words, fmt::format("the DRAM does not give the words of row {}", row));
}

// What of the first and the last row is not among `bytes` keeps what it was.
void DramAccess::write(uint64_t offset, std::span<const uint8_t> bytes) {
  check_room(offset + bytes.size());
  std::array<uint64_t, kMostCarried * kWordsOfARow> words{};
  while (!bytes.empty()) {
    const uint64_t row = offset / kRowBytes, lead = offset % kRowBytes;
    const uint64_t count = std::min(bytes.size(), sizeof words - lead);
    const uint64_t rows = (lead + count + kRowBytes - 1) / kRowBytes;
    const std::span<uint64_t> used(words.data(), rows * kWordsOfARow);
    if (lead != 0) read_rows(row, used.first(kWordsOfARow));
    if ((lead + count) % kRowBytes != 0 && (rows > 1 || lead == 0)) {
      read_rows(row + rows - 1, used.last(kWordsOfARow));
    }
    std::memcpy(reinterpret_cast<uint8_t *>(words.data()) + lead, bytes.data(), count);
    write_rows(row, used);
    bytes = bytes.subspan(count);
    offset += count;
  }
}

void DramAccess::read(uint64_t offset, std::span<uint8_t> bytes) {
  check_room(offset + bytes.size());
  std::array<uint64_t, kMostCarried * kWordsOfARow> words{};
  while (!bytes.empty()) {
    const uint64_t lead = offset % kRowBytes;
    const uint64_t count = std::min(bytes.size(), sizeof words - lead);
    const uint64_t rows = (lead + count + kRowBytes - 1) / kRowBytes;
    read_rows(offset / kRowBytes, {words.data(), rows * kWordsOfARow});
    std::memcpy(bytes.data(), reinterpret_cast<const uint8_t *>(words.data()) + lead, count);
    bytes = bytes.subspan(count);
    offset += count;
  }
}

}  // namespace firesim::hostlib
