// SPDX-License-Identifier: BSD-3-Clause
// Parcels stored since the last fence.i; see fence_check.h.
#include "fence_check.h"

namespace firesim::functional {

void FenceCheck::stored(uint64_t offset, uint64_t bytes) {
  if (bytes == 0) return;
  const uint64_t last = (offset + bytes - 1) / kParcelBytes;
  for (auto &pages : stored_) {
    Page *page = nullptr;
    for (uint64_t parcel = offset / kParcelBytes; parcel <= last; ++parcel) {
      if (page == nullptr || parcel % page->size() == 0) {
        page = &pages[parcel / Page().size()];
      }
      page->set(parcel % page->size());
    }
  }
}

bool FenceCheck::is_stale(uint32_t hart, uint64_t offset) const {
  const auto page = stored_[hart].find(offset / kPageBytes);
  return page != stored_[hart].end() && page->second.test(offset % kPageBytes / kParcelBytes);
}

void FenceCheck::forget() {
  for (auto &pages : stored_) pages.clear();
}

}  // namespace firesim::functional
