// SPDX-License-Identifier: BSD-3-Clause
// Address translation (Sv39) and protection (PMP), as Rocket does them.
#include "core.h"

namespace firesim::functional {
namespace {

constexpr uint64_t kValid = 1, kRead = 2, kWrite = 4, kExecute = 8, kUserPage = 16;
constexpr uint64_t kAccessed = 64, kDirty = 128;
constexpr uint64_t kPteBytes = 8;

uint64_t page_fault(Access access) {
  return access == Access::kFetch  ? cause::kFetchPage
         : access == Access::kLoad ? cause::kLoadPage
                                   : cause::kStorePage;
}

uint64_t access_fault(Access access) {
  return access == Access::kFetch  ? cause::kFetchAccess
         : access == Access::kLoad ? cause::kLoadAccess
                                   : cause::kStoreAccess;
}

// Whether the rights of a leaf allow the access.
bool leaf_allows(uint64_t entry, Access access, uint8_t as, uint64_t mstatus) {
  const bool user_page = (entry & kUserPage) != 0;
  if ((entry & kAccessed) == 0) return false;
  if (as == kUser && !user_page) return false;
  if (as == kSupervisor && user_page &&
      (access == Access::kFetch || (mstatus & status::kSum) == 0)) {
    return false;
  }
  switch (access) {
    case Access::kFetch:
      return (entry & kExecute) != 0;
    case Access::kLoad:
      return (entry & kRead) != 0 || ((mstatus & status::kMxr) != 0 && (entry & kExecute) != 0);
    default:
      return (entry & kWrite) != 0 && (entry & kDirty) != 0;
  }
}

}  // namespace

uint8_t Core::data_privilege() const {
  if ((mstatus & status::kMprv) == 0) return privilege;
  return static_cast<uint8_t>((mstatus & status::kMpp) >> 11);
}

int Core::pmp_check(uint64_t physical, uint32_t bytes, Access access, uint8_t as) const {
  const uint64_t page = physical & ~(kPageBytes - 1);
  const uint8_t wanted = access == Access::kFetch ? 4 : access == Access::kLoad ? 1 : 2;
  bool whole = true;
  for (uint32_t i = 0; i < kPmpRegions; ++i) {
    const uint8_t mode = pmpcfg[i] >> 3 & 3;
    if (mode == 0) continue;
    uint64_t first = 0, end = pmpaddr[i] << 2;
    if (mode == 1) {
      first = i == 0 ? 0 : pmpaddr[i - 1] << 2;
    } else {
      // The trailing ones of a NAPOT address say how large it is; NA4 is 4 bytes.
      const uint64_t mask = mode == 2 ? 3 : ((pmpaddr[i] ^ (pmpaddr[i] + 1)) << 2) | 3;
      first = (pmpaddr[i] << 2) & ~mask;
      end = first + mask + 1;
    }
    if (end <= first) continue;
    if (page + kPageBytes <= first || page >= end) continue;
    if (page < first || page + kPageBytes > end) whole = false;
    if (physical + bytes <= first || physical >= end) continue;
    // An access that is only partly in the region fails.
    if (physical < first || physical + bytes > end) return 0;
    const bool enforced = as != kMachine || (pmpcfg[i] & 0x80) != 0;
    if (enforced && (pmpcfg[i] & wanted) == 0) return 0;
    return whole ? 2 : 1;
  }
  if (as != kMachine) return 0;
  return whole ? 2 : 1;
}

bool Core::walk_step(uint64_t entry, int level, Access access, uint8_t as, uint64_t address,
                     uint64_t &physical, uint64_t &table, bool &done) {
  const uint64_t page_number = entry >> 10 & 0xfff'ffff'ffff;
  const bool too_large = page_number * kPageBytes >> dram.address_bits != 0;
  done = true;
  this->cause = page_fault(access);
  if ((entry & kValid) == 0) return false;
  if ((entry & (kRead | kWrite | kExecute)) == 0) {
    if (too_large) this->cause = access_fault(access);
    if (too_large || level == 0) return false;
    table = page_number * kPageBytes;
    done = false;
    return true;
  }
  const uint64_t mask = (uint64_t{1} << (9 * level)) - 1;  // of the page number, from the address
  if ((page_number & mask) != 0) return false;
  if (too_large) {
    this->cause = access_fault(access);
    return false;
  }
  if ((entry & (kRead | kWrite)) == kWrite) return false;
  if (!leaf_allows(entry, access, as, mstatus)) return false;
  physical = (page_number | (address >> 12 & mask)) * kPageBytes | (address & (kPageBytes - 1));
  return true;
}

bool Core::read_entry(uint64_t at, Access access, uint64_t &value) {
  this->cause = access_fault(access);
  if (pmp_check(at, kPteBytes, Access::kLoad, kSupervisor) == 0) return false;
  if (const uint8_t *entry = dram_at(at, kPteBytes)) {
    value = *reinterpret_cast<const uint64_t *>(entry);
    return true;
  }
  if (!mmio.has_tables(at) || !device_read(at, kPteBytes, value)) return false;
  if (held) this->cause = cause::kHeld;
  return !held;
}

bool Core::walk(uint64_t address, Access access, uint8_t as, uint64_t &physical) {
  this->cause = page_fault(access);
  if (static_cast<int64_t>(address << 25) >> 25 != static_cast<int64_t>(address)) return false;
  uint64_t table = (satp & 0xfff'ffff'ffff) * kPageBytes;
  for (int level = 2; level >= 0; --level) {
    const uint64_t at = table + (address >> (12 + 9 * level) & 511) * kPteBytes;
    uint64_t value = 0;
    if (!read_entry(at, access, value)) return false;
    bool done = false;
    if (!walk_step(value, level, access, as, address, physical, table, done)) return false;
    if (done) return true;
  }
  return false;
}

bool Core::translate(uint64_t address, uint32_t bytes, Access access, uint64_t &physical,
                     bool &whole_page) {
  const uint8_t as = access == Access::kFetch ? privilege : data_privilege();
  physical = address;
  this->tval = address;
  if (as != kMachine && satp >> 63 != 0) {
    if (!walk(address, access, as, physical)) return false;
  }
  const int allowed = pmp_check(physical, bytes, access, as);
  if (allowed == 0) {
    this->cause = access_fault(access);
    return false;
  }
  whole_page = allowed == 2;
  return true;
}

void Core::flush_tlbs() {
  for (Tlb &each : tlbs_) {
    each.load.fill({});
    each.store.fill({});
  }
  fetch_tlb_.fill({});
  code_tlb.fill({});
  executed_pages_.clear();
  new_epoch();
}

void Core::flush_tlb_page(uint64_t address) {
  const uint64_t page = address & ~(kPageBytes - 1);
  const size_t index = page / kPageBytes % kTlbEntries;
  for (Tlb &each : tlbs_) {
    each.load[index] = {};
    each.store[index] = {};
  }
  FetchEntry &entry = fetch_tlb_[page / kPageBytes % kFetchEntries];
  code_tlb[page / kPageBytes % kCodeEntries] = {};
  // Blocks of a page that was fetched from are linked without looking at translations again.
  entry = {};
  if (executed_pages_.erase(page) != 0) new_epoch();
}

void Core::flush_stores_to(uint64_t dram_page) {
  const uint64_t first = reinterpret_cast<uint64_t>(dram.data) + dram_page * kPageBytes;
  for (Tlb &each : tlbs_) {
    for (TlbEntry &entry : each.store) {
      if ((entry.tag & 1) == 0 && entry.tag + entry.addend == first) entry = {};
    }
  }
}

void Core::new_epoch() {
  ++epoch_;
  update_context();
}

void Core::update_context() {
  tag = epoch_ << 3 | (floats_on() ? kFloatTag : 0) | privilege;
  const uint8_t as = data_privilege();
  if ((mstatus & status::kMxr) != 0 && as != kMachine) {
    const uint64_t context = as | (mstatus & status::kSum);
    if (context != mxr_context_) {
      mxr_context_ = context;
      tlbs_[4].load.fill({});
      tlbs_[4].store.fill({});
    }
    tlb = &tlbs_[4];
    return;
  }
  const bool sum = (mstatus & status::kSum) != 0;
  tlb = &tlbs_[as == kMachine ? 3 : as == kUser ? 0 : sum ? 2 : 1];
}

}  // namespace firesim::functional
