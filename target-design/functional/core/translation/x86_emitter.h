// SPDX-License-Identifier: BSD-3-Clause
// Makes the code of a block for x86-64, with Xbyak.
//
// The guest's x8 to x15, which compressed instructions use, are in registers of the host's within
// translated code; the others are in the Core. rax, rcx and rdx hold what an instruction needs.
#pragma once

#define XBYAK_NO_OP_NAMES
#include <xbyak/xbyak.h>

#include <array>
#include <deque>
#include <vector>

#include "emitter.h"
#include "functional/core/instruction.h"

namespace firesim::functional {

// Where code is made, before it is put where it runs.
struct CodeBuffer {
  std::array<uint8_t, 32 << 10> buffer;
};

class X86Emitter : public Emitter, private CodeBuffer, private Xbyak::CodeGenerator {
 public:
  explicit X86Emitter(const Layout &layout);
  std::span<const uint8_t> common(Frame &frame) override;
  Made block(Block &block, bool shared) override;

 private:
  using Reg64 = Xbyak::Reg64;
  using Reg32 = Xbyak::Reg32;
  using Address = Xbyak::Address;
  enum class Kind { kPlain, kWord };  // of 64 bits, or of 32 which are extended

  // A place in the code that jumps lead to, from before it and behind it. Those before it make a
  // list within the code: the last one, and in each the one before it.
  struct Mark {
    int32_t at = kNone;
    int32_t last_jump = kNone;
    static constexpr int32_t kNone = -1;
  };
  // As the processor numbers conditions.
  enum Condition : uint8_t {
    kBelow = 2,
    kNotBelow = 3,
    kEqual = 4,
    kNotEqual = 5,
    kNegative = 8,
    kNotNegative = 9,
    kUnordered = 10,
    kLess = 12,
    kNotLess = 13,
    kAlways = 16,
  };

  // What is done behind the block, since it is rare.
  struct Rare {
    Mark at, back;
    const Op *op;
    Opcode opcode;
  };
  // The way out through a jump: its slot leads here first.
  struct Way {
    const Op *op;
    Mark out;
  };

  // --- x86_emitter.cc: the block, and jumps ---
  Opcode opcode_of(const Op &op) const {
    return opcodes_[static_cast<size_t>(static_cast<const std::byte *>(op.handler) -
                                        first_handler_)];
  }
  const Op *instruction(const Op *op);  // returns the Op behind
  void branch(const Op *op, Opcode opcode);
  static Condition condition_of(Opcode opcode);
  void jump_to(Condition condition, Mark &to);
  void mark(Mark &here);
  Address slot_part(size_t offset) { return qword[rip + (getCode() + offset)]; }
  void compare(uint8_t first, uint8_t second);
  void follow(const Op *op);
  void jump_through(const Op *op);
  void look_up_own();
  void look_up_shared();
  void go_on(const Address &code, Mark &none);
  void leave_for(const Reg64 &pc);
  void finish_rare();
  void finish_ways();

  // --- x86_common.cc: what all blocks use ---
  void enter();
  void leave();
  void call_out(uint32_t (*memory)(Core *, const Op *, uint32_t));
  void call_out(uint32_t (*helper)(Core *, const Op *));
  void before_call();
  void after_call();
  void keep_registers();
  void load_registers();

  // --- x86_integer.cc ---
  // False if it is none of these.
  bool integer(const Op *op, Opcode opcode);
  bool integer_immediate(const Op *op, Opcode opcode);
  bool multiply(const Op *op, Opcode opcode);
  void add_immediate(const Op *op);
  void set_constant(uint8_t rd, int64_t value);
  void set_relative(uint8_t rd, int32_t offset);  // to the block's begin
  template <typename Do>
  void binary(const Op *op, Kind kind, bool commutes, Do what);
  template <typename Do>
  void with_immediate(const Op *op, Kind kind, Do what);
  template <typename Do>
  void shift(const Op *op, Kind kind, Do what);
  void less(const Op *op, bool is_signed, bool immediate);
  void high_product(const Op *op, Opcode opcode);
  void divide(const Op *op, bool is_signed, bool remainder, Kind kind);

  // --- x86_memory.cc ---
  bool memory(const Op *op, Opcode opcode);
  bool atomic(const Op *op, Opcode called);
  void look_up_page(uint8_t x, int32_t offset, uint32_t bytes, bool store, Rare &rare);
  void load(const Op *op, Opcode opcode);
  void store(const Op *op, Opcode opcode, uint32_t bytes);
  Rare &rare(const Op *op, Opcode opcode);

  // --- x86_float.cc ---
  // False if the helper does it always.
  bool floating(const Op *op, Opcode called);
  template <typename Do>
  bool float_binary(const Op *op, bool is_double, Do what);
  bool float_fused(const Op *op, Opcode called);
  bool float_compare(const Op *op, Opcode called);
  bool float_copy(const Op *op);
  bool float_move(const Op *op, Opcode called);
  Rare &float_rare(const Op *op);  // FS is off, and what else is rare
  static bool rounds_to_nearest(const Op *op);
  void check_rounding(const Op *op, Rare &slow);
  void load_float(const Xbyak::Xmm &to, uint8_t f, bool is_double, Rare &slow);
  void put_float(uint8_t f, bool is_double, Rare &slow);

  // --- operands ---
  static bool in_register(uint8_t x) { return x >= kFirstPinned && x < kFirstPinned + kPinned; }
  const Reg64 &pinned(uint8_t x) const { return pinned_[x - kFirstPinned]; }
  Address in_core(uint8_t x) const { return qword[rbx + kXBytes * (x - kMiddle)]; }
  Address in_frame(size_t member) const {
    return qword[rbx + (layout_.frame + static_cast<int32_t>(member))];
  }
  Address in_floats(uint8_t f) const { return qword[rbx + (layout_.floats + kXBytes * f)]; }
  // Calls `what` with the operand that x is.
  template <typename Do>
  void with(uint8_t x, Kind kind, Do what);
  // The register that x is in, `otherwise` with its value.
  Reg64 read(uint8_t x, const Reg64 &otherwise);
  void copy(const Reg64 &to, uint8_t x);
  void copy_word(const Reg32 &to, uint8_t x);
  // Where a result for x is made, and put if that is not where it belongs.
  Reg64 target(uint8_t x) const { return in_register(x) ? pinned(x) : rax; }
  void put(uint8_t x, const Reg64 &from);

  static constexpr uint8_t kFirstPinned = 8, kPinned = 8;
  static constexpr int32_t kMiddle = 16, kXBytes = 8;

  const Layout layout_;
  const bool has_fused_;  // multiply-add
  const std::array<Reg64, kPinned> pinned_;
  // By handler, from the first one on.
  std::vector<Opcode> opcodes_;
  const std::byte *first_handler_ = nullptr;

  // Of the block.
  Block *block_ = nullptr;
  bool shared_ = false;
  Mark body_, too_long_, failed_;
  std::deque<Rare> rare_;
  std::deque<Way> ways_;
};

template <typename Do>
void X86Emitter::with(uint8_t x, Kind kind, Do what) {
  const bool word = kind == Kind::kWord;
  if (in_register(x)) {
    word ? what(pinned(x).cvt32()) : what(pinned(x));
  } else {
    what(Address(word ? 32 : 64, false, rbx + kXBytes * (x - kMiddle)));
  }
}

}  // namespace firesim::functional
