// SPDX-License-Identifier: BSD-3-Clause
// Decoded code and reservations of all harts of a blade.
#include "shared_state.h"

#include <algorithm>

#include "code_store.h"
#include "core.h"

namespace firesim::functional {
namespace {

// A page that has changed so often while it was shared has data beside its code, which change it
// on.
constexpr uint32_t kMostChanges = 8;

// The bits of the lines of a page that [offset, offset + bytes) touches, which lies in one page.
uint64_t line_mask(uint64_t offset, uint64_t bytes) {
  const uint64_t first = offset % kPageBytes / kLineBytes;
  const uint64_t last = (offset + bytes - 1) % kPageBytes / kLineBytes;
  return (~uint64_t{0} << first) & (~uint64_t{0} >> (63 - last));
}

}  // namespace

SharedState::SharedState(const Dram &dram, size_t code_bytes, CodeStore *store)
    : dram_(dram),
      code_bytes_(code_bytes),
      store_(store),
      code_lines_(untouched<uint64_t>(dram.size_bytes / kPageBytes)) {}

SharedState::~SharedState() { let_all_go(); }

CodePage *SharedState::code_page(uint64_t dram_page) {
  if (store_ == nullptr || fence_check_ != nullptr) return nullptr;
  SharedPage &page = shared_pages_[dram_page];
  if (page.code != nullptr || page.changes == kMostChanges) return page.code;
  page.code = store_->acquire(dram_.data + dram_page * kPageBytes);
  if (page.code != nullptr) {
    note_code(dram_page * kPageBytes, kPageBytes);
  } else {
    page.changes = kMostChanges;  // there is no room
  }
  return page.code;
}

bool SharedState::let_go(uint64_t dram_page) {
  const auto page = shared_pages_.find(dram_page);
  if (page == shared_pages_.end() || page->second.code == nullptr) return false;
  changed_.push_back(page->second.code);  // the hart that changes it may be in it
  page->second.code = nullptr;
  ++page->second.changes;
  return true;
}

void SharedState::let_all_go() {
  for (const auto &[number, page] : shared_pages_) {
    if (page.code != nullptr) store_->release(*page.code);
  }
  shared_pages_.clear();
  release_changed();
}

void SharedState::release_changed() {
  for (CodePage *page : changed_) store_->release(*page);
  changed_.clear();
}

void SharedState::add(Core &core) { cores_.push_back(&core); }

void SharedState::remove(Core &core) {
  cores_.erase(std::remove(cores_.begin(), cores_.end(), &core), cores_.end());
}

void SharedState::note_code(uint64_t offset, uint64_t bytes) {
  const uint64_t page = offset / kPageBytes;
  if (code_lines_[page] == 0) {
    for (Core *core : cores_) core->flush_stores_to(page);
  }
  code_lines_[page] |= line_mask(offset, bytes);
}

bool SharedState::page_is_watched(uint64_t offset, const Core &self) const {
  const uint64_t page = offset / kPageBytes;
  if (code_lines_[page] != 0 || fence_check_ != nullptr) return true;
  if (cores_.size() == 1) return false;
  return std::any_of(cores_.begin(), cores_.end(), [&](const Core *core) {
    return core != &self && core->reservation_valid &&
           (core->reservation - dram_.base) / kPageBytes == page;
  });
}

bool SharedState::written(uint64_t offset, uint64_t bytes, const Core *writer) {
  if (fence_check_ != nullptr) fence_check_->stored(offset, bytes);
  if (l1_ != nullptr && writer == nullptr) l1_->written_by_device(offset, bytes);
  bool dropped = false;
  const uint64_t end = offset + bytes;
  for (uint64_t begin = offset; begin < end;) {
    const uint64_t page = begin / kPageBytes;
    const uint64_t stop = std::min(end, (page + 1) * kPageBytes);
    if ((code_lines_[page] & line_mask(begin, stop - begin)) != 0) {
      code_lines_[page] = 0;
      dropped = true;
      const bool was_shared = let_go(page);
      for (Core *core : cores_) core->drop_code_page(page, was_shared);
    }
    begin = stop;
  }
  for (Core *core : cores_) {
    const uint64_t line = (core->reservation - dram_.base) & ~(kLineBytes - 1);
    if (core != writer && core->reservation_valid && line < end && offset < line + kLineBytes) {
      core->reservation_valid = false;
    }
  }
  return dropped;
}

void SharedState::forget_code() {
  if (fence_check_ != nullptr) fence_check_->forget();
  // A page that has none is not touched, so that it takes no memory.
  for (uint64_t page = 0; page < dram_.size_bytes / kPageBytes; ++page) {
    if (code_lines_[page] != 0) code_lines_[page] = 0;
  }
  let_all_go();
  for (Core *core : cores_) core->drop_code();
}

void SharedState::drop_reserved_pages(Core &self) const {
  for (const Core *core : cores_) {
    if (core != &self && core->reservation_valid) {
      self.flush_stores_to((core->reservation - dram_.base) / kPageBytes);
    }
  }
}

}  // namespace firesim::functional
