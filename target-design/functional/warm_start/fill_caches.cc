// SPDX-License-Identifier: BSD-3-Clause
// Filling caches by loads and fetches; see fill_caches.h.
//
// A line gets into a data cache by a load, and is dirty there after an atomic or with 0. It gets
// into an instruction cache by a fetch whose instruction never runs: an interrupt is pending when
// `mret` jumps there, and is taken before it. Where the way of a new line is drawn at random, a
// line may drive out one that was put there before. So the lines of a few sets are touched again
// until all are there, which the time says that this takes.
#include "functional/warm_start/fill_caches.h"

#include <algorithm>

#include "core/check.h"
#include "functional/core/memory_map.h"

namespace firesim::functional {
namespace {

constexpr uint32_t kWordsOfLine = kLineBytes / sizeof(uint64_t);
// A word of a table is the address of a line, with one of these in bits that it has not. An access
// by the word is one to the line, and 8 bytes are aligned there.
constexpr uint64_t kDirty = 8, kLastOfSet = 16;

// Registers beside those of Section. From kFirst on, the lines of one round.
constexpr uint32_t kFirst = 8, kTable = 16, kEnd = 17, kTries = 18, kBefore = 19, kAfter = 20;
// Of the instruction cache, which has no rounds of lines in registers.
constexpr uint32_t kWord = 8, kLast = 9, kMissed = 10, kBegin = 11;

constexpr uint32_t kMstatus = 0x300, kMie = 0x304, kMtvec = 0x305, kMepc = 0x341, kMcycle = 0xb00;
constexpr uint64_t kToMachine = 3 << 11 | 1 << 7;  // mstatus: `mret` leads to M mode, interrupts on
constexpr int32_t kSoftware = 1 << 3;              // mie: the software interrupt
constexpr uint32_t kIntegerLoad = 0x03, kByte = 0, kDouble = 3;

// Cycles that a round of a data cache takes at most when all of its lines are there, and a fetch
// with its trap; one miss more takes 30 at least.
constexpr int32_t kRoundOfHits = 40, kFetchOfHit = 36;
// After so many rounds it is left as it is.
constexpr int32_t kMostDataRounds = 64, kMostFetchRounds = 24;

uint32_t set_of(const HeldLine &line, const CacheShape &shape) {
  return static_cast<uint32_t>(line.address / kLineBytes % shape.sets);
}

void copy(Section &section, uint32_t to, uint32_t from) { section.word(encode::addi(to, from, 0)); }

// Bytes from the next word back to an earlier one.
int32_t back_to(const Section &section, size_t at) {
  return 4 * (static_cast<int32_t>(at) - static_cast<int32_t>(section.words()));
}

HeldCache held_cache(const LineStore &lines, uint64_t dram_base, uint64_t left_out,
                     uint64_t left_out_bytes) {
  HeldCache held{lines.shape(), {}};
  for (const uint64_t entry : lines.entries()) {
    if (LineStore::state(entry) == LineStore::kInvalid) continue;
    const uint64_t address = dram_base + LineStore::line(entry) * kLineBytes;
    if (address - left_out < left_out_bytes) continue;
    held.lines.push_back({address, LineStore::state(entry) == LineStore::kDirty});
  }
  return held;
}

}  // namespace

HeldLines held_lines(L1Caches &caches, uint64_t dram_base, uint64_t left_out,
                     uint64_t left_out_bytes) {
  return {held_cache(caches.instructions(), dram_base, left_out, left_out_bytes),
          held_cache(caches.data(), dram_base, left_out, left_out_bytes)};
}

FillTables::FillTables(const HeldLines &held, uint64_t address, uint32_t most_lines)
    : address_(address) {
  FIRESIM_CHECK(address % kLineBytes == 0, "tables begin with a line");
  add_instructions(held.instructions, most_lines);
  add_data(held.data, most_lines);
}

// Line after line, each set's last one marked.
void FillTables::add_instructions(const HeldCache &cache, uint32_t most_lines) {
  const std::vector<HeldLine> &lines = cache.lines;
  const size_t count = std::min<size_t>(lines.size(), most_lines);
  for (size_t i = 0; i < count; ++i) {
    const bool is_last =
        i + 1 == count || set_of(lines[i], cache.shape) != set_of(lines[i + 1], cache.shape);
    words_.push_back(lines[i].address | (is_last ? kLastOfSet : 0));
  }
  instruction_words_ = words_.size();
  words_.resize((words_.size() + kWordsOfLine - 1) / kWordsOfLine * kWordsOfLine);
  data_at_ = words_.size();
}

// A line of the table has 8 lines of the cache, of a few sets; the line of the table is in one of
// these sets itself, so that what it tells of drives it out of the cache again. What would be empty
// of it tells of its first line again, or of any. A cache of more ways has a set in several.
void FillTables::add_data(const HeldCache &cache, uint32_t most_lines) {
  if (cache.lines.empty()) return;
  const CacheShape &shape = cache.shape;
  const uint32_t sets_of_line = std::max(1u, kWordsOfLine / shape.ways);
  const uint32_t groups = std::max(1u, shape.sets / sets_of_line);
  const uint64_t first_set = address_ / kLineBytes + data_at_ / kWordsOfLine;
  std::vector<std::vector<uint64_t>> lines(groups);
  for (const HeldLine &line : cache.lines) {
    const uint64_t distance = set_of(line, shape) + shape.sets - first_set % shape.sets;
    lines[distance % shape.sets % groups].push_back(line.address | (line.dirty ? kDirty : 0));
  }
  const size_t most_words = data_at_ + most_lines;
  for (std::vector<uint64_t> &group : lines) {
    if (group.empty()) group.push_back(cache.lines[0].address);
    const size_t words = (group.size() + kWordsOfLine - 1) / kWordsOfLine * kWordsOfLine;
    group.resize(words, group[0]);
    if (words_.size() + words > most_words) break;
    words_.insert(words_.end(), group.begin(), group.end());
  }
}

void FillTables::fill(Section &section, uint64_t software_interrupt,
                      uint64_t interrupt_value) const {
  if (instruction_words_ != 0) {
    section.store(software_interrupt, 4, 1);
    section.fence();
    fill_instructions(section);
    section.store(software_interrupt, 4, interrupt_value);
    section.fence();
  }
  if (data_at_ != words_.size()) fill_data(section);
}

void FillTables::fill_instructions(Section &section) const {
  section.load(kTable, address_);
  section.load(kEnd, address_ + instruction_words_ * sizeof(uint64_t));
  section.word(encode::addi(Section::kValue, 0, kSoftware));
  section.word(encode::csrw(kMie, Section::kValue));
  section.write_csr(kMstatus, kToMachine);
  const size_t handler_at = section.words();
  for (int i = 0; i < 2; ++i) section.word(0);  // the handler's address
  section.word(encode::csrw(kMtvec, Section::kAddress));
  const size_t begin = section.words();
  copy(section, kBegin, kTable);
  copy(section, kMissed, 0);
  section.word(encode::addi(kTries, 0, kMostFetchRounds));
  const size_t next = section.words();
  section.word(encode::load(kIntegerLoad, kDouble, kWord, kTable, 0));
  section.word(encode::addi(kTable, kTable, sizeof(uint64_t)));
  section.word(encode::and_immediate(kLast, kWord, kLastOfSet));
  section.word(encode::csrw(kMepc, kWord));
  section.word(encode::csrr(kBefore, kMcycle));
  section.word(encode::kMret);
  // The interrupt leads here. kMissed becomes -1 if the fetch has taken long.
  const size_t handler = section.words();
  section.word(encode::csrr(kAfter, kMcycle));
  section.word(encode::sub(kAfter, kAfter, kBefore));
  section.word(encode::is_less(kAfter, kAfter, kFetchOfHit));
  section.word(encode::addi(kAfter, kAfter, -1));
  section.word(encode::or_(kMissed, kMissed, kAfter));
  section.word(encode::beq(kLast, 0, back_to(section, next)));
  constexpr int32_t kWordsOfAgain = 5;
  section.word(encode::beq(kMissed, 0, 4 * (kWordsOfAgain + 1)));
  section.word(encode::addi(kTries, kTries, -1));
  section.word(encode::beq(kTries, 0, 4 * kWordsOfAgain - 4));
  copy(section, kTable, kBegin);
  copy(section, kMissed, 0);
  section.word(encode::jal(0, back_to(section, next)));
  section.word(encode::bne(kTable, kEnd, back_to(section, begin)));
  const auto words =
      encode::address(Section::kAddress, 4 * static_cast<int64_t>(handler - handler_at));
  for (size_t i = 0; i < words.size(); ++i) section.replace(handler_at + i, words[i]);
}

void FillTables::fill_data(Section &section) const {
  section.load(kTable, address_ + data_at_ * sizeof(uint64_t));
  section.load(kEnd, address_ + bytes());
  const size_t group = section.words();
  for (uint32_t i = 0; i < kWordsOfLine; ++i) {
    const auto offset = static_cast<int32_t>(i * sizeof(uint64_t));
    section.word(encode::load(kIntegerLoad, kDouble, kFirst + i, kTable, offset));
  }
  section.word(encode::addi(kTries, 0, kMostDataRounds));
  const size_t round = section.words();
  section.word(encode::csrr(kBefore, kMcycle));
  for (uint32_t i = 0; i < kWordsOfLine; ++i) {
    section.word(encode::load(kIntegerLoad, kByte, 0, kFirst + i, 0));
  }
  section.fence();
  section.word(encode::csrr(kAfter, kMcycle));
  section.word(encode::sub(kAfter, kAfter, kBefore));
  section.word(encode::is_less(kAfter, kAfter, kRoundOfHits));
  section.word(encode::addi(kTries, kTries, -1));
  section.word(encode::bne(kAfter, 0, 8));
  section.word(encode::bne(kTries, 0, back_to(section, round)));
  for (uint32_t i = 0; i < kWordsOfLine; ++i) {
    section.word(encode::and_immediate(kAfter, kFirst + i, kDirty));
    section.word(encode::beq(kAfter, 0, 8));
    section.word(encode::rewrite(kFirst + i));
  }
  section.word(encode::addi(kTable, kTable, kLineBytes));
  section.word(encode::bne(kTable, kEnd, back_to(section, group)));
  section.fence();
}

}  // namespace firesim::functional
