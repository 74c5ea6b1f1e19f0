// SPDX-License-Identifier: BSD-3-Clause
//
// The gateway's side towards the target: frames and flits, cycles and the wall clock.
#include "gateway/gateway.h"

#include <algorithm>
#include <cstring>
#include <thread>
#include <utility>

#include "core/atomic_file.h"
#include "core/check.h"
#include "core/fields.h"

namespace firesim {

namespace {

constexpr uint32_t kPadBytes = 2;
constexpr uint32_t kFlitBytes = 8;
constexpr uint32_t kMaxFrameFlits = 9216 / kFlitBytes;
constexpr uint32_t kMinFrameFlits = 2;  // addresses and type
constexpr uint64_t kMaxQueueBytes = 4 << 20;
constexpr uint64_t kGroupBit = 1;
constexpr double kLeastSleepS = 100e-6;  // shorter ones take longer than asked for
constexpr double kForgottenS = 0.01;     // a simulation further behind than this is too slow

std::unique_ptr<HostSide> open_host(const GatewayConfig &config, FrameSink to_target) {
  return config.is_tap ? open_tap_host(config, std::move(to_target))
                       : open_slirp_host(config, std::move(to_target));
}

}  // namespace

Gateway::Gateway(const GatewayConfig &config)
    : Model(config.name),
      config_(config),
      host_(open_host(config, [this](FrameBytes frame) { enqueue(frame); })) {
  if (!config_.status.empty()) {
    write_file_atomically(config_.status, host_->status().dump(1) + "\n");
  }
}

void Gateway::advance(uint64_t start_cycle, uint32_t cycles, std::span<Batch> inputs,
                      std::span<Batch> outputs) {
  const uint64_t end_cycle = start_cycle + cycles;
  if (!next_look_) {
    next_look_ =
        (start_cycle + config_.poll_cycles - 1) / config_.poll_cycles * config_.poll_cycles;
    next_send_cycle_ = std::max(next_send_cycle_, start_cycle);
  }
  throttle(start_cycle);
  for (const Run &run : inputs[0].runs()) {
    take(run);
    if (run.last) deliver(start_cycle + run.end() - 1, outputs[0]);
  }
  look_before(end_cycle, outputs[0]);
  send_before(end_cycle, outputs[0]);
}

// Sleeps if target time is ahead of what the ratio allows.
void Gateway::throttle(uint64_t cycle) {
  if (config_.real_time_ratio == 0) return;
  if (!host_->is_connected()) {
    anchor_.reset();
    return;
  }
  const Clock::time_point now = Clock::now();
  if (!anchor_) anchor_ = Anchor{cycle, now};
  const double target_s =
      static_cast<double>(cycle - anchor_->cycle) / static_cast<double>(config_.clock_hz);
  const double wall_s = std::chrono::duration<double>(now - anchor_->wall).count();
  const double ahead_s = target_s / config_.real_time_ratio - wall_s;
  if (ahead_s < -kForgottenS) {
    anchor_ = Anchor{cycle, now};
  } else if (ahead_s >= kLeastSleepS) {
    const double sleep_s = std::min(ahead_s, kMostSleepS);
    std::this_thread::sleep_for(std::chrono::duration<double>(sleep_s));
    throttled_s_ += sleep_s;
  }
}

void Gateway::take(const Run &run) {
  if (run.length > kMaxFrameFlits - arriving_.size()) arriving_is_too_long_ = true;
  if (!arriving_is_too_long_) {
    arriving_.insert(arriving_.end(), run.data, run.data + run.length);
  }
}

// Hands the frame whose final flit came in `cycle` to the host side.
void Gateway::deliver(uint64_t cycle, Batch &output) {
  look_before(cycle, output);
  send_before(cycle, output);
  const bool whole = !arriving_is_too_long_ && arriving_.size() >= kMinFrameFlits;
  const uint64_t destination = whole ? arriving_[0] >> 16 : 0;
  if (whole && (destination == config_.mac || (destination & kGroupBit) != 0)) {
    ++frames_from_target_;
    now_cycle_ = cycle;
    const auto *bytes = reinterpret_cast<const uint8_t *>(arriving_.data());
    host_->deliver({bytes + kPadBytes, arriving_.size() * kFlitBytes - kPadBytes},
                   nanoseconds(cycle));
  } else {
    ++dropped_from_target_;
  }
  arriving_.clear();
  arriving_is_too_long_ = false;
}

// Looks at the host as often as is due before `cycle`.
void Gateway::look_before(uint64_t cycle, Batch &output) {
  while (*next_look_ < cycle) {
    send_before(*next_look_, output);  // so that the room in the queue is that of this cycle
    now_cycle_ = *next_look_;
    host_->look(nanoseconds(now_cycle_));
    *next_look_ += config_.poll_cycles;
  }
}

// Sends what can be sent in cycles before `cycle`.
void Gateway::send_before(uint64_t cycle, Batch &output) {
  while (!queue_.empty()) {
    const Outgoing &frame = queue_.front();
    const uint64_t from = std::max(next_send_cycle_, frame.ready_cycle);
    if (from >= cycle) return;
    const auto left = static_cast<uint32_t>(frame.flits.size()) - sent_flits_;
    const auto flits = static_cast<uint32_t>(std::min<uint64_t>(left, cycle - from));
    output.append_run(static_cast<uint32_t>(from - output.start_cycle()),
                      frame.flits.data() + sent_flits_, flits, flits == left);
    next_send_cycle_ = from + flits;
    sent_flits_ += flits;
    if (flits < left) return;
    queue_bytes_ -= frame.flits.size() * kFlitBytes;
    queue_.pop_front();
    sent_flits_ = 0;
    ++frames_to_target_;
  }
}

// Called by the host side, in the event of `now_cycle_`.
void Gateway::enqueue(FrameBytes frame) {
  const size_t flits = (kPadBytes + frame.size() + kFlitBytes - 1) / kFlitBytes;
  if (flits > kMaxFrameFlits || queue_bytes_ + flits * kFlitBytes > kMaxQueueBytes) {
    ++dropped_to_target_;
    return;
  }
  Outgoing &outgoing = queue_.emplace_back();
  outgoing.ready_cycle = now_cycle_;
  outgoing.flits.resize(flits);
  std::memcpy(reinterpret_cast<uint8_t *>(outgoing.flits.data()) + kPadBytes, frame.data(),
              frame.size());
  queue_bytes_ += flits * kFlitBytes;
}

uint64_t Gateway::nanoseconds(uint64_t cycle) const {
  __extension__ using Wide = unsigned __int128;
  return static_cast<uint64_t>(Wide{cycle} * 1'000'000'000 / config_.clock_hz);
}

nlohmann::json Gateway::statistics() const {
  nlohmann::json facts = {
      {"deterministic", is_deterministic()},     {"frames_from_target", frames_from_target_},
      {"frames_to_target", frames_to_target_},   {"dropped_from_target", dropped_from_target_},
      {"dropped_to_target", dropped_to_target_}, {"throttled_s", throttled_s_}};
  facts.update(host_->statistics());
  return facts;
}

std::string Gateway::fingerprint() const {
  return format_mac(config_.mac) + " " + std::to_string(config_.poll_cycles);
}

void Gateway::save(StateWriter &state) const {
  state.section("gateway", 1);
  state.boolean(is_deterministic());
  state.u64(next_send_cycle_);
  state.u64s(arriving_);
  state.boolean(arriving_is_too_long_);
  state.u64(sent_flits_);
  state.u64(queue_.size());
  for (const Outgoing &frame : queue_) {
    state.u64(frame.ready_cycle);
    state.u64s(frame.flits);
  }
}

void Gateway::load(StateReader &state, uint64_t cycle) {
  state.section("gateway", 1);
  was_deterministic_ = state.boolean();
  next_send_cycle_ = state.u64();
  arriving_ = state.u64s(kMaxFrameFlits);
  arriving_is_too_long_ = state.boolean();
  sent_flits_ = static_cast<uint32_t>(state.u64(kMaxFrameFlits));
  const uint64_t frames = state.u64(kMaxQueueBytes / kFlitBytes);
  for (uint64_t i = 0; i < frames; ++i) {
    Outgoing &frame = queue_.emplace_back();
    frame.ready_cycle = state.u64(cycle);
    frame.flits = state.u64s(kMaxFrameFlits);
    if (frame.flits.empty()) state.fail("found a frame of no flits, expected at least one");
    queue_bytes_ += frame.flits.size() * kFlitBytes;
  }
  const bool is_cut_well =
      sent_flits_ == 0 || (!queue_.empty() && sent_flits_ < queue_[0].flits.size());
  if (!is_cut_well) state.fail("found more flits sent than the first frame has, expected fewer");
}

std::unique_ptr<Model> make_gateway(const nlohmann::json &entry, const SimulationContext &context) {
  return std::make_unique<Gateway>(read_gateway_config(entry, context));
}

}  // namespace firesim
