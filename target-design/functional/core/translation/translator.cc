// SPDX-License-Identifier: BSD-3-Clause
// From a block to code in memory, and entering that code from the interpreter.
#include "translator.h"

#include <algorithm>

#include "functional/core/core.h"

namespace firesim::functional {
namespace {

template <typename T>
int32_t apart(const T &member, const Core &core) {
  return static_cast<int32_t>(reinterpret_cast<const char *>(&member) -
                              reinterpret_cast<const char *>(&core.x[16]));
}

// Makes an address of an offset in what lies at `begin`.
void locate(const void *&place, const std::byte *begin) {
  place = begin + reinterpret_cast<uintptr_t>(place);
}

}  // namespace

Layout::Layout(const Core &core)
    : core(apart(core, core)),
      frame(apart(core.frame, core)),
      slots_left(apart(core.slots_left, core)),
      code_entries(apart(core.code_tlb, core)),
      floats(apart(core.f, core)),
      rounding(apart(core.frm, core)) {}

Translator::Translator(size_t bytes)
    : memory_(std::min(bytes, kMostBytes) / CodeMemory::kLargestPiece * CodeMemory::kLargestPiece) {
}
Translator::~Translator() = default;

void Translator::begin(const Core &core) {
  begun_ = true;
  if (!memory_.open()) return;
  emitter_ = Emitter::make(Layout(core));
  if (emitter_ == nullptr) return;
  const auto piece = memory_.add(emitter_->common(common_));
  for (const void **place : {&common_.enter, &common_.leave, &common_.leave_by_link,
                             &common_.call_helper, &common_.call_memory, &common_.look_up}) {
    locate(*place, memory_.runnable(*piece));
  }
  kept_bytes_ = memory_.used_bytes();
}

void Translator::enter_by(Core &core) const {
  core.frame = common_;
  core.frame.jumps = core.jump_cache.get();
}

bool Translator::translate(Core &core, Block &block, std::vector<CodeMemory::Piece> *pieces) {
  const std::lock_guard lock(memory_.mutex());
  if (!begun_) begin(core);
  if (emitter_ == nullptr) return false;
  if (core.frame.enter == nullptr) enter_by(core);
  if (block.code != nullptr) return true;
  const Emitter::Made made = emitter_->block(block, block.page != nullptr);
  const auto piece = memory_.add(made.code);
  if (!piece) return false;
  const std::byte *begin = memory_.runnable(*piece);
  auto *slots = reinterpret_cast<Slot *>(memory_.writable(*piece));
  for (uint32_t i = 0; i < made.slots; ++i) locate(slots[i].code, begin);
  if (pieces != nullptr) pieces->push_back(*piece);
  __atomic_store_n(&block.code, begin + made.entry, __ATOMIC_RELEASE);
  return true;
}

void Translator::release(const std::vector<CodeMemory::Piece> &pieces) {
  const std::lock_guard lock(memory_.mutex());
  for (const CodeMemory::Piece &piece : pieces) memory_.give_back(piece);
}

void Translator::forget() {
  const std::lock_guard lock(memory_.mutex());
  memory_.forget(kept_bytes_);
}

void Translator::link(Slot &slot, const Block &to, uint64_t tag) {
  Slot *written = memory_.writable(&slot);
  __atomic_store_n(&written->tag, tag, __ATOMIC_RELAXED);
  __atomic_store_n(&written->code, __atomic_load_n(&to.code, __ATOMIC_ACQUIRE), __ATOMIC_RELEASE);
}

}  // namespace firesim::functional
