// SPDX-License-Identifier: BSD-3-Clause
// Loads and stores that the interpreter's fast path does not do: misaligned ones, TLB misses,
// devices, and stores to pages that hold decoded code or reservations.
#include <cstring>

#include "core.h"

namespace firesim::functional {

uint8_t *Core::dram_at(uint64_t physical, uint32_t bytes) const {
  const uint64_t offset = physical - dram.base;
  if (offset >= dram.size_bytes || offset + bytes > dram.size_bytes) return nullptr;
  return dram.data + offset;
}

Next Core::memory_trap(uint64_t which, uint64_t address) {
  this->cause = which;
  this->tval = address;
  return Next::kTrap;
}

bool Core::device_read(uint64_t physical, uint32_t bytes, uint64_t &value) {
  end_host_float();
  value = 0;
  const bool ok = mmio.read(physical, bytes, cycle_now(), value);
  begin_host_float();
  if (bytes < 8) value &= (uint64_t{1} << 8 * bytes) - 1;
  return ok;
}

bool Core::device_write(uint64_t physical, uint32_t bytes, uint64_t value) {
  end_host_float();
  if (bytes < 8) value &= (uint64_t{1} << 8 * bytes) - 1;
  const bool ok = mmio.write(physical, bytes, cycle_now(), value);
  begin_host_float();
  return ok;
}

Next Core::held_trap() {
  this->cause = cause::kHeld;
  return Next::kTrap;
}

Next Core::device_done(bool ok, bool load, uint64_t address) {
  if (held) return held_trap();
  if (!ok) return memory_trap(load ? cause::kLoadAccess : cause::kStoreAccess, address);
  return leave_requested ? Next::kLeave : Next::kContinue;
}

void Core::set_l1(L1Caches *to) {
  if (l1 == to) return;
  l1 = to;
  drop_code();
}

Next Core::load_slow(uint64_t address, uint32_t bytes, uint64_t &value) {
  if ((address & (bytes - 1)) != 0) return memory_trap(cause::kLoadMisaligned, address);
  uint64_t physical = 0;
  bool whole_page = false;
  if (!translate(address, bytes, Access::kLoad, physical, whole_page)) return Next::kTrap;
  const uint8_t *host = dram_at(physical, bytes);
  if (host == nullptr) return device_done(device_read(physical, bytes, value), true, address);
  if (l1 != nullptr) l1->load((physical - dram.base) / kLineBytes);
  value = 0;
  std::memcpy(&value, host, bytes);
  if (whole_page) {
    TlbEntry &entry = tlb->load[address / kPageBytes % kTlbEntries];
    entry.tag = address & ~(kPageBytes - 1);
    entry.addend = reinterpret_cast<uint64_t>(host) - address;
  }
  return Next::kContinue;
}

Next Core::store_slow(uint64_t address, uint32_t bytes, uint64_t value) {
  if ((address & (bytes - 1)) != 0) return memory_trap(cause::kStoreMisaligned, address);
  uint64_t physical = 0;
  bool whole_page = false;
  if (!translate(address, bytes, Access::kStore, physical, whole_page)) return Next::kTrap;
  uint8_t *host = dram_at(physical, bytes);
  if (host == nullptr) return device_done(device_write(physical, bytes, value), false, address);
  std::memcpy(host, &value, bytes);
  const uint64_t offset = physical - dram.base;
  if (l1 != nullptr) l1->store(offset / kLineBytes);
  if (shared.page_is_watched(offset, *this)) {
    return shared.written(offset, bytes, this) ? Next::kLeave : Next::kContinue;
  }
  if (whole_page) {
    TlbEntry &entry = tlb->store[address / kPageBytes % kTlbEntries];
    entry.tag = address & ~(kPageBytes - 1);
    entry.addend = reinterpret_cast<uint64_t>(host) - address;
  }
  return Next::kContinue;
}

}  // namespace firesim::functional
