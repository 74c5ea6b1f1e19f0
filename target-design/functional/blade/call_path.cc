// SPDX-License-Identifier: BSD-3-Clause
// Calls of a hart; see call_path.h. As call stacks of traces in RTL are built
// (sim/traces/call_stacks.h), without the functions.
#include "functional/blade/call_path.h"

#include <algorithm>

namespace firesim::functional {

using devices::CallFrame;
using devices::Transfer;
namespace {

constexpr uint8_t kMachineMode = 3;
constexpr size_t kMostFrames = 1023;  // below the top of the stacks in traces
constexpr size_t kBase = 1;           // frames that stay

}  // namespace

void CallPath::push(const CallFrame &frame) {
  if (frames_.size() >= kMostFrames) {
    ++beyond_;
  } else {
    frames_.push_back(frame);
  }
}

void CallPath::pop_return(uint64_t pc) {
  if (beyond_ != 0) {
    --beyond_;
    return;
  }
  frames_.resize(devices::left_by_return(frames_, pc, kBase));
}

void CallPath::pop_trap() {
  beyond_ = 0;
  frames_.resize(std::max(devices::up_to_trap(frames_, kBase) - 1, kBase));
}

void CallPath::arrive(uint64_t pc) {
  if (transfer_ == Transfer::kTrapReturn) {
    pop_trap();
  } else {
    pop_return(pc);
  }
  transfer_ = Transfer::kNone;
}

void CallPath::retired(const Retired &event) {
  if (event.privilege != kMachineMode) {
    frames_.assign(1, {});
    transfer_ = Transfer::kNone;
    return;
  }
  if (transfer_ != Transfer::kNone) arrive(event.pc);
  if (event.exception) {
    beyond_ = 0;
    push({event.pc, true, event.interrupt, event.cause});
    push({});  // the handler
    return;
  }
  const Transfer transfer = devices::transfer_of(event.instruction);
  const uint64_t after = event.pc + ((event.instruction & 3) == 3 ? 4 : 2);
  if (transfer == Transfer::kCall) {
    push({after});
  } else {
    transfer_ = transfer == Transfer::kReturnAndCall ? Transfer::kNone : transfer;
  }
}

void CallPath::save(StateWriter &state) const {
  state.u64(frames_.size());
  for (const CallFrame &frame : frames_) {
    state.u64(frame.return_address);
    state.boolean(frame.trap);
    state.boolean(frame.interrupt);
    state.u64(frame.cause);
  }
  state.u64(beyond_);
  state.u64(static_cast<uint64_t>(transfer_));
}

void CallPath::load(StateReader &state) {
  frames_.assign(state.u64(kMostFrames), {});
  for (CallFrame &frame : frames_) {
    frame.return_address = state.u64();
    frame.trap = state.boolean();
    frame.interrupt = state.boolean();
    frame.cause = state.u64();
  }
  if (frames_.empty()) state.fail("found a hart that is in no function, expected one");
  beyond_ = state.u64();
  transfer_ = static_cast<Transfer>(state.u64(static_cast<uint64_t>(Transfer::kTrapReturn)));
}

}  // namespace firesim::functional
