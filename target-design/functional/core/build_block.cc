// SPDX-License-Identifier: BSD-3-Clause
// From an address to a block: fetch, lookup in the cache, decoding.
#include <algorithm>
#include <cstring>

#include "block_builder.h"
#include "code_store.h"
#include "core.h"
#include "translation/translator.h"

namespace firesim::functional {
namespace {

// Rocket's program counter has 40 bits: bit 39 tells a good address from a bad one.
uint64_t canonical_pc(uint64_t at) {
  const int64_t upper = static_cast<int64_t>(at) >> 39;
  const bool good = upper == 0 || upper == -1;
  const uint64_t top = good ? at >> 39 & 1 : ~at >> 38 & 1;
  const uint64_t value = (at & ((uint64_t{1} << 39) - 1)) | top << 39;
  return static_cast<uint64_t>(static_cast<int64_t>(value << 24) >> 24);
}

bool executable_device(uint64_t physical) { return physical - kBootRomBase < kBootRomBytes; }

bool crosses_page(uint64_t at) { return at % kPageBytes == kPageBytes - 2; }

}  // namespace

bool Core::fetch(uint64_t at, uint64_t &physical, bool &whole_page) {
  const uint64_t wanted = (at & ~(kPageBytes - 1)) | privilege;
  FetchEntry &entry = fetch_tlb_[at / kPageBytes % kFetchEntries];
  if (entry.tag == wanted) {
    physical = entry.physical | (at & (kPageBytes - 1));
    whole_page = true;
    return true;
  }
  if (!translate(at, 2, Access::kFetch, physical, whole_page)) return false;
  if (dram_at(physical, 2) == nullptr && !executable_device(physical)) {
    this->cause = cause::kFetchAccess;
    return false;
  }
  if (whole_page && dram_at(physical, 2) != nullptr) {
    entry = {wanted, physical & ~(kPageBytes - 1)};
    executed_pages_.insert(at & ~(kPageBytes - 1));
  }
  return true;
}

inline bool Core::read_code(uint64_t physical, uint16_t &half) const {
  if (physical - dram.base < dram.size_bytes) [[likely]] {  // whole pages, and code is even
    std::memcpy(&half, dram.data + (physical - dram.base), sizeof half);
    return true;
  }
  uint64_t value = 0;
  if (!executable_device(physical) || !mmio.read(physical, 2, cycle_now(), value)) return false;
  half = static_cast<uint16_t>(value);
  return true;
}

uint32_t Core::instruction_at(uint64_t at) {
  uint64_t physical = 0;
  bool whole_page = false;
  uint16_t low = 0, high = 0;
  if (!fetch(at, physical, whole_page) || !read_code(physical, low)) return 0;
  if ((low & 3) != 3) return low;
  if (!fetch(at + 2, physical, whole_page) || !read_code(physical, high)) return 0;
  return low | uint32_t{high} << 16;
}

bool Core::is_stale(uint64_t physical, uint64_t second) const {
  const FenceCheck *check = shared.fence_check();
  if (check == nullptr || dram_at(physical, 2) == nullptr) return false;
  if (check->is_stale(id, physical - dram.base)) return true;
  uint16_t low = 0;
  if (!read_code(physical, low) || (low & 3) != 3) return false;
  const uint64_t high = second != 0 ? second : physical + 2;
  return dram_at(high, 2) != nullptr && check->is_stale(id, high - dram.base);
}

uint32_t Core::decode_block(uint64_t physical, uint64_t second, int64_t limit) {
  BlockBuilder builder(scratch_ops_, scratch_offsets_, loop(), physical);
  uint32_t bytes = 0;
  while (!builder.ended() && builder.instructions() < limit) {
    uint16_t low = 0, high = 0;
    const uint64_t place = physical + bytes;
    if (bytes != 0 && ((place ^ physical) >= kPageBytes || is_stale(place, 0))) break;
    if (!read_code(place, low)) break;
    if ((low & 3) == 3) {
      const bool spans = crosses_page(place);
      if (spans && bytes != 0) break;
      if (!read_code(spans ? second : place + 2, high)) break;
    }
    const Decoded d = decode(low | uint32_t{high} << 16);
    if (!builder.add(d, bytes)) break;
    bytes += d.bytes;
    if (second != 0) break;
  }
  scratch_ = {.ops = scratch_ops_.data(),
              .offsets = scratch_offsets_.data(),
              .page = nullptr,
              .instructions = builder.instructions(),
              .bytes = bytes,
              .cached = false,
              .heat = kNeverTranslated,
              .code = nullptr,
              .physical = physical,
              .second_page = second & ~(kPageBytes - 1)};
  return builder.finish(bytes);
}

Block *Core::build(const CodePlace &place, uint64_t second, int64_t limit, bool cacheable) {
  const uint32_t ops = decode_block(place.physical, second, limit);
  // A single instruction cannot store to what is decoded after it.
  if (limit == 1 && !cacheable) return &scratch_;
  const uint64_t offset = place.physical - dram.base;
  shared.note_code(offset, second != 0 ? 2 : scratch_.bytes);
  if (second != 0) shared.note_code(second - dram.base, 2);
  if (!cacheable) return &scratch_;
  const bool translates = loop() == Loop::kPlain && observer == nullptr && second == 0;
  if (translates && shared.store() == nullptr) scratch_.heat = shared.translate_after();
  if (!blocks_.has_room(ops)) drop_code();  // links and jump entries into it as well
  return blocks_.add(scratch_, ops, place, offset / kPageBytes);
}

// An observed hart, one whose flow is told, and one whose caches are followed have code of their
// own form.
Block *Core::find_shared(uint64_t at, uint64_t physical, int64_t slots) {
  if (loop() != Loop::kPlain || observer != nullptr) return nullptr;
  const uint64_t offset = physical - dram.base;
  CodePage *page = shared.code_page(offset / kPageBytes);
  if (page == nullptr) return nullptr;
  Block *found = page->find(offset % kPageBytes);
  if (found == nullptr) {
    if (slots < kMaxInstructions) return nullptr;
    const uint32_t ops = decode_block(physical, 0, kMaxInstructions);
    scratch_.heat = shared.translate_after();
    found = shared.store()->add(*page, offset % kPageBytes, scratch_, ops);
    if (found == nullptr) return nullptr;
  }
  code_tlb[at / kPageBytes % kCodeEntries] = {(at & ~(kPageBytes - 1)) | privilege, page};
  return found->instructions <= slots ? found : shorten(*found, static_cast<uint32_t>(slots));
}

// The first `instructions` of a cached block, which has more.
Block *Core::shorten(const Block &whole, uint32_t instructions) {
  BlockBuilder builder(scratch_ops_, scratch_offsets_, loop(), whole.physical);
  scratch_ = {.ops = scratch_ops_.data(),
              .offsets = scratch_offsets_.data(),
              .page = nullptr,
              .instructions = instructions,
              .bytes = builder.copy(whole, instructions),
              .cached = false,
              .heat = kNeverTranslated,
              .code = nullptr,
              .physical = whole.physical,
              .second_page = whole.second_page};
  return &scratch_;
}

bool Core::fetch_second_half(uint64_t at, uint64_t &physical) {
  bool whole_page = false;
  if (fetch(at + 2, physical, whole_page)) return true;
  take_trap(at, this->cause, at + 2);
  return false;
}

Block *Core::find_block(uint64_t at, int64_t slots) {
  at = canonical_pc(at);
  uint64_t physical = 0, second = 0;
  bool whole_page = false;
  uint16_t low = 0;
  if (!fetch(at, physical, whole_page)) {
    take_trap(at, this->cause, at);
    return nullptr;
  }
  if (!read_code(physical, low)) {
    take_trap(at, cause::kFetchAccess, at);
    return nullptr;
  }
  const bool spans = (low & 3) == 3 && crosses_page(physical);
  // Where rights differ within a page, the second half of an instruction is looked at as well.
  if ((low & 3) == 3 && (spans || !whole_page)) {
    if (!fetch_second_half(at, second)) return nullptr;
    if (!spans) second = 0;
  }
  if (is_stale(physical, second)) [[unlikely]] {
    shared.fence_check()->note({id, at, cycle_now()});
    stop_requested = true;
    pc = at;
    return nullptr;
  }
  const bool in_dram = dram_at(physical, 2) != nullptr && (!spans || dram_at(second, 2) != nullptr);
  const CodePlace place{at, physical, second & ~(kPageBytes - 1)};
  if (!whole_page || !in_dram) return build(place, second, 1, false);
  if (Block *shared_one = spans ? nullptr : find_shared(at, physical, slots)) return shared_one;
  if (Block *found = blocks_.find(place)) {
    return found->instructions <= slots ? found : shorten(*found, static_cast<uint32_t>(slots));
  }
  // An observed hart runs its instructions one by one: longer blocks would be shortened each time.
  const int64_t most = observer == nullptr ? kMaxInstructions : 1;
  const bool whole = slots >= most;
  return build(place, second, whole ? most : slots, whole);
}

void Core::drop_code() {
  // Within the loop, the tag of before is valid still.
  if (!blocks_.empty()) std::fill_n(jump_cache.get(), kJumpEntries, JumpEntry{});
  blocks_.reset();
  if (translator_ != nullptr) translator_->forget();
  code_tlb.fill({});
  new_epoch();
}

void Core::drop_code_page(uint64_t dram_page, bool was_shared) {
  if (!blocks_.drop_page(dram_page) && !was_shared) return;
  leave_requested = true;
  if (was_shared) code_tlb.fill({});
  new_epoch();
}

}  // namespace firesim::functional
