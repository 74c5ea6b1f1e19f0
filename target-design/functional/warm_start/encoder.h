// SPDX-License-Identifier: BSD-3-Clause
// The RISC-V instructions that the restore program is made of, and the section of code and literals
// that restores one hart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace firesim::functional {

class Section {
 public:
  // Registers with a meaning: the next literal, and values on their way.
  static constexpr uint32_t kLiterals = 5, kValue = 6, kAddress = 7, kFinalBase = 31;

  // Code, whose literals start at a place that is set later.
  Section();

  void word(uint32_t instruction) { code_.push_back(instruction); }
  // From here on values are made by instructions, so that no data is loaded for them.
  void make_values_by_code() { by_code_ = true; }
  // Loads an integer or floating-point register with a literal.
  void load(uint32_t destination, uint64_t value);
  void load_float(uint32_t destination, uint64_t value) { load_with(destination, value, 0x07); }
  void write_csr(uint32_t number, uint64_t value);
  // Stores a literal at an address, in 4 or 8 bytes.
  void store(uint64_t address, uint32_t bytes, uint64_t value);
  // A register of 4 bytes, and what it should say.
  struct Expected {
    uint64_t address;
    uint64_t value;
  };
  // Stores 4 bytes: `value`, in which the bits are turned, `shift` higher, that any of the
  // registers has otherwise; there is one at least.
  void store_with_differences(uint64_t address, uint64_t value, std::span<const Expected> expected,
                              uint32_t shift);
  // Waits until the 8 bytes at `address`, after `>> shift & 0xff`, are `value`.
  void wait_for(uint64_t address, uint32_t bytes, uint32_t shift, uint64_t value);
  void fence() { word(0x0ff0'000f); }
  void fence_instructions() { word(0x0000'100f); }

  // The number of words so far, and another word in the place of one of them.
  size_t words() const { return code_.size(); }
  void replace(size_t at, uint32_t instruction) { code_.at(at) = instruction; }

  uint64_t code_bytes() const { return code_.size() * 4; }
  uint64_t literal_bytes() const { return literals_.size() * 8; }
  // Loads x1 to x31, whose base is a literal too.
  void load_registers(const uint64_t *x);
  // Both addresses are known now.
  void place(uint64_t code_address, uint64_t literal_address);

  const std::vector<uint32_t> &code() const { return code_; }
  const std::vector<uint64_t> &literals() const { return literals_; }

 private:
  void load_with(uint32_t destination, uint64_t value, uint32_t opcode);
  void make(uint32_t destination, int64_t value);

  std::vector<uint32_t> code_;
  std::vector<uint64_t> literals_;
  bool by_code_ = false;
  uint32_t cursor_bytes_ = 0;        // from kLiterals to the next literal
  size_t final_base_at_ = 0;         // the instructions that load kFinalBase; 0: none
  uint64_t final_offset_bytes_ = 0;  // of its literals
};

namespace encode {

uint32_t load(uint32_t opcode, uint32_t width, uint32_t rd, uint32_t base, int32_t offset);
uint32_t store(uint32_t width, uint32_t base, uint32_t value, int32_t offset);
uint32_t addi(uint32_t rd, uint32_t rs, int32_t value);
uint32_t addiw(uint32_t rd, uint32_t rs, int32_t value);
uint32_t lui(uint32_t rd, int32_t upper);  // upper << 12
uint32_t exclusive_or(uint32_t rd, uint32_t a, uint32_t b);
uint32_t or_(uint32_t rd, uint32_t a, uint32_t b);
uint32_t add(uint32_t rd, uint32_t a, uint32_t b);
uint32_t sub(uint32_t rd, uint32_t a, uint32_t b);
uint32_t and_(uint32_t rd, uint32_t a, uint32_t b);
uint32_t and_immediate(uint32_t rd, uint32_t rs, int32_t value);
// Whether rs is less than a positive value.
uint32_t is_less(uint32_t rd, uint32_t rs, int32_t value);
uint32_t shift_left(uint32_t rd, uint32_t rs, uint32_t by);
uint32_t shift_right(uint32_t rd, uint32_t rs, uint32_t by);  // zeros come in
// An atomic or with x0 of the 8 bytes at `base`, whose result is not kept.
uint32_t rewrite(uint32_t base);
uint32_t csrw(uint32_t number, uint32_t rs);
uint32_t csrr(uint32_t rd, uint32_t number);
uint32_t bne(uint32_t a, uint32_t b, int32_t offset);
uint32_t beq(uint32_t a, uint32_t b, int32_t offset);
uint32_t jal(uint32_t rd, int32_t offset);
uint32_t jalr(uint32_t rd, uint32_t base, int32_t offset);
// auipc rd; addi rd: `distance` from the first of the two.
std::vector<uint32_t> address(uint32_t rd, int64_t distance);
inline constexpr uint32_t kMret = 0x3020'0073, kFlushTlb = 0x1200'0073;

}  // namespace encode
}  // namespace firesim::functional
