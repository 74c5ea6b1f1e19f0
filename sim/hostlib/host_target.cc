// SPDX-License-Identifier: BSD-3-Clause
// Drives a target on a platform; see host_target.h.
#include "hostlib/host_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "core/check.h"
#include "core/model.h"
#include "hostlib/piece_words.h"
#include "hostlib/registers.h"

namespace firesim::hostlib {
namespace {

// Three loads from the board: seldom, so that an honest one is heard as soon as it has a word.
constexpr uint32_t kPollsOfACheck = 64;

constexpr uint64_t kRun = uint64_t{255} << 56;
constexpr uint64_t kStopped = uint64_t{1} << 63;
constexpr uint32_t kPatienceHostCycles = 1 << 20;

}  // namespace

HostTarget::HostTarget(HostPlatform &platform, std::vector<HostChannel> channels,
                       const std::string &design_hash, const std::string &where)
    : platform_(platform) {
  check_design(design_hash, where);
  for (HostChannel &channel : channels) {
    if (channel.is_input) {
      const size_t words = channel.words();
      inputs_.push_back({std::move(channel), Words(words, 0), Words(words, 0), {}, {}});
    } else {
      tokens_.push_back({Words(channel.words(), 0)});
      pieces_ += channel.pieces();
      outputs_.push_back(std::move(channel));
    }
  }
  platform_.write(kPatience, kPatienceHostCycles);
}

void HostTarget::check_design(const std::string &design_hash, const std::string &where) {
  const uint32_t identity = platform_.read(kIdentity), version = platform_.read(kVersion);
  if (identity != kIdentityValue) {
    throw DescriptionError(
        fmt::format("{}: found {:#x} on the platform, expected {:#x}: a target of FireSim", where,
                    identity, kIdentityValue));
  }
  if (version != kVersionValue) {
    throw DescriptionError(
        fmt::format("{}: found registers of version {} on the platform, expected version {}: build "
                    "the bitstream again with this FireSim",
                    where, version, kVersionValue));
  }
  const std::string found = fmt::format("{:016x}", platform_.read_wide(kFingerprint));
  if (found != design_hash) {
    throw DescriptionError(
        fmt::format("{}: found the design {} on the platform, expected {}, that of the manifest",
                    where, found, design_hash));
  }
  const uint32_t status = platform_.read(kStatus);
  together_ = (status & kStatusTogether) != 0;
  if ((status & kStatusUsed) != 0) {
    throw DescriptionError(
        fmt::format("{}: {}: its target has run since the bitstream was loaded, and a reset does "
                    "not clear its registers and memories: load the bitstream again",
                    where, platform_.name()));
  }
}

void HostTarget::choose(const std::function<void(HostChannel &)> &choose) {
  uint64_t listen = 0, stop_at = 0;
  for (size_t i = 0; i < outputs_.size(); ++i) {
    choose(outputs_[i]);
    listen |= static_cast<uint64_t>(outputs_[i].listened) << i;
    stop_at |= static_cast<uint64_t>(outputs_[i].stops) << i;
  }
  platform_.write_wide(kListen, listen);
  platform_.write_wide(kStopAt, stop_at);
}

void HostTarget::start_at(uint64_t cycle) {
  FIRESIM_CHECK(traffic_.runs == 0, "a target goes on from a cycle before it runs");
  first_cycle_ = cycle_ = cycle;
}

void HostTarget::note_inputs(uint64_t cycle) {
  for (Input &input : inputs_) {
    input.channel.pack(token_);
    if (token_ == input.said) continue;
    input.said = token_;
    if (!input.planned.empty() && input.planned.back().first == cycle) {
      input.planned.back().second = token_;
      continue;
    }
    const bool later = (input.planned.empty() || input.planned.back().first < cycle) &&
                       (input.waiting.empty() || input.waiting.back() < cycle);
    FIRESIM_CHECK(later && cycle >= cycle_, "a driver changes an input of a cycle that was said");
    input.planned.emplace_back(cycle, token_);
  }
}

// Sends what is planned before `limit`, as far as there is room, and lets the target run as far.
void HostTarget::send_inputs(uint64_t limit) {
  message_.clear();
  for (size_t i = 0; i < inputs_.size(); ++i) {
    Input &input = inputs_[i];
    while (!input.waiting.empty() && input.waiting.front() < cycle_) input.waiting.pop_front();
    while (!input.planned.empty() && input.planned.front().first < limit) {
      const auto &[cycle, token] = input.planned.front();
      if (input.waiting.size() == kCredit || (cycle - cycle_) >> kValueCycleBits != 0) {
        limit = cycle;
        break;
      }
      append_value(message_, i, cycle - first_cycle_, input.sent, token, input.channel.pieces());
      input.sent = token;
      input.waiting.push_back(cycle);
      input.planned.pop_front();
    }
  }
  message_.push_back(kRun | (limit - first_cycle_));
  limit_ = limit;
  ++traffic_.runs;
  traffic_.words_down += message_.size();
  platform_.send(message_);
}

void HostTarget::run(uint64_t limit, const std::function<void(uint64_t)> &on_row) {
  FIRESIM_CHECK(cycle_ < limit, "a run has a cycle at least");
  send_inputs(limit);
  while (!take_row(on_row)) {
  }
}

// True when the target has stopped.
bool HostTarget::take_row(const std::function<void(uint64_t)> &on_row) {
  const uint64_t words_before = traffic_.words_up;
  const RowHead row = take_head();
  check_row(row, cycle_, limit_, outputs_, platform_.name());
  take_tokens(row);
  const bool is_last = row.cycle + 1 == limit_;
  for (size_t i = 0; i < outputs_.size(); ++i) {
    if (tokens_[i].seen || (is_last && outputs_[i].listened && !outputs_[i].gated)) {
      outputs_[i].unpack(tokens_[i].told.data());
    } else {
      outputs_[i].clear_wakes();
    }
  }
  ++traffic_.rows;
  if (row.stopped) traffic_.words_up_at_stops += traffic_.words_up - words_before;
  cycle_ = row.cycle + 1;
  on_row(row.cycle);
  return row.stopped;
}

RowHead HostTarget::take_head() {
  const uint64_t head = receive(), passed = head >> kNearUp & kFar;
  RowHead row{cycle_ + passed, (head & kStopped) != 0, {}};
  if (passed == kFar) {
    const uint64_t over = receive();
    row.cycle = first_cycle_ + over - 1;
    if (row.cycle < cycle_ + kFar) {
      throw std::runtime_error(fmt::format("{}: found a row of cycle {}, expected none before {}",
                                           platform_.name(), row.cycle, cycle_ + kFar));
    }
  }
  row.pieces.assign(1, head & ((uint64_t{1} << kNearUp) - 1));
  for (size_t i = 0; i < mask_words(pieces_, kNearUp); ++i) {
    const uint64_t mask = receive();
    row.pieces.back() |= mask << kNearUp;
    row.pieces.push_back(mask >> (64 - kNearUp));
  }
  return row;
}

// Puts the pieces that follow a head into the tokens.
void HostTarget::take_tokens(const RowHead &row) {
  for (Output &output : tokens_) output.seen = false;
  size_t channel = 0, first = 0;  // the first piece of the channel
  uint64_t word = 0;
  bool half = false;
  for (size_t group = 0; group < row.pieces.size(); ++group) {
    for (uint64_t left = row.pieces[group]; left != 0; left &= left - 1) {
      const size_t piece = 64 * group + static_cast<size_t>(std::countr_zero(left));
      while (piece - first >= outputs_[channel].pieces()) first += outputs_[channel++].pieces();
      word = half ? word >> 32 : receive();
      half = !half;
      set_piece(tokens_[channel].told, piece - first, static_cast<uint32_t>(word));
      tokens_[channel].seen = true;
    }
  }
  for (size_t i = 0; i < outputs_.size(); ++i) {
    if (tokens_[i].seen) check_token(outputs_[i], tokens_[i].told, row.cycle, platform_.name());
  }
}

uint64_t HostTarget::receive() {
  uint64_t word = 0;
  uint32_t polls = 0;
  while (!platform_.receive({&word, 1})) {
    if (together_ && given_up_.load(std::memory_order_relaxed)) throw GivenUp();
    const uint32_t status = platform_.read(kStatus);
    if ((status & kStatusExpired) == 0) {
      if (++polls % kPollsOfACheck == 0) check_progress();
      continue;
    }
    if (examine_) examine_();
    const std::string why = platform_.trouble();
    throw std::runtime_error(fmt::format(
        "the target stands still in cycle {}: {}", first_cycle_ + platform_.read_wide(kCycle),
        why.empty() ? fmt::format("{} host cycles without a step", kPatienceHostCycles) : why));
  }
  ++traffic_.words_up;
  return word;
}

// A target that is waited for goes forward, and no further than its run. One that stands still is
// the platform's to give up.
void HostTarget::check_progress() {
  const uint32_t before = platform_.read(kCycle + 4);
  uint64_t now = platform_.read_wide(kCycle);
  // The low half may have begun anew between its load and that of the high one.
  if (now >> 32 != before) now = (now >> 32) << 32 | platform_.read(kCycle);
  const uint64_t most = limit_ - first_cycle_;
  if (now < seen_ || now > most) {
    throw std::runtime_error(
        fmt::format("{}: found {} cycles of the target over, expected {} to {}, where its run ends",
                    platform_.name(), now, seen_, most));
  }
  seen_ = now;
}

// Rows say how far the target is by differences, and a reset of the board's host side begins a new
// count.
void HostTarget::check_end() {
  if (traffic_.runs == 0) return;
  seen_ = std::max(seen_, cycles_here());
  check_progress();
}

uint64_t HostTarget::counter(uint32_t index, bool before) {
  platform_.write(kCounter, index);
  const uint64_t value = platform_.read_wide(kCounterValue);
  return before ? value - platform_.read(kCounterRose) : value;
}

}  // namespace firesim::hostlib
