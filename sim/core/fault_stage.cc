// SPDX-License-Identifier: BSD-3-Clause
//
// Faults of a direction of a link, at work; see fault_stage.h.
#include "core/fault_stage.h"

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "core/check.h"

namespace firesim {

namespace {

constexpr size_t kMostFrameFlits = 65'536;
constexpr uint64_t kBitsOfFlit = 64;
// The numbers of draws for the places of bits; those of flits are below.
constexpr uint64_t kPlaceDraws = uint64_t{1} << 63;

}  // namespace

nlohmann::json FaultCounts::to_json() const {
  return {{"frames", frames},
          {"dropped", dropped},
          {"dropped_buffer_full", dropped_buffer_full},
          {"duplicated", duplicated},
          {"delayed", delayed},
          {"corrupted", corrupted},
          {"bits_flipped", bits_flipped},
          {"cut", cut},
          {"held", held}};
}

FaultStage::FaultStage(LinkFaults faults)
    : faults_(std::move(faults)),
      lookahead_(faults_.lookahead_cycles()),
      needed_flits_(lookahead_ + 1),
      file_(faults_.log),
      matched_(faults_.rules.size()) {
  file_ << "cycle,frame,fault,detail\n";
  if (!file_) throw std::runtime_error("cannot write " + faults_.log);
}

FaultCounts FaultStage::counts() const {
  FaultCounts counts = counts_;
  counts.held = waiting_.size() + (current_ ? 1 : 0) +
                (arrival_.frame != nullptr && !arrival_.decided ? 1 : 0);
  return counts;
}

// The cycle in a row is that of the frame's first flit.
void FaultStage::log(const char *what, const std::string &detail) {
  file_ << arrival_.cycle << ',' << arrival_.number << ',' << what << ',' << detail << '\n';
}

void FaultStage::apply(Batch &batch) {
  out_.reset(batch.start_cycle(), batch.cycles());
  for (const Run &run : batch.runs()) {
    for (uint32_t i = 0; i < run.length; ++i) {
      take(batch.start_cycle() + run.offset + i, run.data[i], run.last && i + 1 == run.length);
    }
  }
  send_until(batch.end_cycle());
  done_ = batch.end_cycle();
  batch.swap(out_);
}

void FaultStage::take_over(const Batch &tokens, bool mid_frame) {
  if (mid_frame) {
    arrival_.flits = 1;
    arrival_.is_rest = true;
  }
  out_.reset(done_, 0);  // nothing of it is given before the start
  for (const Run &run : tokens.runs()) {
    for (uint32_t i = 0; i < run.length; ++i) {
      take(tokens.start_cycle() + run.offset + i, run.data[i], run.last && i + 1 == run.length);
    }
  }
}

void FaultStage::take(uint64_t cycle, uint64_t data, bool last) {
  send_until(cycle);
  if (arrival_.flits == 0) begin_frame(cycle);
  if (arrival_.is_rest && arrival_.frame == nullptr) {
    arrival_.frame = std::make_shared<Frame>();
    arrival_.decided = true;
    add_sending({arrival_.frame, cycle + lookahead_});
  }
  ++arrival_.flits;
  if (arrival_.frame != nullptr) keep_flit(cycle, data, last);
  if (last) arrival_ = {};
}

void FaultStage::begin_frame(uint64_t cycle) {
  arrival_.number = ++counts_.frames;
  arrival_.cycle = cycle;
  if (held_flits_ * 8 >= faults_.buffer_bytes) {
    ++counts_.dropped_buffer_full;
    log("drop", "buffer full");
    return;
  }
  arrival_.frame = std::make_shared<Frame>();
}

void FaultStage::keep_flit(uint64_t cycle, uint64_t data, bool last) {
  Frame &frame = *arrival_.frame;
  frame.flits.push_back(data);
  frame.cycles.push_back(cycle);
  ++held_flits_;
  const size_t flits = frame.flits.size();
  frame.complete = last || flits == kMostFrameFlits;
  if (arrival_.decided) {
    flip_bits(flits - 1);
  } else if (flits == needed_flits_ || frame.complete) {
    decide(cycle);
  }
  if (arrival_.frame == nullptr || !frame.complete) return;
  if (!last) {
    ++counts_.cut;
    log("cut", std::to_string(flits) + " flits");
    // What still comes of the rest of a frame is of no frame any more.
    arrival_.is_rest = false;
  }
  arrival_.frame.reset();
}

void FaultStage::decide(uint64_t cycle) {
  arrival_.decided = true;
  Fate fate;
  for (size_t i = 0; i < faults_.rules.size(); ++i) {
    const FaultRule &rule = faults_.rules[i];
    if (rule.match.matches(arrival_.frame->flits) && rule.takes(arrival_.number, ++matched_[i])) {
      apply_rule(i, fate);
    }
  }
  if (fate.dropped) return drop();
  const size_t flits = arrival_.frame->flits.size();
  for (size_t flit = 0; flit < flits; ++flit) flip_bits(flit);
  send(fate, cycle);
}

void FaultStage::apply_rule(size_t index, Fate &fate) {
  const FaultRule &rule = faults_.rules[index];
  const std::string cycles = std::to_string(rule.cycles) + " cycles";
  switch (rule.kind) {
    case FaultKind::kDrop:
      fate.dropped = true;
      return;
    case FaultKind::kDuplicate:
      fate.copies += rule.copies;
      return;
    case FaultKind::kDelay:
      fate.delay_cycles += rule.cycles;
      return;
    case FaultKind::kBehind:
      fate.behind_frames = std::max(fate.behind_frames, rule.behind_frames);
      fate.behind_cycles = std::max(fate.behind_cycles, rule.cycles);
      return;
    case FaultKind::kCorrupt:
    case FaultKind::kBitErrors:
      arrival_.flipping.push_back(index);
      return;
  }
}

void FaultStage::drop() {
  ++counts_.dropped;
  log("drop", "");
  held_flits_ -= arrival_.frame->flits.size();
  arrival_.frame.reset();
}

void FaultStage::send(const Fate &fate, uint64_t cycle) {
  Sending sending{arrival_.frame, std::max(arrival_.cycle + lookahead_ + fate.delay_cycles, cycle)};
  sending.delay_cycles = fate.delay_cycles;
  if (fate.behind_frames != 0) {
    sending.ready += fate.behind_cycles;
    sending.behind_frames = fate.behind_frames;
    log("behind", std::to_string(fate.behind_frames) + " frames");
  }
  if (fate.delay_cycles != 0) log("delay", std::to_string(fate.delay_cycles) + " cycles");
  if (fate.delay_cycles != 0 || fate.behind_frames != 0) ++counts_.delayed;
  if (fate.copies != 0) log("duplicate", std::to_string(fate.copies) + " copies");
  counts_.duplicated += fate.copies;
  for (uint64_t i = 0; i <= fate.copies; ++i) add_sending(sending);
}

void FaultStage::flip_bits(size_t flit) {
  for (const size_t index : arrival_.flipping) {
    const FaultRule &rule = faults_.rules[index];
    if (rule.kind == FaultKind::kBitErrors) {
      if (!rule.probability.hits(rule.draw(arrival_.number, flit + 1))) continue;
      flip(rule, flit, rule.draw(arrival_.number, kPlaceDraws + flit) % kBitsOfFlit);
      continue;
    }
    const uint64_t first = flit * kBitsOfFlit;  // as bits of the frame are counted, pads included
    for (const uint64_t bit : rule.bits) {
      const uint64_t place = bit + 8 * kPadBytes;
      if (place >= first && place < first + kBitsOfFlit) flip(rule, flit, place - first);
    }
  }
}

// The pad bytes are on no wire, so nothing happens to them.
void FaultStage::flip(const FaultRule &rule, size_t flit, uint64_t bit_of_flit) {
  const uint64_t place = flit * kBitsOfFlit + bit_of_flit;
  if (place < 8 * kPadBytes) return;
  arrival_.frame->flits[flit] ^= uint64_t{1} << bit_of_flit;
  ++counts_.bits_flipped;
  if (!arrival_.corrupted) ++counts_.corrupted;
  arrival_.corrupted = true;
  log(fault_word(rule.kind), "bit " + std::to_string(place - 8 * kPadBytes));
}

void FaultStage::add_sending(Sending sending) {
  const Order order{sending.ready, next_sending_++};
  if (sending.behind_frames != 0) behind_.emplace(order.second, order);
  waiting_.emplace(order, std::move(sending));
}

void FaultStage::send_until(uint64_t end_cycle) {
  while (current_ || begin_sending(end_cycle)) {
    const Frame &frame = *current_->frame;
    for (; sent_flits_ < frame.flits.size(); ++sent_flits_) {
      const uint64_t came = frame.cycles[sent_flits_] + lookahead_ + current_->delay_cycles;
      const uint64_t at = std::max(line_free_, sent_flits_ == 0 ? current_->ready : came);
      if (at >= end_cycle) return;
      const bool last = frame.complete && sent_flits_ + 1 == frame.flits.size();
      out_.append_flit(static_cast<uint32_t>(at - out_.start_cycle()), frame.flits[sent_flits_],
                       last);
      line_free_ = at + 1;
    }
    if (!frame.complete) return;
    end_sending();
  }
}

bool FaultStage::begin_sending(uint64_t end_cycle) {
  if (waiting_.empty()) return false;
  const auto first = waiting_.begin();
  if (std::max(first->first.first, line_free_) >= end_cycle) return false;
  current_number_ = first->first.second;
  current_ = std::move(first->second);
  waiting_.erase(first);
  behind_.erase(current_number_);
  sent_flits_ = 0;
  pass_others(current_number_);
  return true;
}

// Those that came before it and wait for later ones are behind one more now.
void FaultStage::pass_others(uint64_t number) {
  for (auto one = behind_.begin(); one != behind_.end() && one->first < number;) {
    const auto place = waiting_.find(one->second);
    FIRESIM_CHECK(place != waiting_.end(), "what is to be behind others waits");
    if (--place->second.behind_frames != 0) {
      ++one;
      continue;
    }
    Sending sending = std::move(place->second);
    sending.ready = 0;  // the next one
    waiting_.erase(place);
    waiting_.emplace(Order{0, one->first}, std::move(sending));
    one = behind_.erase(one);
  }
}

void FaultStage::end_sending() {
  if (current_->frame.use_count() == 1) held_flits_ -= current_->frame->flits.size();
  current_.reset();
}

}  // namespace firesim
