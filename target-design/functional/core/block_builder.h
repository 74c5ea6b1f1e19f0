// SPDX-License-Identifier: BSD-3-Clause
// Turns decoded instructions into the Ops of one block.
#pragma once

#include <span>

#include "block.h"

namespace firesim::functional {

class BlockBuilder {
 public:
  // For the loop that tells, the block has Ops that tell where it leads; for the one that follows
  // caches, Ops for the lines of memory it lies in, from `physical` on.
  BlockBuilder(std::span<Op> ops, std::span<uint16_t> offsets, Loop loop, uint64_t physical);

  // Adds the instruction that lies `offset` bytes after the block's begin. False if it cannot be
  // in this block; add() must then not be called again.
  bool add(const Decoded &d, uint32_t offset);

  // True if no instruction may follow.
  bool ended() const { return ended_ || full_; }
  uint32_t instructions() const { return instructions_; }

  // Ends a block of `bytes` bytes; returns the number of Ops.
  uint32_t finish(uint32_t bytes);

  // Makes a block of the first `instructions` of one that has more; returns its bytes.
  uint32_t copy(const Block &whole, uint32_t instructions);

 private:
  void emit(Opcode opcode, const Decoded &d, int32_t immediate);
  void emit_link();
  void emit_fall(uint32_t bytes);
  void add_fetch(uint32_t bytes);
  bool is_fetch(const Op &op) const;
  bool add_decoded(const Decoded &d);
  void add_jump(const Decoded &d);
  void add_helper(const Decoded &d);
  bool add_inline(const Decoded &d);

  std::span<Op> ops_;
  std::span<uint16_t> offsets_;
  const Loop loop_;
  const bool told_;
  const uint64_t physical_;
  uint64_t line_ = 0;  // of the last byte so far
  uint32_t count_ = 0;
  uint32_t instructions_ = 0;
  uint32_t offset_ = 0;
  uint32_t branches_ = 0;
  bool ended_ = false;  // by an instruction after which control goes elsewhere
  bool full_ = false;
};

// The immediate of a call_helper: which helper, and what it may want to know.
inline constexpr int kHelperShift = 16;
inline int32_t helper_immediate(const Decoded &d) {
  const bool csr = d.opcode >= Opcode::csrrw && d.opcode <= Opcode::csrrci;
  const uint32_t low = csr ? static_cast<uint32_t>(d.immediate) & 0xfff
                           : static_cast<uint32_t>(d.rs3 | d.rounding << 8);
  return static_cast<int32_t>((static_cast<uint32_t>(d.opcode) - kFirstHelper) << kHelperShift |
                              low);
}
inline Opcode helper_opcode(const Op &op) {
  return static_cast<Opcode>((static_cast<uint32_t>(op.immediate) >> kHelperShift) + kFirstHelper);
}
inline uint8_t op_rs3(const Op &op) { return op.immediate & 31; }
inline uint8_t op_rounding(const Op &op) { return op.immediate >> 8 & 7; }
inline uint32_t op_csr_number(const Op &op) { return op.immediate & 0xfff; }

}  // namespace firesim::functional
