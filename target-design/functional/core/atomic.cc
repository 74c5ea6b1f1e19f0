// SPDX-License-Identifier: BSD-3-Clause
// LR, SC and AMOs. A reservation is a line of 64 bytes, as in Rocket, but does not run out of time.
#include <algorithm>
#include <cstring>
#include <type_traits>

#include "core.h"

namespace firesim::functional {
namespace {

constexpr uint64_t kLineMask = ~uint64_t{63};

template <typename T>
uint64_t extend(T value) {
  return static_cast<uint64_t>(static_cast<int64_t>(static_cast<std::make_signed_t<T>>(value)));
}

template <typename T>
Next op_lr(Core &core, const Op &op) {
  const uint64_t address = core.x[op.rs1];
  if (address % sizeof(T) != 0) return core.memory_trap(cause::kLoadMisaligned, address);
  uint64_t physical = 0;
  bool whole_page = false;
  if (!core.translate(address, sizeof(T), Access::kLoad, physical, whole_page)) return Next::kTrap;
  const uint8_t *host = core.dram_at(physical, sizeof(T));
  if (host == nullptr) return core.memory_trap(cause::kLoadAccess, address);
  T value;
  // The line is taken as for a store, which mostly follows.
  if (core.l1 != nullptr) core.l1->store((physical - core.dram.base) / kLineBytes);
  std::memcpy(&value, host, sizeof(T));
  core.reservation = physical & kLineMask;
  core.reservation_valid = true;
  if (op.rd != 0) core.x[op.rd] = extend(value);
  return Next::kContinue;
}

template <typename T>
Next op_sc(Core &core, const Op &op) {
  const uint64_t address = core.x[op.rs1];
  if (address % sizeof(T) != 0) return core.memory_trap(cause::kStoreMisaligned, address);
  uint64_t physical = 0;
  bool whole_page = false;
  if (!core.translate(address, sizeof(T), Access::kStore, physical, whole_page)) return Next::kTrap;
  if (core.dram_at(physical, sizeof(T)) == nullptr) {
    return core.memory_trap(cause::kStoreAccess, address);
  }
  const bool reserved = core.reservation_valid && core.reservation == (physical & kLineMask);
  core.reservation_valid = false;
  Next next = Next::kContinue;
  if (reserved) next = core.store_slow(address, sizeof(T), core.x[op.rs2]);
  if (op.rd != 0) core.x[op.rd] = reserved ? 0 : 1;
  return next;
}

template <typename T>
T minimum(T a, T b) {
  return std::min(a, b);
}
template <typename T>
T maximum(T a, T b) {
  return std::max(a, b);
}

// What an AMO of type T stores, from what is in memory and the operand.
template <typename T>
T combine(Opcode opcode, T old, T operand) {
  using Signed = std::make_signed_t<T>;
  using enum Opcode;
  const auto a = static_cast<Signed>(old), b = static_cast<Signed>(operand);
  if (opcode == amoswap_w || opcode == amoswap_d) return operand;
  if (opcode == amoadd_w || opcode == amoadd_d) return old + operand;
  if (opcode == amoxor_w || opcode == amoxor_d) return old ^ operand;
  if (opcode == amoand_w || opcode == amoand_d) return old & operand;
  if (opcode == amoor_w || opcode == amoor_d) return old | operand;
  if (opcode == amomin_w || opcode == amomin_d) return static_cast<T>(minimum(a, b));
  if (opcode == amomax_w || opcode == amomax_d) return static_cast<T>(maximum(a, b));
  if (opcode == amominu_w || opcode == amominu_d) return minimum(old, operand);
  return maximum(old, operand);
}

template <typename T, Opcode kOpcode>
Next op_amo(Core &core, const Op &op) {
  const uint64_t address = core.x[op.rs1];
  if (address % sizeof(T) != 0) return core.memory_trap(cause::kStoreMisaligned, address);
  const T operand = static_cast<T>(core.x[op.rs2]);
  const TlbEntry &entry = core.tlb->store[address / kPageBytes % kTlbEntries];
  T old = 0;
  Next next = Next::kContinue;
  if (entry.tag == (address & ~(kPageBytes - 1))) {
    // A writable page is readable.
    auto *host = reinterpret_cast<uint8_t *>(address + entry.addend);
    if (core.l1 != nullptr) core.l1->store((host - core.dram.data) / kLineBytes);
    std::memcpy(&old, host, sizeof(T));
    const T value = combine<T>(kOpcode, old, operand);
    std::memcpy(host, &value, sizeof(T));
  } else {
    uint64_t physical = 0, read = 0;
    bool whole_page = false;
    if (!core.translate(address, sizeof(T), Access::kStore, physical, whole_page)) {
      return Next::kTrap;
    }
    if (const uint8_t *host = core.dram_at(physical, sizeof(T))) {
      std::memcpy(&read, host, sizeof(T));
    } else if (!core.device_read(physical, sizeof(T), read)) {
      return core.memory_trap(cause::kStoreAccess, address);
    }
    if (core.held) return core.held_trap();
    old = static_cast<T>(read);
    next = core.store_slow(address, sizeof(T), combine<T>(kOpcode, old, operand));
    if (next == Next::kTrap) return next;
  }
  if (op.rd != 0) core.x[op.rd] = extend(old);
  return next;
}

}  // namespace

Helper atomic_helper(Opcode opcode) {
  switch (opcode) {
    case Opcode::lr_w:
      return op_lr<uint32_t>;
    case Opcode::lr_d:
      return op_lr<uint64_t>;
    case Opcode::sc_w:
      return op_sc<uint32_t>;
    case Opcode::sc_d:
      return op_sc<uint64_t>;
#define FIRESIM_AMO(name)                      \
  case Opcode::name##_w:                       \
    return op_amo<uint32_t, Opcode::name##_w>; \
  case Opcode::name##_d:                       \
    return op_amo<uint64_t, Opcode::name##_d>;
      FIRESIM_AMO(amoswap)
      FIRESIM_AMO(amoadd)
      FIRESIM_AMO(amoxor)
      FIRESIM_AMO(amoand)
      FIRESIM_AMO(amoor)
      FIRESIM_AMO(amomin)
      FIRESIM_AMO(amomax)
      FIRESIM_AMO(amominu)
      FIRESIM_AMO(amomaxu)
#undef FIRESIM_AMO
    default:
      return nullptr;
  }
}

}  // namespace firesim::functional
