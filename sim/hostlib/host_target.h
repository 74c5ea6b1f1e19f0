// SPDX-License-Identifier: BSD-3-Clause
// A target on a platform, as the drivers of its bridges see it: ports whose values are set and
// read here, and cycles that pass there.
//
// The host says from which cycle on an input has which value, and lets the target run. It is told
// of the cycles in which a driver is to be woken; the target runs on in the meantime, unless the
// driver may answer. All of it goes through the words of rtl/firesim_commands.v,
// rtl/firesim_input_channel.v and rtl/firesim_rows.v.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "hostlib/host_channel.h"
#include "hostlib/platform.h"
#include "hostlib/row_check.h"

namespace firesim::hostlib {

// Values of one input channel that may wait on the platform (LOG_DEPTH in host_top.py).
inline constexpr size_t kCredit = 16;

// What went over the streams of a target, commands and rows with their tokens.
struct HostTraffic {
  uint64_t runs = 0;
  uint64_t words_down = 0;
  uint64_t rows = 0;
  uint64_t words_up = 0;
  uint64_t words_up_at_stops = 0;  // of them, those for which the target stood
};

class HostTarget {
 public:
  // `channels` in the order of the manifest; their ports outlive this. Throws DescriptionError,
  // starting with `where`, when the platform holds another design than `design_hash`.
  HostTarget(HostPlatform &platform, std::vector<HostChannel> channels,
             const std::string &design_hash, const std::string &where);

  // Which output channels are listened to, and stop the target, by `choose`. Between two runs.
  void choose(const std::function<void(HostChannel &)> &choose);
  // The target is in the state in which `cycle` begins, and not in its first one: the platform
  // counts from here. Before the first run.
  void start_at(uint64_t cycle);
  // The inputs as their ports now hold them are those of `cycle` and later ones. Not earlier than
  // any said of the same channel before.
  void note_inputs(uint64_t cycle);
  // Runs the cycles up to `limit`, which itself is not run, or fewer when a channel stops the
  // target, or has more new values than fit. `on_row(cycle)` is called for each cycle in which a
  // driver is to be woken, and for the last one. The output ports then hold the tokens of the
  // channels that wake a driver, and in the last cycle of a run that nothing stopped those of all
  // channels that are listened to, but for gated ones that their gate holds back. Throws
  // std::runtime_error when the target makes no progress.
  void run(uint64_t limit, const std::function<void(uint64_t)> &on_row);
  // The last run is over. Throws std::runtime_error when the platform has not counted the cycles of
  // all runs: something has reset it meanwhile.
  void check_end();
  // What to ask first when the target makes no progress; it may throw the reason.
  void when_still(std::function<void()> examine) { examine_ = std::move(examine); }
  // Whether the target runs a cycle only together with others, which wait for it, too.
  bool together() const { return together_; }
  // The others may never come: such a target that waits, or is to, throws GivenUp. From any thread.
  void give_up() { given_up_.store(true, std::memory_order_relaxed); }
  // Cycles run, with those before it was started.
  uint64_t cycle() const { return cycle_; }
  // Those run on this platform.
  uint64_t cycles_here() const { return cycle_ - first_cycle_; }
  // The value of a counter in cycle cycle(), or with `before` in the one before that.
  uint64_t counter(uint32_t index, bool before);
  const HostTraffic &traffic() const { return traffic_; }

 private:
  void check_design(const std::string &design_hash, const std::string &where);
  void send_inputs(uint64_t limit);
  bool take_row(const std::function<void(uint64_t)> &on_row);
  RowHead take_head();
  void take_tokens(const RowHead &row);
  uint64_t receive();
  void check_progress();

  struct Input {
    HostChannel channel;
    Words said;                                      // last noted
    Words sent;                                      // last sent
    std::deque<std::pair<uint64_t, Words>> planned;  // not sent yet, by cycle
    std::deque<uint64_t> waiting;                    // cycles of what was sent and lies there
  };
  struct Output {
    Words told;         // the last token
    bool seen = false;  // it is of the row under way
  };

  HostPlatform &platform_;
  std::vector<Input> inputs_;
  std::vector<HostChannel> outputs_;
  std::vector<Output> tokens_;  // of outputs_
  size_t pieces_ = 0;           // of all outputs
  uint64_t first_cycle_ = 0;    // the platform's cycle 0
  uint64_t cycle_ = 0;
  uint64_t limit_ = 0;  // of the run under way
  uint64_t seen_ = 0;   // cycles that were over on the platform when a word was waited for
  Words token_, message_;
  HostTraffic traffic_;
  bool together_ = false;
  std::atomic<bool> given_up_ = false;
  std::function<void()> examine_;
};

}  // namespace firesim::hostlib
