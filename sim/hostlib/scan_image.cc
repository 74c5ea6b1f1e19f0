// SPDX-License-Identifier: BSD-3-Clause
// Words of registers and columns of memories; see scan_image.h.
#include "hostlib/scan_image.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace firesim::hostlib {
namespace {

// What rtl/firesim_scan.v has room for, and what a host may be asked to hold.
constexpr uint32_t kMostPoints = 65535, kMostRowWords = 255, kMostRegisterWords = 1 << 20;
constexpr uint64_t kMostMemoryWords = uint64_t{1} << 28;

uint32_t bytes_of(uint32_t width_bits) {
  return width_bits <= 8 ? 1 : width_bits <= 16 ? 2 : width_bits <= 32 ? 4 : 8;
}

void need(bool holds, const char *what, uint64_t found) {
  if (!holds)
    throw std::invalid_argument(fmt::format("found a scan chain with {} {}", found, what));
}

}  // namespace

uint64_t ScanLayout::chain_bits() const {
  uint64_t latched = 0;
  for (const Latch &latch : latches) latched += memory_of(latch).width_bits;
  return bits >= latched ? bits - latched : UINT64_MAX;
}

void ScanLayout::check() const {
  need(chain_words >= 1 && chain_words <= kMostRegisterWords, "words", chain_words);
  uint64_t memory_words = 0;
  for (const Memory &memory : memories) {
    need(memory.rows >= 1, "rows in a memory", memory.rows);
    need(memory.width_bits >= 1 && memory.row_words() <= kMostRowWords, "bits in a row",
         memory.width_bits);
    need(memory.point >= 1 && memory.point <= kMostPoints, "as a memory's point", memory.point);
    memory_words += uint64_t{memory.rows} * memory.row_words();
    need(memory_words <= kMostMemoryWords, "words in its memories", memory_words);
  }
  for (const Latch &latch : latches) {
    need(latch.memory < memories.size(), "as a latch's memory", latch.memory);
    need(latch.point >= 1 && latch.point <= kMostPoints, "as a latch's point", latch.point);
  }
  need(chain_bits() <= uint64_t{chain_words} * 64, "bits in its registers", bits);
}

ScanImage::ScanImage(ScanLayout layout) : layout_(std::move(layout)) {
  layout_.check();
  chain_.resize(layout_.chain_words);
  for (const ScanLayout::Latch &latch : layout_.latches) {
    latches_.emplace_back(layout_.memory_of(latch).row_words());
  }
  for (const ScanLayout::Memory &memory : layout_.memories) {
    std::vector<Column> &columns = memories_.emplace_back();
    for (uint32_t low = 0; low < memory.width_bits; low += 64) {
      const uint32_t width = std::min(64u, memory.width_bits - low);
      columns.push_back({low, width, std::vector<uint8_t>(size_t{memory.rows} * bytes_of(width))});
    }
  }
}

std::vector<FiresimSignal> ScanImage::signals() {
  std::vector<FiresimSignal> found;
  for (uint64_t &word : chain_) found.push_back({"chain", 0, 64, 1, FIRESIM_REGISTER, &word});
  for (size_t i = 0; i < latches_.size(); ++i) {
    const char *name = layout_.memory_of(layout_.latches[i]).name.c_str();
    for (uint64_t &word : latches_[i]) found.push_back({name, 0, 64, 1, FIRESIM_REGISTER, &word});
  }
  for (size_t i = 0; i < memories_.size(); ++i) {
    const ScanLayout::Memory &memory = layout_.memories[i];
    for (Column &column : memories_[i]) {
      found.push_back({memory.name.c_str(), column.low_bit, column.width_bits, memory.rows,
                       FIRESIM_MEMORY, column.content.data()});
    }
  }
  return found;
}

std::vector<uint64_t> ScanImage::rows(size_t memory) const {
  const std::vector<Column> &columns = memories_[memory];
  std::vector<uint64_t> words(layout_.memories[memory].rows * columns.size(), 0);
  for (size_t i = 0; i < words.size(); ++i) {
    const Column &column = columns[i % columns.size()];
    const uint32_t bytes = bytes_of(column.width_bits);
    std::memcpy(&words[i], column.content.data() + i / columns.size() * bytes, bytes);
  }
  return words;
}

void ScanImage::set_rows(size_t memory, const std::vector<uint64_t> &words) {
  std::vector<Column> &columns = memories_[memory];
  for (size_t i = 0; i < words.size(); ++i) {
    Column &column = columns[i % columns.size()];
    const uint32_t bytes = bytes_of(column.width_bits);
    std::memcpy(column.content.data() + i / columns.size() * bytes, &words[i], bytes);
  }
}

}  // namespace firesim::hostlib
