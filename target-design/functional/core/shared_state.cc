// SPDX-License-Identifier: BSD-3-Clause
// Decoded code and reservations of all harts of a blade.
#include "shared_state.h"

#include <algorithm>

#include "core.h"

namespace firesim::functional {
namespace {

// The bits of the lines of a page that [offset, offset + bytes) touches, which lies in one page.
uint64_t line_mask(uint64_t offset, uint64_t bytes) {
  const uint64_t first = offset % kPageBytes / kLineBytes;
  const uint64_t last = (offset + bytes - 1) % kPageBytes / kLineBytes;
  return (~uint64_t{0} << first) & (~uint64_t{0} >> (63 - last));
}

}  // namespace

SharedState::SharedState(const Dram &dram, size_t code_bytes)
    : dram_(dram), code_bytes_(code_bytes), code_lines_(dram.size_bytes / kPageBytes) {}

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
      for (Core *core : cores_) core->drop_code_page(page);
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
  std::fill(code_lines_.begin(), code_lines_.end(), 0);
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
