// SPDX-License-Identifier: BSD-3-Clause
// The hart's side of translated code: entering it, what it calls, and linking its jumps.
#include "functional/core/code_store.h"
#include "functional/core/core.h"
#include "translator.h"

namespace firesim::functional {
namespace {

constexpr uint64_t kBox = 0xffff'ffff'0000'0000;

template <typename T>
Next load(Core &core, const Op &op, uint64_t address) {
  uint64_t value = 0;
  const Next next = core.load_slow(address, sizeof(T), value);
  if (next == Next::kTrap) return next;
  core.x[op.rd] = static_cast<uint64_t>(static_cast<int64_t>(static_cast<T>(value)));
  return next;
}

Next load_float(Core &core, const Op &op, uint64_t address, uint32_t bytes, uint64_t box) {
  if ((core.frame.tag & kFloatTag) == 0) return core.illegal();
  uint64_t value = 0;
  const Next next = core.load_slow(address, bytes, value);
  if (next != Next::kTrap) core.f[op.rd] = value | box;
  return next;
}

Next store_float(Core &core, const Op &op, uint64_t address, uint32_t bytes) {
  if ((core.frame.tag & kFloatTag) == 0) return core.illegal();
  return core.store_slow(address, bytes, core.f[op.rs2]);
}

// As the handlers of execute_memory.inc, when the page is not in the TLB.
Next access(Core &core, const Op &op, Opcode opcode) {
  const uint64_t address = core.x[op.rs1] + static_cast<uint64_t>(int64_t{op.immediate});
  const uint64_t stored = core.x[op.rs2 & 31];
  using enum Opcode;
  switch (opcode) {
    case lb:
      return load<int8_t>(core, op, address);
    case lh:
      return load<int16_t>(core, op, address);
    case lw:
      return load<int32_t>(core, op, address);
    case ld:
      return load<uint64_t>(core, op, address);
    case lbu:
      return load<uint8_t>(core, op, address);
    case lhu:
      return load<uint16_t>(core, op, address);
    case lwu:
      return load<uint32_t>(core, op, address);
    case sb:
      return core.store_slow(address, 1, stored);
    case sh:
      return core.store_slow(address, 2, stored);
    case sw:
      return core.store_slow(address, 4, stored);
    case sd:
      return core.store_slow(address, 8, stored);
    case flw:
      return load_float(core, op, address, 4, kBox);
    case fld:
      return load_float(core, op, address, 8, 0);
    case fsw:
      return store_float(core, op, address, 4);
    default:
      return store_float(core, op, address, 8);
  }
}

static_assert(static_cast<uint32_t>(Next::kContinue) == static_cast<uint32_t>(Left::kLookup));
static_assert(static_cast<uint32_t>(Next::kLeave) == static_cast<uint32_t>(Left::kLeave));
static_assert(static_cast<uint32_t>(Next::kJump) == static_cast<uint32_t>(Left::kJump));
static_assert(static_cast<uint32_t>(Next::kTrap) == static_cast<uint32_t>(Left::kTrap));

// Nothing can be thrown through code that no compiler has described.
template <typename Do>
uint32_t caught(Core &core, Do what) noexcept {
  try {
    return static_cast<uint32_t>(what());
  } catch (...) {
    core.thrown = std::current_exception();
    return static_cast<uint32_t>(Left::kThrew);
  }
}

}  // namespace

uint32_t translated_helper(Core *core, const Op *op) noexcept {
  return caught(*core, [&] { return Core::helper_of(*op)(*core, *op); });
}

uint32_t translated_memory(Core *core, const Op *op, uint32_t opcode) noexcept {
  return caught(*core, [&] { return access(*core, *op, static_cast<Opcode>(opcode)); });
}

bool Core::has_code(Block &block) {
  if (frame.enter != nullptr && __atomic_load_n(&block.code, __ATOMIC_ACQUIRE) != nullptr) {
    return true;
  }
  if (block.page != nullptr) {
    if (shared.store()->translate(*this, block)) return true;
    __atomic_store_n(&block.heat, kNeverTranslated, __ATOMIC_RELAXED);
    return false;
  }
  if (!block.cached) return false;
  if (translator_ == nullptr) translator_ = std::make_unique<Translator>(shared.code_bytes() / 3);
  if (translator_->translate(*this, block, nullptr)) return true;
  block.heat = kNeverTranslated;
  if (translator_->is_full()) drop_code();  // and with it all that was translated
  return false;
}

Left Core::run_code(const Block &block, uint64_t at, int64_t slots, uint64_t under) {
  frame.base = at;
  frame.remaining = slots;
  frame.tag = under;
  frame.privilege = under & 3;
  frame.tlb = tlb;
  const auto enter = reinterpret_cast<uint32_t (*)(uint64_t *, const void *)>(
      reinterpret_cast<uintptr_t>(frame.enter));
  return static_cast<Left>(enter(&x[16], __atomic_load_n(&block.code, __ATOMIC_ACQUIRE)));
}

// Blocks of one page are dropped together, so that a link within it holds as long as they do; but
// an instruction that spans pages is dropped with the other one.
void Core::link_code(Slot &slot, const Block &target, uint64_t from) {
  if (__atomic_load_n(&target.code, __ATOMIC_ACQUIRE) == nullptr) return;
  const uint64_t to = from + static_cast<uint64_t>(int64_t{slot.op->immediate});
  const bool within = (to ^ from) < kPageBytes;
  if (within && target.second_page != 0) return;
  Translator &by = target.page != nullptr ? shared.store()->translator() : *translator_;
  by.link(slot, target, within ? kAnyTag : frame.tag);
}

}  // namespace firesim::functional
