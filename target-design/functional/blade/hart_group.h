// SPDX-License-Identifier: BSD-3-Clause
// The harts of a blade and how far each has come.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "functional/blade/call_path.h"
#include "functional/blade/observers.h"
#include "functional/core/hart.h"
#include "functional/core/shared_state.h"
#include "functional/devices/interrupt_lines.h"

namespace firesim {
class StateWriter;
class StateReader;
}  // namespace firesim

namespace firesim::functional {

// The state of one hart in a section of its own.
void save_hart(StateWriter &writer, const ArchitecturalState &state);
ArchitecturalState load_hart(StateReader &reader, HartFeatures features = {});

class HartGroup final : public InterruptLines {
 public:
  HartGroup(uint32_t harts, uint32_t cycles_per_instruction, uint64_t first_cycle,
            HartFeatures features = {});

  // Makes the harts anew over `dram`, each with so much memory for decoded
  // code of its own (shared_state.h); `shares_code`: with all others of this process;
  // `translate_after`: see SharedState. They must not run before.
  void make(const Dram &dram, Mmio &mmio, size_t code_bytes = kMostCodeBytes,
            bool shares_code = false, bool checks_fences = false,
            int32_t translate_after = kTranslateAfter);

  const HartFeatures &features() const { return features_; }
  uint32_t size() const { return static_cast<uint32_t>(cycles_.size()); }
  Hart &operator[](uint32_t index) { return *harts_[index]; }
  const Hart &operator[](uint32_t index) const { return *harts_[index]; }
  // The first cycle the hart has not run.
  uint64_t cycle(uint32_t index) const { return cycles_[index]; }
  const std::vector<uint64_t> &cycles() const { return cycles_; }
  void set_cycle(uint32_t index, uint64_t cycle) { cycles_[index] = cycle; }
  bool all_wait() const;
  // Cycles in which harts ran, not waiting, by the cycles of an instruction.
  uint64_t instructions() const { return busy_cycles_ / cycles_per_instruction_; }
  void add_busy_cycles(uint64_t cycles) { busy_cycles_ += cycles; }
  // SharedState::kNever when no region of interest has begun.
  uint64_t region_start_cycle() const { return shared_->region_start_cycle(); }
  void set_region_start_cycle(uint64_t cycle) { shared_->note_region_start(cycle); }
  // A fetch of what was stored after the hart's last fence.i, where that is checked.
  std::optional<FenceCheck::Fetch> stale_fetch() const {
    const FenceCheck *check = shared_->fence_check();
    return check == nullptr ? std::nullopt : check->found();
  }
  // Whether every instruction of a hart is told to `observer`, slowly, besides others.
  void observe(uint32_t hart, RetireObserver &observer, bool is_told);
  // Follows the calls of the harts from now on, slowly; they are made already.
  void keep_calls();
  // Of each hart; empty where they are not followed.
  std::vector<std::vector<devices::CallFrame>> calls() const;
  // Follows what the harts' first-level caches hold from now on, slowly; they are made already.
  void follow_l1(L1Shape shape);
  L1Group *l1() { return shared_->l1(); }  // nullptr where that is not followed
  // A device wrote memory.
  void written(uint64_t address, uint64_t bytes) { harts_[0]->write_by_device(address, bytes); }

  void set(uint32_t hart, uint32_t cause, bool level) override {
    if (!harts_.empty()) harts_[hart]->set_interrupt(cause, level);
  }
  void stop(uint32_t hart) override { harts_[hart]->stop(); }
  void hold(uint32_t hart) override { harts_[hart]->hold(); }
  void go_on(uint32_t hart) override { harts_[hart]->go_on(); }

  void save(StateWriter &state) const;
  // Of a blade that has reached `cycle`.
  void load(StateReader &state, uint64_t cycle);
  // The calls, a section of their own; nothing where they are not followed.
  void save_calls(StateWriter &state) const;
  void load_calls(StateReader &state);
  // What caches hold, a section of its own; nothing where that is not followed. It is skipped where
  // it cannot be followed (`may_follow`).
  void save_l1(StateWriter &state) const;
  void load_l1(StateReader &state, uint64_t memory_bytes, bool may_follow);

 private:
  const uint32_t cycles_per_instruction_;
  const uint64_t first_cycle_;
  const HartFeatures features_;
  std::vector<uint64_t> cycles_;
  uint64_t busy_cycles_ = 0;
  std::unique_ptr<SharedState> shared_;
  std::vector<std::unique_ptr<Hart>> harts_;
  std::vector<std::unique_ptr<CallPath>> calls_;
  std::vector<std::unique_ptr<Observers>> observers_;  // of each hart
};

}  // namespace firesim::functional
