// SPDX-License-Identifier: BSD-3-Clause
// Drives a target on a platform; see host_target.h.
#include "hostlib/host_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "core/check.h"
#include "core/model.h"
#include "hostlib/registers.h"
#include "hostlib/row_check.h"

namespace firesim::hostlib {
namespace {

constexpr uint64_t kRun = uint64_t{255} << 56;
constexpr uint64_t kStopped = uint64_t{1} << 63;
constexpr uint64_t kCycleBits = (uint64_t{1} << 48) - 1;
constexpr uint32_t kPatienceHostCycles = 1 << 20;

}  // namespace

HostTarget::HostTarget(HostPlatform &platform, std::vector<HostChannel> channels,
                       const std::string &design_hash, const std::string &where)
    : platform_(platform) {
  check_design(design_hash, where);
  for (HostChannel &channel : channels) {
    if (channel.is_input) {
      const size_t words = channel.words();
      inputs_.push_back({std::move(channel), Words(words, 0), {}, {}});
    } else {
      outputs_.push_back(std::move(channel));
    }
  }
  platform_.write(kPatience, kPatienceHostCycles);
}

void HostTarget::check_design(const std::string &design_hash, const std::string &where) {
  const uint32_t identity = platform_.read(kIdentity), version = platform_.read(kVersion);
  if (identity != kIdentityValue || version != kVersionValue) {
    throw DescriptionError(
        fmt::format("{}: found {:#x}, version {}, on the platform, expected {:#x}, version {}: a "
                    "target of FireSim",
                    where, identity, version, kIdentityValue, kVersionValue));
  }
  const std::string found = fmt::format("{:016x}", read_wide(kFingerprint));
  if (found != design_hash) {
    throw DescriptionError(
        fmt::format("{}: found the design {} on the platform, expected {}, that of the manifest",
                    where, found, design_hash));
  }
}

void HostTarget::choose(const std::function<void(HostChannel &)> &choose) {
  uint64_t listen = 0, stop_at = 0;
  for (size_t i = 0; i < outputs_.size(); ++i) {
    choose(outputs_[i]);
    listen |= static_cast<uint64_t>(outputs_[i].listened) << i;
    stop_at |= static_cast<uint64_t>(outputs_[i].stops) << i;
  }
  write_wide(kListen, listen);
  write_wide(kStopAt, stop_at);
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
      if (input.waiting.size() == kCredit) {
        limit = cycle;
        break;
      }
      message_.push_back(uint64_t{i} << 56 | ((cycle - first_cycle_) & UINT32_MAX));
      message_.insert(message_.end(), token.begin(), token.end());
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
  uint64_t head[2];
  receive(head);
  const uint64_t cycle = first_cycle_ + (head[0] & kCycleBits);
  check_row({cycle, head[1], (head[0] & kStopped) != 0}, cycle_, limit_, outputs_,
            platform_.name());
  for (size_t i = 0; i < outputs_.size(); ++i) {
    if ((head[1] >> i & 1) == 0) {
      outputs_[i].clear_wakes();
      continue;
    }
    token_.resize(outputs_[i].words());
    receive(token_);
    outputs_[i].unpack(token_.data());
  }
  ++traffic_.rows;
  cycle_ = cycle + 1;
  on_row(cycle);
  return (head[0] & kStopped) != 0;
}

void HostTarget::receive(std::span<uint64_t> words) {
  traffic_.words_up += words.size();
  while (!platform_.receive(words)) {
    const uint32_t status = platform_.read(kStatus);
    if ((status & kStatusExpired) == 0) continue;
    if (examine_) examine_();
    throw std::runtime_error(
        fmt::format("the target stands still in cycle {}: {} host cycles without a step",
                    first_cycle_ + read_wide(kCycle), kPatienceHostCycles));
  }
}

uint64_t HostTarget::counter(uint32_t index, bool before) {
  platform_.write(kCounter, index);
  const uint64_t value = read_wide(kCounterValue);
  return before ? value - platform_.read(kCounterRose) : value;
}

uint64_t HostTarget::read_wide(uint32_t address) {
  const uint64_t low = platform_.read(address);
  return low | uint64_t{platform_.read(address + 4)} << 32;
}

void HostTarget::write_wide(uint32_t address, uint64_t value) {
  platform_.write(address, static_cast<uint32_t>(value));
  platform_.write(address + 4, static_cast<uint32_t>(value >> 32));
}

}  // namespace firesim::hostlib
