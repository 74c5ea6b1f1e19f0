// SPDX-License-Identifier: BSD-3-Clause
// Flits in time; see flit_timeline.h.
#include "functional/devices/flit_timeline.h"

#include "core/check.h"
#include "core/state.h"

namespace firesim::functional {
namespace {

constexpr uint64_t kMostCycle = uint64_t{1} << 63;
constexpr size_t kMostSavedFlits = size_t{1} << 30;

}  // namespace

void FlitTimeline::push(uint64_t cycle, const uint64_t *data, uint32_t length, bool last) {
  if (length == 0) return;
  words_.insert(words_.end(), data, data + length);
  if (last) packet_ends_.push_back(cycle + length - 1);
  if (!runs_.empty()) {
    Run &previous = runs_.back();
    const uint64_t end = previous.cycle + previous.length;
    FIRESIM_CHECK(cycle >= end, "flits come in order of their cycles");
    if (cycle == end && !previous.last) {
      previous.length += length;
      previous.last = last;
      return;
    }
  }
  runs_.push_back({cycle, length, last});
}

void FlitTimeline::push(const Batch &batch) {
  for (const firesim::Run &run : batch.runs()) {
    push(batch.start_cycle() + run.offset, run.data, run.length, run.last);
  }
}

void FlitTimeline::pop(uint32_t length) {
  Run &run = runs_.front();
  FIRESIM_CHECK(length <= run.length, "flits are taken run by run");
  first_word_ += length;
  run.cycle += length;
  run.length -= length;
  if (run.length == 0) {
    if (run.last) packet_ends_.pop_front();
    runs_.pop_front();
  }
  if (runs_.empty()) {
    words_.clear();
    first_word_ = 0;
  } else if (first_word_ > 4096 && first_word_ > words_.size() / 2) {
    words_.erase(words_.begin(), words_.begin() + static_cast<ptrdiff_t>(first_word_));
    first_word_ = 0;
  }
}

void FlitTimeline::move_to(Batch &batch, uint64_t end_cycle) {
  const uint64_t end = std::min(batch.end_cycle(), end_cycle);
  while (!runs_.empty() && runs_.front().cycle < end) {
    const Run &run = runs_.front();
    FIRESIM_CHECK(run.cycle >= batch.start_cycle(), "a flit came too late for its cycle");
    const auto length = static_cast<uint32_t>(std::min<uint64_t>(run.length, end - run.cycle));
    batch.append_run(static_cast<uint32_t>(run.cycle - batch.start_cycle()), data(), length,
                     run.last && length == run.length);
    pop(length);
  }
}

std::vector<Flit> FlitTimeline::flits() const {
  std::vector<Flit> all;
  const uint64_t *word = data();
  for (const Run &run : runs_) {
    for (uint32_t i = 0; i < run.length; ++i) {
      all.push_back({*word++, run.last && i + 1 == run.length});
    }
  }
  return all;
}

void FlitTimeline::save(StateWriter &state) const {
  state.u64(runs_.size());
  for (const Run &run : runs_) {
    state.u64(run.cycle);
    state.u64(run.length);
    state.boolean(run.last);
  }
  state.u64s({words_.data() + first_word_, words_.size() - first_word_});
}

void FlitTimeline::load(StateReader &state) {
  *this = FlitTimeline();
  uint64_t flits = 0;
  for (uint64_t left = state.u64(kMostSavedFlits); left > 0; --left) {
    Run run{};
    run.cycle = state.u64(kMostCycle);
    run.length = static_cast<uint32_t>(state.u64(UINT32_MAX));
    run.last = state.boolean();
    if (run.length == 0 || run.cycle < end_cycle()) {
      state.fail("found flits of the NIC out of order");
    }
    flits += run.length;
    if (run.last) packet_ends_.push_back(run.cycle + run.length - 1);
    runs_.push_back(run);
  }
  words_ = state.u64s(kMostSavedFlits);
  if (words_.size() != flits) state.fail("the flits of the NIC do not match their data");
}

}  // namespace firesim::functional
