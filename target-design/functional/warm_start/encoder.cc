// SPDX-License-Identifier: BSD-3-Clause
// Instructions and literals; see encoder.h.
#include "functional/warm_start/encoder.h"

#include <algorithm>
#include <bit>

#include "core/check.h"

namespace firesim::functional {
namespace encode {
namespace {

uint32_t i_type(uint32_t opcode, uint32_t function, uint32_t rd, uint32_t rs, int32_t value) {
  FIRESIM_CHECK(value >= -2048 && value < 2048, "the offset fits into 12 bits");
  return static_cast<uint32_t>(value) << 20 | rs << 15 | function << 12 | rd << 7 | opcode;
}

uint32_t r_type(uint32_t upper, uint32_t function, uint32_t rd, uint32_t a, uint32_t b) {
  return upper << 25 | b << 20 | a << 15 | function << 12 | rd << 7 | 0x33;
}

uint32_t branch(uint32_t function, uint32_t a, uint32_t b, int32_t offset) {
  FIRESIM_CHECK(offset >= -4096 && offset < 4096, "the branch reaches its target");
  const auto bits = static_cast<uint32_t>(offset);
  return (bits >> 12 & 1) << 31 | (bits >> 5 & 0x3f) << 25 | b << 20 | a << 15 | function << 12 |
         (bits >> 1 & 15) << 8 | (bits >> 11 & 1) << 7 | 0x63;
}

uint32_t csr(uint32_t function, uint32_t rd, uint32_t number, uint32_t rs) {
  return number << 20 | rs << 15 | function << 12 | rd << 7 | 0x73;
}

}  // namespace

uint32_t load(uint32_t opcode, uint32_t width, uint32_t rd, uint32_t base, int32_t offset) {
  return i_type(opcode, width, rd, base, offset);
}

uint32_t store(uint32_t width, uint32_t base, uint32_t value, int32_t offset) {
  FIRESIM_CHECK(offset >= -2048 && offset < 2048, "the offset fits into 12 bits");
  const auto bits = static_cast<uint32_t>(offset);
  return (bits >> 5 & 0x7f) << 25 | value << 20 | base << 15 | width << 12 | (bits & 31) << 7 |
         0x23;
}

uint32_t addi(uint32_t rd, uint32_t rs, int32_t value) { return i_type(0x13, 0, rd, rs, value); }
uint32_t addiw(uint32_t rd, uint32_t rs, int32_t value) { return i_type(0x1b, 0, rd, rs, value); }
uint32_t lui(uint32_t rd, int32_t upper) {
  return static_cast<uint32_t>(upper) << 12 | rd << 7 | 0x37;
}
uint32_t exclusive_or(uint32_t rd, uint32_t a, uint32_t b) { return r_type(0, 4, rd, a, b); }
uint32_t or_(uint32_t rd, uint32_t a, uint32_t b) { return r_type(0, 6, rd, a, b); }
uint32_t add(uint32_t rd, uint32_t a, uint32_t b) { return r_type(0, 0, rd, a, b); }
uint32_t sub(uint32_t rd, uint32_t a, uint32_t b) { return r_type(0x20, 0, rd, a, b); }
uint32_t and_(uint32_t rd, uint32_t a, uint32_t b) { return r_type(0, 7, rd, a, b); }
uint32_t and_immediate(uint32_t rd, uint32_t rs, int32_t value) {
  return i_type(0x13, 7, rd, rs, value);
}
uint32_t is_less(uint32_t rd, uint32_t rs, int32_t value) { return i_type(0x13, 3, rd, rs, value); }
uint32_t rewrite(uint32_t base) { return 8 << 27 | base << 15 | 3 << 12 | 0x2f; }
uint32_t shift_left(uint32_t rd, uint32_t rs, uint32_t by) {
  return by << 20 | rs << 15 | 1 << 12 | rd << 7 | 0x13;
}
uint32_t shift_right(uint32_t rd, uint32_t rs, uint32_t by) {
  return by << 20 | rs << 15 | 5 << 12 | rd << 7 | 0x13;
}
uint32_t csrw(uint32_t number, uint32_t rs) { return csr(1, 0, number, rs); }
uint32_t csrr(uint32_t rd, uint32_t number) { return csr(2, rd, number, 0); }

uint32_t bne(uint32_t a, uint32_t b, int32_t offset) { return branch(1, a, b, offset); }
uint32_t beq(uint32_t a, uint32_t b, int32_t offset) { return branch(0, a, b, offset); }

uint32_t jal(uint32_t rd, int32_t offset) {
  FIRESIM_CHECK(offset >= -(1 << 20) && offset < (1 << 20), "the jump reaches its target");
  const auto bits = static_cast<uint32_t>(offset);
  return (bits >> 20 & 1) << 31 | (bits >> 1 & 0x3ff) << 21 | (bits >> 11 & 1) << 20 |
         (bits >> 12 & 0xff) << 12 | rd << 7 | 0x6f;
}

uint32_t jalr(uint32_t rd, uint32_t base, int32_t offset) {
  return i_type(0x67, 0, rd, base, offset);
}

std::vector<uint32_t> address(uint32_t rd, int64_t distance) {
  FIRESIM_CHECK(distance >= -(int64_t{1} << 30) && distance < int64_t{1} << 30, "it is near");
  const auto upper = static_cast<uint32_t>(distance + 0x800) & 0xffff'f000;
  const auto lower = static_cast<int32_t>(distance - static_cast<int32_t>(upper));
  return {upper | rd << 7 | 0x17, addi(rd, rd, lower)};
}

}  // namespace encode

namespace {

constexpr uint32_t kWord = 2, kDouble = 3;  // widths of loads and stores
constexpr uint32_t kIntegerLoad = 0x03;
constexpr uint32_t kSeen = 28, kMore = 29;  // registers for what was read
constexpr uint32_t kMostOffset = 2040;

}  // namespace

Section::Section() : code_(2) {}

void Section::load_with(uint32_t destination, uint64_t value, uint32_t opcode) {
  if (cursor_bytes_ > kMostOffset) {
    word(encode::addi(kLiterals, kLiterals, kMostOffset));
    cursor_bytes_ -= kMostOffset;
  }
  word(encode::load(opcode, kDouble, destination, kLiterals, static_cast<int32_t>(cursor_bytes_)));
  literals_.push_back(value);
  cursor_bytes_ += 8;
}

void Section::load(uint32_t destination, uint64_t value) {
  if (by_code_) {
    make(destination, static_cast<int64_t>(value));
  } else {
    load_with(destination, value, kIntegerLoad);
  }
}

// As `li` of an assembler: the upper bits first, then 12 at a time.
void Section::make(uint32_t destination, int64_t value) {
  const auto low =
      static_cast<int32_t>(static_cast<int64_t>(static_cast<uint64_t>(value) << 52) >> 52);
  const int64_t upper = static_cast<int64_t>(static_cast<uint64_t>(value) - low) >> 12;
  if (value == low) {
    word(encode::addi(destination, 0, low));
  } else if (value == static_cast<int32_t>(value)) {
    word(encode::lui(destination, static_cast<int32_t>(upper)));
    if (low != 0) word(encode::addiw(destination, destination, low));
  } else {
    const int zeros = std::countr_zero(static_cast<uint64_t>(upper));
    make(destination, upper >> zeros);
    word(encode::shift_left(destination, destination, static_cast<uint32_t>(12 + zeros)));
    if (low != 0) word(encode::addi(destination, destination, low));
  }
}

void Section::write_csr(uint32_t number, uint64_t value) {
  if (by_code_ && value == 0) return word(encode::csrw(number, 0));
  load(kValue, value);
  word(encode::csrw(number, kValue));
}

void Section::store(uint64_t address, uint32_t bytes, uint64_t value) {
  load(kAddress, address);
  load(kValue, value);
  word(encode::store(bytes == 8 ? kDouble : kWord, kAddress, kValue, 0));
}

void Section::store_with_differences(uint64_t address, uint64_t value,
                                     std::span<const Expected> expected, uint32_t shift) {
  for (size_t i = 0; i < expected.size(); ++i) {
    const uint32_t seen = i == 0 ? kSeen : kMore;
    load(kAddress, expected[i].address);
    load(kValue, expected[i].value);
    word(encode::load(kIntegerLoad, kWord, seen, kAddress, 0));
    word(encode::exclusive_or(seen, seen, kValue));
    if (i != 0) word(encode::or_(kSeen, kSeen, kMore));
  }
  word(encode::shift_left(kSeen, kSeen, shift));
  load(kAddress, address);
  load(kValue, value);
  word(encode::exclusive_or(kValue, kValue, kSeen));
  word(encode::store(kWord, kAddress, kValue, 0));
}

void Section::wait_for(uint64_t address, uint32_t bytes, uint32_t shift, uint64_t value) {
  load(kAddress, address);
  load(kValue, value);
  const uint32_t width = bytes == 8 ? kDouble : kWord;
  word(encode::load(kIntegerLoad, width, kSeen, kAddress, 0));
  word(encode::shift_right(kSeen, kSeen, shift));
  word(encode::and_immediate(kSeen, kSeen, 0xff));
  word(encode::bne(kSeen, kValue, -12));
}

void Section::load_registers(const uint64_t *x) {
  if (by_code_) {
    for (uint32_t i = 1; i < 32; ++i) make(i, static_cast<int64_t>(x[i]));
    return;
  }
  final_base_at_ = code_.size();
  final_offset_bytes_ = literal_bytes();
  code_.resize(code_.size() + 2);
  for (uint32_t i = 1; i < 32; ++i) {
    word(encode::load(kIntegerLoad, kDouble, i, kFinalBase, static_cast<int32_t>(8 * i)));
  }
  literals_.insert(literals_.end(), x, x + 32);
}

void Section::place(uint64_t code_address, uint64_t literal_address) {
  const auto put = [&](size_t at, uint32_t rd, uint64_t target) {
    const auto distance = static_cast<int64_t>(target - (code_address + 4 * at));
    const std::vector<uint32_t> words = encode::address(rd, distance);
    std::copy(words.begin(), words.end(), code_.begin() + static_cast<ptrdiff_t>(at));
  };
  put(0, kLiterals, literal_address);
  if (final_base_at_ != 0) put(final_base_at_, kFinalBase, literal_address + final_offset_bytes_);
}

}  // namespace firesim::functional
