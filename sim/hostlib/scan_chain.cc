// SPDX-License-Identifier: BSD-3-Clause
// Operations of a scan chain; see scan_chain.h.
#include "hostlib/scan_chain.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <stdexcept>

#include "core/model.h"
#include "hostlib/registers.h"

namespace firesim::hostlib {
namespace {

enum Operation : uint32_t { kOff = 0, kShift = 1, kRead = 2, kWrite = 3, kShow = 4 };

ScanImage checked(ScanLayout layout, const std::string &where) {
  try {
    return ScanImage(std::move(layout));
  } catch (const std::invalid_argument &error) {
    throw DescriptionError(fmt::format("{}: {}", where, error.what()));
  }
}

}  // namespace

ScanChain::ScanChain(HostPlatform &platform, ScanLayout layout, const std::string &where)
    : platform_(platform), image_(checked(std::move(layout), where)) {
  const uint32_t found = platform_.read(kScanWords), wanted = image_.layout().chain_words;
  if (found != wanted) {
    throw DescriptionError(
        fmt::format("{}: found a scan chain of {} words on the platform, expected {}, as the "
                    "manifest says",
                    where, found, wanted));
  }
}

void ScanChain::fail(const std::string &what) const {
  throw std::runtime_error(fmt::format("{}: scan chain: {}", platform_.name(), what));
}

// What is read after it says that it has arrived, before words that follow.
void ScanChain::choose(uint32_t operation, uint32_t row_words, uint32_t point) {
  platform_.write(kScanRow, 0);
  platform_.write(kScan, operation | (row_words - 1) << 8 | point << 16);
  const uint32_t words = platform_.read(kScanWords);
  if (words != image_.layout().chain_words) {
    fail(fmt::format("found {} words, expected {}", words, image_.layout().chain_words));
  }
}

// Each word is answered by one, so no more are under way than the platform keeps answers.
ScanChain::Words ScanChain::exchange(const Words &down) {
  const size_t most = platform_.answers_kept();
  Words up(down.size());
  for (size_t at = 0; at < down.size(); at += most) {
    const size_t count = std::min(most, down.size() - at);
    platform_.send(std::span(down).subspan(at, count));
    if (!platform_.receive(std::span(up).subspan(at, count))) {
      fail(fmt::format("no answer to {} words", count));
    }
  }
  return up;
}

ScanChain::Words ScanChain::shift(const Words &words) {
  choose(kShift);
  Words found = exchange({words.rbegin(), words.rend()});
  std::reverse(found.begin(), found.end());
  choose(kOff);
  return found;
}

void ScanChain::check_width(const Words &words, uint64_t width_bits,
                            const std::string &what) const {
  if (width_bits % 64 == 0 || words.back() >> width_bits % 64 == 0) return;
  fail(fmt::format("found {:#x} in the last word of {}, expected {} bits", words.back(), what,
                   width_bits));
}

ScanChain::Words ScanChain::read_rows(const ScanLayout::Memory &memory, uint32_t rows) {
  const uint32_t row_words = memory.row_words();
  choose(kRead, row_words, memory.point);
  Words found = exchange(Words(size_t{rows} * row_words));
  choose(kOff);
  for (size_t row = 0; row < rows; ++row) {
    const auto first = found.begin() + static_cast<ptrdiff_t>(row * row_words);
    check_width({first, first + row_words}, memory.width_bits,
                fmt::format("row {} of {}", row, memory.name));
  }
  return found;
}

void ScanChain::write_rows(const ScanLayout::Memory &memory, const Words &words) {
  choose(kWrite, memory.row_words(), memory.point);
  const Words found = exchange(words);
  choose(kOff);
  if (std::any_of(found.begin(), found.end(), [](uint64_t word) { return word != 0; })) {
    fail(fmt::format("found an answer that is not 0 to rows of {}", memory.name));
  }
}

void ScanChain::read_memory(size_t memory) {
  const ScanLayout::Memory &told = image_.layout().memories[memory];
  image_.set_rows(memory, read_rows(told, told.rows));
}

void ScanChain::write_memory(size_t memory) {
  const ScanLayout::Memory &told = image_.layout().memories[memory];
  const Words words = image_.rows(memory);
  write_rows(told, words);
  const Words found = read_rows(told, told.rows);
  const auto differs = std::mismatch(words.begin(), words.end(), found.begin());
  if (differs.first == words.end()) return;
  const auto row = static_cast<uint64_t>(differs.first - words.begin()) / told.row_words();
  fail(fmt::format("found {:#x} in row {} of {}, expected {:#x}, which was written",
                   *differs.second, row, told.name, *differs.first));
}

// A latch takes a row, so its value lies in one for a while.
void ScanChain::set_latches() {
  const ScanLayout &layout = image_.layout();
  for (size_t i = 0; i < layout.latches.size(); ++i) {
    const ScanLayout::Latch &latch = layout.latches[i];
    const ScanLayout::Memory &memory = layout.memory_of(latch);
    const uint32_t row_words = memory.row_words();
    write_rows(memory, image_.latch(i));
    choose(kRead, row_words, latch.point);
    choose(kShow, row_words, latch.point);
    const Words found = exchange(Words(row_words));
    choose(kOff);
    if (found != image_.latch(i)) {
      fail(fmt::format("found another value in a register of {} than was given", memory.name));
    }
    const Words rows = image_.rows(latch.memory);
    write_rows(memory, {rows.begin(), rows.begin() + row_words});
  }
}

void ScanChain::read() {
  const ScanLayout &layout = image_.layout();
  // A chain of these words gives back what went in, in the same order, after as many.
  Words pattern(layout.chain_words);
  for (size_t i = 0; i < pattern.size(); ++i) pattern[i] = (i + 1) * uint64_t{0x9e3779b97f4a7c15};
  const Words found = shift(pattern);
  if (shift(found) != pattern) fail("found other words than those that had gone in");
  check_width(found, layout.chain_bits(), "the registers");
  image_.chain() = found;
  for (size_t i = 0; i < layout.latches.size(); ++i) {
    const ScanLayout::Memory &memory = layout.memory_of(layout.latches[i]);
    choose(kShow, memory.row_words(), layout.latches[i].point);
    image_.latch(i) = exchange(Words(memory.row_words()));
    choose(kOff);
    check_width(image_.latch(i), memory.width_bits, "a register of " + memory.name);
  }
  if (layout.memories.empty()) return;
  for (size_t i = 0; i < layout.memories.size(); ++i) read_memory(i);
  set_latches();
  shift(found);  // Registers that hold a memory's address had the numbers of rows.
}

void ScanChain::write() {
  const ScanLayout &layout = image_.layout();
  for (size_t i = 0; i < layout.memories.size(); ++i) write_memory(i);
  set_latches();
  shift(image_.chain());
  if (shift(image_.chain()) != image_.chain()) {
    fail("found other words than those that had gone in");
  }
}

}  // namespace firesim::hostlib
