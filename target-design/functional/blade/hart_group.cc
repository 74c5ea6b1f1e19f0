// SPDX-License-Identifier: BSD-3-Clause
// Harts: making, saving and loading them; see hart_group.h.
#include "functional/blade/hart_group.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "core/state.h"
#include "functional/core/code_store.h"
#include "functional/core/state_check.h"

namespace firesim::functional {
namespace {

constexpr const char *kCalls = "calls", *kCaches = "l1_caches";

uint32_t load_power(StateReader &state, uint32_t most) {
  const auto value = static_cast<uint32_t>(state.u64(most));
  if (!std::has_single_bit(value))
    state.fail(fmt::format("found a cache of {} sets or ways", value));
  return value;
}

CacheShape load_shape(StateReader &state) {
  const uint32_t sets = load_power(state, kMostCacheSets);
  return {sets, load_power(state, kMostCacheWays)};
}

void save_lines(StateWriter &state, const LineStore &lines) {
  state.u64s(lines.entries());
  state.u64(lines.random());
}

void load_lines(StateReader &state, LineStore &lines, uint64_t memory_bytes) {
  std::vector<uint64_t> entries = state.u64s(lines.entries().size());
  const uint64_t random = state.u64();
  const auto wrong = lines.restore(std::move(entries), random, memory_bytes / kLineBytes);
  if (wrong) state.fail(*wrong);
}

// The values of a state that are 64 bits wide, in the order in which they are saved.
template <typename State, typename Visit>
void each_word(State &state, Visit visit) {
  visit(state.cycle);
  visit(state.pc);
  for (auto &value : state.x) visit(value);
  for (auto &value : state.f) visit(value);
  visit(state.reservation_address);
  for (auto *value :
       {&state.mstatus,         &state.medeleg,  &state.mideleg,    &state.mie,    &state.mip,
        &state.mtvec,           &state.mscratch, &state.mepc,       &state.mcause, &state.mtval,
        &state.mcounteren,      &state.stvec,    &state.sscratch,   &state.sepc,   &state.scause,
        &state.stval,           &state.satp,     &state.scounteren, &state.mcycle, &state.minstret,
        &state.interrupt_lines, &state.tdata1,   &state.tdata2,     &state.chicken}) {
    visit(*value);
  }
  for (auto &value : state.pmpaddr) visit(value);
}

}  // namespace

void save_hart(StateWriter &writer, const ArchitecturalState &state) {
  writer.section("hart", 1);
  each_word(state, [&](const uint64_t &value) { writer.u64(value); });
  writer.u64(state.fcsr);
  writer.u64(state.privilege);
  writer.boolean(state.waiting);
  writer.boolean(state.reservation_valid);
  writer.bytes(state.pmpcfg);
}

ArchitecturalState load_hart(StateReader &reader, HartFeatures features) {
  ArchitecturalState state;
  reader.section("hart", 1);
  each_word(state, [&](uint64_t &value) { value = reader.u64(); });
  state.fcsr = static_cast<uint32_t>(reader.u64(0xff));
  state.privilege = static_cast<uint8_t>(reader.u64(3));
  state.waiting = reader.boolean();
  state.reservation_valid = reader.boolean();
  reader.bytes_into(state.pmpcfg.data(), state.pmpcfg.size());
  if (const auto wrong = impossible(state, features)) reader.fail(*wrong);
  return state;
}

HartGroup::HartGroup(uint32_t harts, uint32_t cycles_per_instruction, uint64_t first_cycle,
                     HartFeatures features)
    : cycles_per_instruction_(cycles_per_instruction),
      first_cycle_(first_cycle),
      features_(features),
      cycles_(harts, first_cycle) {}

void HartGroup::make(const Dram &dram, Mmio &mmio, size_t code_bytes, bool shares_code,
                     bool checks_fences, int32_t translate_after) {
  harts_.clear();
  shared_ =
      std::make_unique<SharedState>(dram, code_bytes, shares_code ? &CodeStore::common() : nullptr);
  shared_->set_translate_after(translate_after);
  if (checks_fences) shared_->check_fences(size());
  for (uint32_t i = 0; i < size(); ++i) {
    harts_.push_back(
        std::make_unique<Hart>(i, dram, mmio, cycles_per_instruction_, *shared_, features_));
    ArchitecturalState state;
    state.cycle = cycles_[i];
    harts_.back()->set_state(state);
  }
}

void HartGroup::observe(uint32_t hart, RetireObserver &observer, bool is_told) {
  while (observers_.size() < size()) observers_.push_back(std::make_unique<Observers>());
  observers_[hart]->set(observer, is_told);
  harts_[hart]->set_observer(observers_[hart]->whom());
}

void HartGroup::keep_calls() {
  while (calls_.size() < size()) calls_.push_back(std::make_unique<CallPath>());
  for (uint32_t i = 0; i < size(); ++i) observe(i, *calls_[i], true);
}

std::vector<std::vector<devices::CallFrame>> HartGroup::calls() const {
  std::vector<std::vector<devices::CallFrame>> found;
  for (const auto &path : calls_) found.push_back(path->frames());
  return found;
}

void HartGroup::save_calls(StateWriter &state) const {
  if (calls_.empty()) return;
  state.section(kCalls, 1);
  state.u64(size());
  for (const auto &path : calls_) path->save(state);
}

void HartGroup::load_calls(StateReader &state) {
  if (!state.next_section_is(kCalls)) return;
  state.section(kCalls, 1);
  state.expect("the number of harts", size());
  keep_calls();
  for (const auto &path : calls_) path->load(state);
}

void HartGroup::follow_l1(L1Shape shape) {
  shared_->follow_l1(size(), shape);
  for (uint32_t i = 0; i < size(); ++i) harts_[i]->set_l1(&(*shared_->l1())[i]);
}

void HartGroup::save_l1(StateWriter &state) const {
  L1Group *all = shared_->l1();
  if (all == nullptr) return;
  state.section(kCaches, 1);
  for (const CacheShape &cache : {all->shape().instructions, all->shape().data}) {
    state.u64(cache.sets);
    state.u64(cache.ways);
  }
  for (uint32_t i = 0; i < size(); ++i) {
    save_lines(state, (*all)[i].instructions());
    save_lines(state, (*all)[i].data());
  }
}

void HartGroup::load_l1(StateReader &state, uint64_t memory_bytes, bool may_follow) {
  if (!state.next_section_is(kCaches)) return;
  state.section(kCaches, 1);
  const CacheShape instructions = load_shape(state);
  const L1Shape shape{instructions, load_shape(state)};
  std::unique_ptr<L1Group> skipped;
  L1Group *all = nullptr;
  if (may_follow) {
    follow_l1(shape);
    all = shared_->l1();
  } else {
    skipped = std::make_unique<L1Group>(size(), shape);
    all = skipped.get();
  }
  for (uint32_t i = 0; i < size(); ++i) {
    load_lines(state, (*all)[i].instructions(), memory_bytes);
    load_lines(state, (*all)[i].data(), memory_bytes);
  }
}

bool HartGroup::all_wait() const {
  return std::all_of(harts_.begin(), harts_.end(),
                     [](const std::unique_ptr<Hart> &hart) { return hart->waiting(); });
}

void HartGroup::save(StateWriter &state) const {
  state.section("harts", 1);
  state.u64(size());
  state.u64s(cycles_);
  state.u64(busy_cycles_);
  for (const auto &hart : harts_) save_hart(state, hart->state());
}

void HartGroup::load(StateReader &state, uint64_t cycle) {
  state.section("harts", 1);
  state.expect("the number of harts", size());
  const std::vector<uint64_t> cycles = state.u64s(size());
  if (cycles.size() != cycles_.size()) state.fail("the harts' cycles are not all there");
  // The last instruction may reach beyond the cycle, and in reset a hart is ahead of it.
  const uint64_t most = std::max(cycle, first_cycle_) + cycles_per_instruction_;
  for (const uint64_t reached : cycles) {
    if (reached > most)
      state.fail(fmt::format("found a hart in cycle {}, expected at most {}", reached, most));
  }
  cycles_ = cycles;
  busy_cycles_ = state.u64();
  for (uint32_t i = 0; i < size(); ++i) {
    const ArchitecturalState hart = load_hart(state, features_);
    if (hart.cycle > cycles_[i]) {
      state.fail(
          fmt::format("found a hart in cycle {}, expected at most {}", hart.cycle, cycles_[i]));
    }
    harts_[i]->set_state(hart);
  }
}

}  // namespace firesim::functional
