// SPDX-License-Identifier: BSD-3-Clause
// Frames through the stages of a stream socket; see stream_socket.h.
#include "functional/devices/stream_socket.h"

#include <algorithm>

#include "core/state.h"
#include "functional/devices/nic_receiver.h"

namespace firesim::functional {
namespace {

constexpr size_t kMostFrameFlits = NicReceiver::kMostFrameWords;
constexpr size_t kMostSavedFlits = size_t{1} << 20;

}  // namespace

void StreamSocket::drop_input() {
  from_link_ = FlitTimeline();
  arriving_.clear();
}

std::vector<Flit> StreamSocket::unseen(bool &cut) const {
  std::vector<Flit> all;
  cut = arriving_.size() > kMostFrameFlits;
  for (size_t i = 0; i < arriving_.size() && !cut; ++i) all.push_back({arriving_[i], false});
  for (const Flit &flit : from_link_.flits()) {
    if (!cut) all.push_back(flit);
    cut = cut && !flit.last;
  }
  return all;
}

void StreamSocket::advance(uint64_t cycle) {
  if (cycle <= now_) return;
  now_ = cycle;
  while (const uint64_t end = gather(from_dma_, leaving_, SIZE_MAX, cycle)) queue(end);
  // Of one that is too long no more than shows it.
  constexpr size_t kMost = kMostFrameFlits + 1;
  while (const uint64_t end = gather(from_link_, arriving_, kMost, cycle)) deliver(end);
  send(cycle);
}

uint64_t StreamSocket::next_event() const {
  uint64_t next = from_link_.first_packet_end();
  const uint64_t sent = from_dma_.first_packet_end();
  if (sent != kNoCycle) next = std::min(next, std::max(sent, now_ + 1));
  if (has_frame() && !is_stopped()) next = std::min(next, std::max(link_free_, now_ + 1));
  return next;
}

bool StreamSocket::has_frame() const {
  return !waiting_.empty() || std::any_of(stages_.begin(), stages_.end(),
                                          [](auto *stage) { return stage->has_frame(); });
}

uint64_t StreamSocket::gather(FlitTimeline &flits, StreamFrame &frame, size_t most,
                              uint64_t cycle) {
  while (!flits.empty() && flits.front().cycle <= cycle) {
    const FlitTimeline::Run run = flits.front();
    const auto count = static_cast<uint32_t>(std::min<uint64_t>(run.length, cycle - run.cycle + 1));
    const size_t kept = std::min<size_t>(count, most - frame.size());
    frame.insert(frame.end(), flits.data(), flits.data() + kept);
    if (&flits == &from_link_) counts_.flits_in += count;
    flits.pop(count);
    if (run.last && count == run.length) return run.cycle + count - 1;
  }
  return 0;
}

// The receive path drops a frame that is too long, and no stage sees it.
void StreamSocket::deliver(uint64_t cycle) {
  ++counts_.packets_in;
  bool goes_on = true;
  if (arriving_.size() <= kMostFrameFlits) {
    for (auto stage = stages_.rbegin(); stage != stages_.rend() && goes_on; ++stage) {
      goes_on = (*stage)->from_link(arriving_, cycle);
    }
  }
  if (goes_on && !arriving_.empty()) {
    // So that the last flit comes in this cycle, behind what came before.
    const uint64_t first = cycle + 1 - std::min<uint64_t>(cycle + 1, arriving_.size());
    to_dma_->push(std::max(first, to_dma_->end_cycle()), arriving_.data(),
                  static_cast<uint32_t>(arriving_.size()), true);
  }
  arriving_.clear();
}

void StreamSocket::queue(uint64_t cycle) {
  if (pass_to_link(leaving_, 0, cycle)) waiting_.push_back(leaving_);
  leaving_.clear();
}

// Through the stages from this one on.
bool StreamSocket::pass_to_link(StreamFrame &frame, size_t from_stage, uint64_t cycle) {
  for (size_t i = from_stage; i < stages_.size(); ++i) {
    if (!stages_[i]->from_dma(frame, cycle)) return false;
  }
  return !frame.empty();
}

void StreamSocket::send(uint64_t cycle) {
  if (cycle < link_free_ || is_stopped()) return;
  const size_t sources = 1 + stages_.size(), last = last_source_;
  for (size_t step = 1; step <= sources; ++step) {
    const size_t source = (last + step) % sources;
    const StreamFrame frame = frame_of(source, cycle);
    if (frame.empty()) continue;
    last_source_ = source;
    put(frame, cycle);
    return;
  }
}

StreamFrame StreamSocket::frame_of(size_t source, uint64_t cycle) {
  StreamFrame frame;
  if (source == 0) {
    if (waiting_.empty()) return frame;
    frame = std::move(waiting_.front());
    waiting_.pop_front();
    return frame;
  }
  StreamStage &stage = *stages_[source - 1];
  if (stage.has_frame()) frame = stage.next_frame(cycle);
  if (!frame.empty() && !pass_to_link(frame, source, cycle)) frame.clear();
  return frame;
}

void StreamSocket::put(const StreamFrame &frame, uint64_t cycle) {
  const auto length = static_cast<uint32_t>(frame.size());
  uint64_t at = limiter_.next_pass(cycle);
  if (limiter_.unlimited()) {
    to_link_->push(at + delay_cycles_, frame.data(), length, true);
    at += length;
  } else {
    for (uint32_t i = 0; i < length; ++i) {
      at = limiter_.next_pass(at);
      limiter_.pass(at);
      to_link_->push(at + delay_cycles_, frame.data() + i, 1, i + 1 == length);
      ++at;
    }
  }
  link_free_ = at;
  counts_.flits_out += length;
  ++counts_.packets_out;
}

void StreamSocket::save(StateWriter &state) const {
  state.section("nic_stream", 1);
  for (const uint64_t value :
       {now_, link_free_, uint64_t{last_source_}, counts_.flits_in, counts_.flits_out,
        counts_.packets_in, counts_.packets_out, uint64_t{limiter_.rate()},
        uint64_t{limiter_.count()}, uint64_t{limiter_.timer()}}) {
    state.u64(value);
  }
  state.u64(limiter_.is_resting() ? 0 : limiter_.cycle());
  from_link_.save(state);
  from_dma_.save(state);
  state.u64s(arriving_);
  state.u64s(leaving_);
  state.u64(waiting_.size());
  for (const StreamFrame &frame : waiting_) state.u64s(frame);
}

void StreamSocket::load(StateReader &state) {
  state.section("nic_stream", 1);
  now_ = state.past_cycle();
  link_free_ = state.u64();
  last_source_ = state.u64(stages_.size());
  for (uint64_t *count :
       {&counts_.flits_in, &counts_.flits_out, &counts_.packets_in, &counts_.packets_out}) {
    *count = state.u64();
  }
  const auto rate = static_cast<uint32_t>(state.u64(UINT32_MAX));
  const auto count = static_cast<uint32_t>(state.u64(UINT16_MAX));
  const auto timer = static_cast<uint32_t>(state.u64(UINT32_MAX));
  limiter_.restore(rate, count, timer, state.u64());
  from_link_.load(state);
  from_dma_.load(state);
  arriving_ = state.u64s(kMostFrameFlits + 1);
  leaving_ = state.u64s(kMostSavedFlits);
  waiting_.clear();
  for (uint64_t left = state.u64(kMostSavedFlits); left > 0; --left) {
    waiting_.push_back(state.u64s(kMostSavedFlits));
  }
  if (from_link_.end_cycle() > state.cycle().value_or(UINT64_MAX)) {
    state.fail("found flits that have not arrived yet");
  }
  const uint64_t sent = to_link_->end_cycle();
  if (sent > delay_cycles_ && sent - delay_cycles_ > link_free_) {
    state.fail("found a link that is free before its last flit");
  }
}

}  // namespace firesim::functional
