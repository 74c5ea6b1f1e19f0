// SPDX-License-Identifier: BSD-3-Clause
// Pages of decoded code by their content; see code_store.h.
#include "code_store.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "sim/core/check.h"

namespace firesim::functional {
namespace {

constexpr size_t kHostShare = 32;  // of the host's memory, shared code takes one such part at most
constexpr size_t kHugePageBytes = 2 << 20;
constexpr size_t kMostBytes = size_t{16} << 30;  // that a page's steps reach over

uint64_t hash_of(const uint8_t *content) {
  return std::hash<std::string_view>{}({reinterpret_cast<const char *>(content), kPageBytes});
}

}  // namespace

// A reservation, on huge pages where the host has them: what is used lies close together. Without
// it nothing is shared.
CodeStore::CodeStore(size_t bytes)
    : reserved_(bytes == 0 ? 0 : std::min(bytes, kMostBytes) + kHugePageBytes),
      translator_(bytes / 2) {
  if (reserved_ == 0) return;
  void *place = ::mmap(nullptr, reserved_, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) return;
  ::madvise(place, reserved_, MADV_HUGEPAGE);
  memory_ = static_cast<std::byte *>(place);
  used_ = -reinterpret_cast<uintptr_t>(place) % kHugePageBytes;  // where a huge page may begin
  end_ = used_ + reserved_ - kHugePageBytes;
}

CodeStore::~CodeStore() {
  for (const auto &[hash, page] : pages_) page->~CodePage();
  if (memory_ != nullptr) ::munmap(memory_, reserved_);
}

CodeStore &CodeStore::common() {
  // Never destroyed: when a process exits at once, threads may still run what is in it.
  static auto &store = *new CodeStore(static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) / kHostShare *
                                      static_cast<size_t>(sysconf(_SC_PAGESIZE)));
  return store;
}

std::byte *CodeStore::take(size_t pieces, std::vector<std::byte *> &free) {
  if (!free.empty()) {
    std::byte *place = free.back();
    free.pop_back();
    return place;
  }
  if (used_ + pieces * kPieceBytes > end_) return nullptr;
  return memory_ + std::exchange(used_, used_ + pieces * kPieceBytes);
}

CodePage *CodeStore::acquire(const uint8_t *content) {
  const uint64_t hash = hash_of(content);
  const std::lock_guard lock(mutex_);
  const auto [first, end] = pages_.equal_range(hash);
  for (auto entry = first; entry != end; ++entry) {
    CodePage &page = *entry->second;
    if (std::memcmp(page.content_.data(), content, kPageBytes) != 0) continue;
    ++page.holders_;
    return &page;
  }
  std::byte *place = take(kPagePieces, free_pages_);
  if (place == nullptr) return nullptr;
  auto *made = new (place) CodePage;
  std::memcpy(made->content_.data(), content, kPageBytes);
  made->free_ = place + (sizeof(CodePage) + 15) / 16 * 16;
  made->free_bytes_ = static_cast<size_t>(place + kLeastBytes - made->free_);
  made->hash_ = hash;
  made->holders_ = 1;
  pages_.emplace(hash, made);
  return made;
}

void CodeStore::release(CodePage &page) {
  const std::lock_guard lock(mutex_);
  FIRESIM_CHECK(page.holders_ > 0, "a page of code is released as often as it was acquired");
  if (--page.holders_ > 0) return;
  const auto [first, end] = pages_.equal_range(page.hash_);
  pages_.erase(std::find_if(first, end, [&](const auto &one) { return one.second == &page; }));
  translator_.release(page.translated_);
  free_pieces_.insert(free_pieces_.end(), page.pieces_.begin(), page.pieces_.end());
  page.~CodePage();
  free_pages_.push_back(reinterpret_cast<std::byte *>(&page));
}

Block *CodeStore::add(CodePage &page, uint64_t offset, const Block &block, uint32_t ops) {
  static_assert(block_bytes(sizeof(Block), kMaxOps) <= kPieceBytes);
  const size_t bytes = block_bytes(sizeof(Block), ops);
  const std::lock_guard lock(mutex_);
  if (Block *present = page.find(offset)) return present;
  if (page.free_bytes_ < bytes) {
    std::byte *piece = take(1, free_pieces_);
    if (piece == nullptr) return nullptr;
    page.pieces_.push_back(piece);
    page.free_ = piece;
    page.free_bytes_ = kPieceBytes;
  }
  std::byte *place = page.free_;
  page.free_ += bytes;
  page.free_bytes_ -= bytes;
  auto *made = new (place) Block(block);
  copy_ops(block, ops, *made, place + sizeof(Block));
  made->page = &page;
  made->cached = true;
  const int64_t steps = (place - reinterpret_cast<std::byte *>(&page)) / CodePage::kStepBytes;
  page.blocks_[offset / 2].store(static_cast<int32_t>(steps), std::memory_order_release);
  return made;
}

bool CodeStore::translate(Core &core, Block &block) {
  return translator_.translate(core, block, &block.page->translated_);
}

}  // namespace firesim::functional
