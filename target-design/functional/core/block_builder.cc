// SPDX-License-Identifier: BSD-3-Clause
// Ops of a block from decoded instructions: links, results for x0, and what ends a block.
#include "block_builder.h"

#include <limits>

#include "code_store.h"
#include "core.h"

namespace firesim::functional {
namespace {

// Conditional branches a block runs on after, when they are not taken.
constexpr uint32_t kMaxBranches = 4;

bool is_branch(Opcode opcode) { return opcode >= Opcode::beq && opcode <= Opcode::bgeu; }

bool is_store(Opcode opcode) {
  return (opcode >= Opcode::sb && opcode <= Opcode::sd) || opcode == Opcode::fsw ||
         opcode == Opcode::fsd;
}

bool is_load(Opcode opcode) { return opcode >= Opcode::lb && opcode <= Opcode::lwu; }

bool ends_block(Opcode opcode) {
  using enum Opcode;
  return opcode == illegal || opcode == ecall || opcode == ebreak || opcode == mret ||
         opcode == sret;
}

}  // namespace

BlockBuilder::BlockBuilder(std::span<Op> ops, std::span<uint16_t> offsets, Loop loop,
                           uint64_t physical)
    : ops_(ops), offsets_(offsets), loop_(loop), told_(loop == Loop::kTold), physical_(physical) {
  if (told_) emit(Opcode::arrive, {}, 0);
}

void BlockBuilder::emit(Opcode opcode, const Decoded &d, int32_t immediate) {
  offsets_[count_] = static_cast<uint16_t>(offset_);
  // `rest` is the index of the instruction until finish() knows how many there are.
  ops_[count_++] = {Core::handler(opcode, loop_),        d.rd,     d.rs1, d.rs2,
                    static_cast<uint8_t>(instructions_), immediate};
}

void BlockBuilder::emit_link() {
  offsets_[count_] = static_cast<uint16_t>(offset_);
  reinterpret_cast<Link &>(ops_[count_++]) = {nullptr, 0};
}

// Each instruction fetches the line of its first byte and that of its last: so what is fetched does
// not depend on where blocks are cut.
void BlockBuilder::add_fetch(uint32_t bytes) {
  const uint64_t first = (physical_ + offset_) / kLineBytes;
  const uint64_t last = (physical_ + offset_ + bytes - 1) / kLineBytes;
  if (instructions_ == 0 || first != line_) {
    emit(Opcode::fetched, {}, static_cast<int32_t>(offset_));
  }
  if (last != first) emit(Opcode::fetched, {}, static_cast<int32_t>(offset_ + bytes - 1));
  line_ = last;
}

bool BlockBuilder::is_fetch(const Op &op) const {
  return loop_ == Loop::kCached && op.handler == Core::handler(Opcode::fetched, loop_);
}

void BlockBuilder::add_jump(const Decoded &d) {
  if (d.rd != 0) {
    emit(told_ ? Opcode::told_link : Opcode::link, d, static_cast<int32_t>(offset_ + d.bytes));
  }
  emit(Opcode::jump, d, d.immediate + static_cast<int32_t>(offset_));
  emit_link();
  ended_ = true;
}

void BlockBuilder::add_helper(const Decoded &d) {
  emit(Opcode::call_helper, d, helper_immediate(d));
  ended_ = ends_block(d.opcode);
}

bool BlockBuilder::add_inline(const Decoded &d) {
  Decoded to = d;
  if (d.rd == 0) to.rd = kZeroSink;
  // An instruction without effect still is a place where the block can be left.
  if (d.rd == 0 && !is_load(d.opcode)) {
    emit(Opcode::nop, to, 0);
  } else if (d.opcode == Opcode::auipc) {
    const int64_t sum = int64_t{d.immediate} + offset_;
    if (sum > std::numeric_limits<int32_t>::max()) return false;
    emit(Opcode::auipc, to, static_cast<int32_t>(sum));
  } else if (d.opcode == Opcode::lui || (d.opcode == Opcode::addi && d.rs1 == 0)) {
    emit(Opcode::li, to, d.immediate);
  } else if (d.opcode == Opcode::addi && d.immediate == 0) {
    emit(Opcode::mv, to, 0);
  } else {
    emit(d.opcode, to, d.immediate);
  }
  return true;
}

bool BlockBuilder::add(const Decoded &d, uint32_t offset) {
  offset_ = offset;
  const uint32_t before = count_;
  if (loop_ == Loop::kCached) add_fetch(d.bytes);
  if (!add_decoded(d)) {
    count_ = before;
    return false;
  }
  ++instructions_;
  return true;
}

bool BlockBuilder::add_decoded(const Decoded &d) {
  if (static_cast<uint16_t>(d.opcode) >= kFirstHelper) {
    add_helper(d);
  } else if (d.opcode == Opcode::jal) {
    add_jump(d);
  } else if (d.opcode == Opcode::jalr) {
    Decoded to = d;
    if (d.rd == 0) to.rd = kZeroSink;
    emit(told_ ? Opcode::told_jalr : Opcode::jalr, to, d.immediate);
    ended_ = true;
  } else if (is_branch(d.opcode)) {
    emit(d.opcode, d, d.immediate + static_cast<int32_t>(offset_));
    emit_link();
    // A backward branch is mostly taken: what follows it is not worth decoding with it.
    full_ = d.immediate < 0 || ++branches_ == kMaxBranches;
  } else if (is_store(d.opcode) || d.opcode == Opcode::flw || d.opcode == Opcode::fld) {
    emit(d.opcode, d, d.immediate);
  } else {
    return add_inline(d);
  }
  return true;
}

void BlockBuilder::emit_fall(uint32_t bytes) {
  offset_ = bytes;
  --instructions_;  // the last one is done when this Op is reached
  emit(Opcode::fall, {}, static_cast<int32_t>(bytes));
  ++instructions_;
  emit_link();
}

// A Link has the offset of the Op before it; only what is cut off has other Ops of one instruction,
// but for those of lines, which come before it, and the Op that tells, which is there already.
uint32_t BlockBuilder::copy(const Block &whole, uint32_t instructions) {
  const auto fewer = static_cast<uint8_t>(whole.instructions - instructions);
  const uint32_t first = count_;
  while (true) {
    const uint16_t offset = whole.offsets[count_];
    const bool fetch = is_fetch(whole.ops[count_]);
    const bool link =
        !fetch && count_ > first && offset == offsets_[count_ - 1] && !is_fetch(ops_[count_ - 1]);
    if (fetch && instructions_ == instructions) break;
    if (!fetch && !link && instructions_++ == instructions) break;
    if (link) {  // the tag first: it says that the target is there
      const auto &from = reinterpret_cast<const Link &>(whole.ops[count_]);
      const uint64_t tag = link_tag(from);
      reinterpret_cast<Link &>(ops_[count_]) = {link_target(from), tag};
    } else {
      ops_[count_] = whole.ops[count_];
      ops_[count_].rest = static_cast<uint8_t>(ops_[count_].rest - fewer);
    }
    offsets_[count_++] = offset;
  }
  instructions_ = instructions;
  const uint32_t bytes = whole.offsets[count_];
  emit_fall(bytes);
  ops_[count_ - 2].rest = 0;
  return bytes;
}

uint32_t BlockBuilder::finish(uint32_t bytes) {
  if (!ended_) emit_fall(bytes);
  const auto total = static_cast<uint8_t>(instructions_ - 1);
  for (uint32_t i = 0; i < count_; ++i) {
    const bool link = i > 0 && ops_[i].handler == nullptr;
    if (!link) ops_[i].rest = static_cast<uint8_t>(total - ops_[i].rest);
  }
  return count_;
}

}  // namespace firesim::functional
