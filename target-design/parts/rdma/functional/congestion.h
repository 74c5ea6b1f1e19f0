// SPDX-License-Identifier: BSD-3-Clause
// Congestion control (DCQCN, Zhu et al., SIGCOMM 2015) by the rules of RateControl.scala and
// Notifier.scala: queue pairs are looked at in turn, one a cycle, so times are whole rounds of 64
// cycles, and what ends within one counts at its end.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "parts/rdma/functional/queue_pair.h"

namespace firesim {
class StateWriter;
class StateReader;
}  // namespace firesim

namespace firesim::functional::rdma {

// Registers of the settings, in their order; without software they are what the how-to says.
struct CongestionSettings {
  static constexpr uint32_t kCount = 12;
  enum Name : uint32_t {
    kEnabled,
    kNotificationCycles,
    kAlphaCycles,
    kIncreaseCycles,
    kIncreaseBytes,
    kLineMbps,
    kLeastMbps,
    kAdditiveMbps,
    kHyperMbps,
    kRecoveries,
    kGainShift,
    kNotificationDscp
  };
  std::array<uint32_t, kCount> values{0,   160'000, 176'000, 176'000, 10'000'000, 204'800,
                                      100, 40,      200,     5,       8,          48};

  // As many bits of it as the register has.
  void set(uint32_t name, uint32_t value);
  uint32_t get(Name name) const { return values[name]; }
  bool enabled() const { return values[kEnabled] != 0; }
};

// A pointer that goes from queue pair to queue pair, one a cycle, as long as there are any to look
// at.
class Turns {
 public:
  // Brings it to `cycle`; `look(qp)` is called for each of those in `members()` that it comes to.
  template <typename Members, typename Look>
  void advance(uint64_t cycle, Members &&members, Look &&look) {
    while (now_ < cycle) {
      const uint64_t there = members();
      if (there == 0) {
        now_ = cycle;
        return;
      }
      const uint64_t distance = until(there);
      if (now_ + distance >= cycle) {
        pass(cycle - now_);
        return;
      }
      pass(distance + 1);
      look((at_ - 1) % kQps);
    }
  }
  // The cycle in which it comes to one of these; they are not none.
  uint64_t next(uint64_t members) const { return now_ + until(members) + 1; }

  uint64_t cycle() const { return now_; }
  template <typename Field>
  void each(Field &&field) {
    field(now_), field(at_, kQps - 1);
  }

 private:
  uint64_t until(uint64_t members) const {
    return static_cast<uint64_t>(std::countr_zero(std::rotr(members, static_cast<int>(at_))));
  }
  void pass(uint64_t cycles) {
    now_ += cycles;
    at_ = static_cast<uint32_t>((at_ + cycles) % kQps);
  }

  uint64_t now_ = 0;  // all looks up to this cycle have been made
  uint32_t at_ = 0;   // the queue pair of the next cycle
};

// What software reads of a queue pair's rate.
struct RateStatus {
  uint32_t rate_mbps = 0;
  uint32_t target_mbps = 0;
  uint32_t alpha = 0;                        // in units of 2^-20
  uint32_t timer_steps = 0, byte_steps = 0;  // since the last CNP

  template <typename Field>
  void each(Field &&field) {
    field(rate_mbps), field(target_mbps), field(alpha), field(timer_steps), field(byte_steps);
  }
};

// Reaction point: the rate of each queue pair, and whether it may send data now.
class RateControl {
 public:
  explicit RateControl(const CongestionSettings &settings) : settings_(&settings) {}

  void advance(uint64_t cycle);
  // A CNP of the peer.
  void notify(uint32_t qp);
  // Data has left in a frame of so many bytes.
  void sent(uint32_t qp, uint32_t frame_bytes);
  void configure(uint32_t qp) { forget(uint64_t{1} << qp); }
  void settings_changed() {
    if (!settings_->enabled()) forget(~uint64_t{0});
  }

  uint64_t may_go() const { return ~held_; }
  // No queue pair has a rate of its own.
  bool at_rest() const { return (active_ | told_) == 0; }
  // The next cycle in which one of `waiting`, which are held, may be let go.
  uint64_t next_event(uint64_t waiting) const;
  RateStatus status(uint32_t qp) const;

  void save(StateWriter &state) const;
  void load(StateReader &state);

 private:
  struct State {
    RateStatus status;
    uint32_t alpha_age = 0, timer_age = 0;  // rounds
    uint64_t bytes = 0;                     // since the last step of the byte counter
    int64_t credit = 0;                     // below 0 it may not send

    template <typename Field>
    void each(Field &&field) {
      status.each(field);
      field(alpha_age), field(timer_age), field(bytes), field(credit);
    }
  };

  State first() const;
  void look(uint32_t qp);
  RateStatus decreased(const RateStatus &before) const;
  RateStatus increased(const RateStatus &before, bool by_timer) const;
  void forget(uint64_t pairs);

  const CongestionSettings *settings_;
  Turns turns_;
  std::array<State, kQps> states_;
  std::array<uint32_t, kQps> spent_{};  // bytes, since it was looked at
  uint64_t active_ = 0;                 // have a state
  uint64_t told_ = 0;                   // a CNP has come, and was not looked at
  uint64_t limited_ = 0, held_ = 0;
};

// Notification point: a CNP for the first marked packet of a queue pair, and no other one until the
// time is over.
class Notifier {
 public:
  explicit Notifier(const CongestionSettings &settings) : settings_(&settings) {}

  void advance(uint64_t cycle);
  void marked(uint32_t qp);
  void configure(uint32_t qp) { forget(uint64_t{1} << qp); }
  void settings_changed() {
    if (!settings_->enabled()) forget(~uint64_t{0});
  }
  // No peer is to be told, nor was one a short time ago.
  bool at_rest() const { return (wanted_ | quiet_) == 0; }
  // Queue pairs whose peers are to be told.
  uint64_t wanted() const { return wanted_; }
  // The first of them has been told.
  uint32_t take();

  void save(StateWriter &state) const;
  void load(StateReader &state);

 private:
  void forget(uint64_t pairs);

  const CongestionSettings *settings_;
  Turns turns_;
  std::array<uint32_t, kQps> ages_{};  // rounds since the packet
  uint64_t wanted_ = 0;
  uint64_t quiet_ = 0;  // the time is not over
  uint64_t begun_ = 0;  // have an age
};

}  // namespace firesim::functional::rdma
