// SPDX-License-Identifier: BSD-3-Clause
// Who may reach which memory; see regions.h.
#include "parts/rdma/functional/regions.h"

namespace firesim::functional::rdma {

bool Regions::has(uint32_t key, uint16_t domain) const {
  const Region &region = regions_[number(key)];
  return key >> 14 == 0 && region.valid && region.variant() == (key & 0xff) &&
         region.domain() == domain;
}

void Regions::invalidate(uint32_t key, uint16_t domain) {
  if (has(key, domain)) clear(number(key));
}

std::optional<uint64_t> Regions::find(const Access &access) const {
  constexpr uint64_t kAddressMask = 0xffff'ffff'ffff;
  if (access.privileged && access.key == 0) return access.address & kAddressMask;
  const Region &region = regions_[number(access.key)];
  const uint64_t offset = access.address - region.begin();
  const bool inside = access.address >= region.begin() && offset <= region.bytes() &&
                      access.bytes <= region.bytes() - offset;
  const bool allowed = (access.rights & ~region.access()) == 0;
  if (access.bytes != 0 && !(has(access.key, access.domain) && inside && allowed)) {
    return std::nullopt;
  }
  return (region.physical() + offset) & kAddressMask;
}

}  // namespace firesim::functional::rdma
