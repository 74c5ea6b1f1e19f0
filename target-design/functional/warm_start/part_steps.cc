// SPDX-License-Identifier: BSD-3-Clause
// The table of steps and its loop; see part_steps.h.
//
// A step is the address of a register, whose low two bits are the kind of access, and a value. What
// is waited for has its mask in the upper half of the value.
#include "functional/warm_start/part_steps.h"

#include "core/check.h"

namespace firesim::functional {
namespace {

constexpr uint32_t kStepBytes = 2 * sizeof(uint64_t);
constexpr int32_t kKindMask = 3;

// Registers beside those of Section.
constexpr uint32_t kTable = 16, kEnd = 17, kKind = 18, kMask = 19, kSeen = 20;
constexpr uint32_t kIntegerLoad = 0x03, kWord = 2, kDouble = 3, kUnsignedWord = 6;

// Bytes from word `from` to word `to`.
int32_t distance(size_t from, size_t to) {
  return 4 * (static_cast<int32_t>(to) - static_cast<int32_t>(from));
}

// A place for a branch whose target comes later.
size_t branch_later(Section &section) {
  section.word(0);
  return section.words() - 1;
}

// Loads the next step, and forgets it in memory.
void take_step(Section &section) {
  section.word(encode::load(kIntegerLoad, kDouble, Section::kAddress, kTable, 0));
  section.word(encode::load(kIntegerLoad, kDouble, Section::kValue, kTable, 8));
  section.word(encode::store(kDouble, kTable, 0, 0));
  section.word(encode::store(kDouble, kTable, 0, 8));
  section.word(encode::addi(kTable, kTable, kStepBytes));
  section.word(encode::and_immediate(kKind, Section::kAddress, kKindMask));
  section.word(encode::sub(Section::kAddress, Section::kAddress, kKind));
}

void wait(Section &section) {
  section.fence();
  section.word(encode::shift_right(kMask, Section::kValue, 32));
  section.word(encode::shift_left(Section::kValue, Section::kValue, 32));
  section.word(encode::shift_right(Section::kValue, Section::kValue, 32));
  const size_t again = section.words();
  section.word(encode::load(kIntegerLoad, kUnsignedWord, kSeen, Section::kAddress, 0));
  section.word(encode::and_(kSeen, kSeen, kMask));
  section.word(encode::bne(kSeen, Section::kValue, distance(section.words(), again)));
}

}  // namespace

std::vector<uint64_t> step_table(const std::vector<PartSteps::Step> &steps) {
  std::vector<uint64_t> words;
  for (const PartSteps::Step &step : steps) {
    FIRESIM_CHECK(step.address % 4 == 0, "registers of parts have 4 or 8 bytes");
    words.push_back(step.address | static_cast<uint64_t>(step.kind));
    words.push_back(step.kind == PartSteps::Kind::kWait
                        ? uint64_t{step.mask} << 32 | (step.value & step.mask)
                        : step.value);
  }
  return words;
}

void follow_steps(Section &section, uint64_t address, size_t steps) {
  section.load(kTable, address);
  section.load(kEnd, address + steps * kStepBytes);
  const size_t begin = section.words();
  take_step(section);
  const size_t to_four = branch_later(section);
  section.word(encode::addi(kKind, kKind, -1));
  const size_t to_eight = branch_later(section);
  wait(section);
  const size_t waited = branch_later(section);
  section.replace(to_four, encode::beq(kKind, 0, distance(to_four, section.words())));
  section.word(encode::store(kWord, Section::kAddress, Section::kValue, 0));
  const size_t stored = branch_later(section);
  section.replace(to_eight, encode::beq(kKind, 0, distance(to_eight, section.words())));
  section.word(encode::store(kDouble, Section::kAddress, Section::kValue, 0));
  for (const size_t at : {waited, stored}) {
    section.replace(at, encode::jal(0, distance(at, section.words())));
  }
  section.word(encode::bne(kTable, kEnd, distance(section.words(), begin)));
  section.fence();
}

}  // namespace firesim::functional
