// SPDX-License-Identifier: BSD-3-Clause
// Pieces to flits; see nic_sender.h.
#include "functional/devices/nic_sender.h"

#include <algorithm>
#include <cstring>

#include "core/state.h"

namespace firesim::functional {
namespace {

constexpr uint64_t kAddressMask = 0xffff'ffff'ffff;
constexpr size_t kMostPieceFlits = 4097 + NicSender::kMostGatheredBytes / 8;

}  // namespace

void NicSender::request(uint64_t value) {
  if (queue_.size() == kQueueDepth) return;
  queue_.push_back(value);
  wanted_.push_back(begins_ ? asked_ : 0);
  begins_ = value >> 63 == 0;
  asked_ = 0;
  if (!active_) next_cycle_ = std::max(next_cycle_, now_);
  advance(now_);
}

bool NicSender::take_completion() {
  if (completions_ == 0) return false;
  --completions_;
  // A piece that was sent and waited for room held up the next one.
  if (active_ && done_cycle_ < now_) next_cycle_ = std::max(next_cycle_, now_);
  advance(now_);
  return true;
}

void NicSender::hold(bool held) {
  const bool released = held_ && !held;
  held_ = held;
  if (!released || active_) return;
  next_cycle_ = std::max(next_cycle_, now_);
  advance(now_);
}

void NicSender::set_rate(uint32_t rate) {
  // What is written in a cycle counts from the next one on.
  limiter_.set_rate(rate, now_ + 1);
  if (active_ && next_flit_ != flits_left_.size()) plan();
}

void NicSender::advance(uint64_t cycle) {
  now_ = std::max(now_, cycle);
  for (;;) {
    if (!active_) {
      if (queue_.empty() || held_) return;
      start_piece();
    }
    send_until(now_);
    if (next_flit_ != flits_left_.size() || done_cycle_ > now_ || !has_room()) return;
    ++completions_;
    active_ = false;
    next_cycle_ = std::max(next_cycle_, done_cycle_ + 1);
  }
}

// An empty piece takes a cycle too; a packet of no bytes is one flit of zeros.
void NicSender::start_piece() {
  const uint64_t request = queue_.front();
  queue_.pop_front();
  if (wanted_.front() != 0) gathering_ = ChecksumPlace(wanted_.front());
  wanted_.pop_front();
  const uint64_t length = request >> 48 & 0x7fff;
  const bool more = request >> 63 != 0;
  active_ = true;
  ends_packet_ = !more;
  flits_left_.clear();
  next_flit_ = 0;
  const uint8_t *data =
      length == 0 ? nullptr : memory_->read(request & kAddressMask, length, now_, "NIC");
  if (data != nullptr) carry_.insert(carry_.end(), data, data + length);
  if (carry_.size() > kMostGatheredBytes) gathering_ = ChecksumPlace(0);
  size_t flits = more && gathering_.wanted() ? 0 : carry_.size() / 8;
  if (ends_packet_) {
    flits = std::max<size_t>(1, (carry_.size() + 7) / 8);
    carry_.resize(flits * 8);
  }
  flits_left_.resize(flits);
  if (flits != 0) std::memcpy(flits_left_.data(), carry_.data(), flits * 8);
  if (ends_packet_) {
    if (gathering_.wanted()) put_checksum(flits_left_, gathering_);
    gathering_ = ChecksumPlace(0);
  }
  carry_.erase(carry_.begin(), carry_.begin() + static_cast<ptrdiff_t>(flits * 8));
  plan();
}

// Works out when the piece will be complete.
void NicSender::plan() {
  const size_t left = flits_left_.size() - next_flit_;
  if (left == 0) {
    done_cycle_ = next_cycle_;
    return;
  }
  RateLimiter ahead = limiter_;
  uint64_t cycle = ahead.next_pass(next_cycle_);
  if (ahead.unlimited()) {
    done_cycle_ = cycle + left - 1;
    return;
  }
  for (size_t i = 1; i < left && cycle != kNoCycle; ++i) {
    ahead.pass(cycle);
    cycle = ahead.next_pass(cycle + 1);
  }
  done_cycle_ = cycle;
}

void NicSender::send_until(uint64_t cycle) {
  while (next_flit_ != flits_left_.size()) {
    const uint64_t at = limiter_.next_pass(next_cycle_);
    if (at > cycle) return;
    size_t count = 1;
    if (limiter_.unlimited()) {
      // The bucket is full again whenever the next flit comes, so it need not be followed.
      count = std::min<uint64_t>(flits_left_.size() - next_flit_, cycle - at + 1);
    } else {
      limiter_.pass(at);
    }
    const bool last = ends_packet_ && next_flit_ + count == flits_left_.size();
    output_->push(at + delay_cycles_, flits_left_.data() + next_flit_, static_cast<uint32_t>(count),
                  last);
    next_flit_ += count;
    next_cycle_ = at + count;
    flits_ += count;
    packets_ += last ? 1 : 0;
  }
}

void NicSender::save(StateWriter &state) const {
  state.u64(limiter_.rate());
  state.u64(limiter_.count());
  state.u64(limiter_.timer());
  state.u64(limiter_.is_resting() ? 0 : limiter_.cycle());
  state.u64(now_);
  state.u64s(std::vector<uint64_t>(queue_.begin(), queue_.end()));
  state.u64(completions_);
  state.boolean(active_);
  state.boolean(ends_packet_);
  state.u64s({flits_left_.data() + next_flit_, flits_left_.size() - next_flit_});
  state.u64(next_cycle_);
  state.u64(done_cycle_);
  state.bytes(carry_);
  state.u64(flits_);
  state.u64(packets_);
}

void NicSender::load(StateReader &state) {
  const auto rate = static_cast<uint32_t>(state.u64(UINT32_MAX));
  const auto count = static_cast<uint32_t>(state.u64(UINT16_MAX));
  const auto timer = static_cast<uint32_t>(state.u64(UINT32_MAX));
  limiter_.restore(rate, count, timer, state.past_cycle());
  now_ = state.past_cycle();
  const std::vector<uint64_t> queue = state.u64s(kQueueDepth);
  queue_.assign(queue.begin(), queue.end());
  completions_ = static_cast<uint32_t>(state.u64(kQueueDepth));
  active_ = state.boolean();
  ends_packet_ = state.boolean();
  flits_left_ = state.u64s(kMostPieceFlits);
  next_flit_ = 0;
  next_cycle_ = state.past_cycle();
  done_cycle_ = state.u64();
  carry_ = state.bytes(kMostGatheredBytes);
  // Without load_checksums, no packet has one.
  wanted_.assign(queue_.size(), 0);
  flits_ = state.u64();
  packets_ = state.u64();
  if (!active_ && !((queue_.empty() || redirected_) && flits_left_.empty())) {
    state.fail("found pieces that are not being sent");
  }
  if (!flits_left_.empty()) check_next_flit(state);
}

void NicSender::save_checksums(StateWriter &state) const {
  state.u64s(std::vector<uint64_t>(wanted_.begin(), wanted_.end()));
  state.u64(asked_);
  state.boolean(begins_);
  state.u64(gathering_.value);
}

void NicSender::load_checksums(StateReader &state) {
  const std::vector<uint64_t> wanted = state.u64s(kQueueDepth);
  wanted_.assign(wanted.begin(), wanted.end());
  asked_ = static_cast<uint32_t>(state.u64(UINT32_MAX));
  begins_ = state.boolean();
  gathering_ = ChecksumPlace(static_cast<uint32_t>(state.u64(UINT32_MAX)));
  if (wanted_.size() != queue_.size()) {
    state.fail("the requests in the NIC do not match their checksums");
  }
}

// What comes next is put after all that has been sent, and into a cycle that is still to come.
void NicSender::check_next_flit(const StateReader &state) const {
  RateLimiter ahead = limiter_;
  const uint64_t at = ahead.next_pass(next_cycle_);
  if (at >= kNoCycle - delay_cycles_) return;  // never
  // A socket is given flits when it asks for them.
  const uint64_t now = redirected_ ? 0 : state.cycle().value_or(0);
  const uint64_t least = std::max(output_->end_cycle(), now);
  if (at + delay_cycles_ < least) state.fail("found a flit that should have been sent before");
}

}  // namespace firesim::functional
