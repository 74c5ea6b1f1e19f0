// SPDX-License-Identifier: BSD-3-Clause
//
// The faults of a direction of a link at work: takes the tokens that are put into it, and gives
// those that it delivers.
//
// What the stage gives in cycle t is what the link would have been given in cycle t - lookahead;
// the link is shorter by as much (core/channel.h). So a frame whose fate its headers decide is not
// later than it would have been, unless it comes with gaps in its headers.
//
// The rules, cycle by cycle; how time is cut into batches changes nothing:
//  1. A frame is numbered when its first flit comes. When the flits are there that the rules look
//     at, or it has ended, every rule is asked in turn, and all that take it do what they do.
//  2. What a frame is sent as, itself and its copies, is ready `lookahead` cycles after it came, or
//     when its fate was known if that is later, and so much later as it is delayed. A frame that is
//     to be behind others is ready when as many later ones have begun to be sent, or at its limit.
//  3. What is ready first is sent first; of several the frame that came first. A frame is sent
//     without others in between, each flit no earlier than `lookahead` cycles after it came.
//  4. A frame that comes when `buffer_bytes` or more are held is dropped. Of a frame without an end
//     the first 65,536 flits are sent.
#pragma once

#include <cstdint>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/batch.h"
#include "core/link_faults.h"
#include "core/link_state.h"
#include "core/state.h"

namespace firesim {

// Of frames; one may be counted in several.
struct FaultCounts {
  uint64_t frames = 0;  // that came
  uint64_t dropped = 0;
  uint64_t dropped_buffer_full = 0;
  uint64_t duplicated = 0;  // copies
  uint64_t delayed = 0;     // also behind others
  uint64_t corrupted = 0;
  uint64_t bits_flipped = 0;
  uint64_t cut = 0;   // too long
  uint64_t held = 0;  // not wholly sent yet, copies included

  nlohmann::json to_json() const;
};

class FaultStage {
 public:
  // Throws std::runtime_error if the log cannot be written.
  explicit FaultStage(LinkFaults faults);

  uint32_t lookahead_cycles() const { return lookahead_; }

  // Before the first token.
  void start_at(uint64_t cycle) { done_ = cycle; }
  // Before the first token: what was put into a link without faults in the cycles before the start,
  // as many as the lookahead has. `mid_frame`: it begins in the middle of a frame, which passes.
  void take_over(const Batch &tokens, bool mid_frame);

  // Makes of the tokens that are put in those that are given in the same cycles.
  void apply(Batch &batch);

  FaultCounts counts() const;

  // --- fault_stage_state.cc ---
  // Everything that `load` needs, but for the rules: other ones may go on from here. `where` names
  // the direction in messages, `cycle` is that of the snapshot. Throws SnapshotError.
  SavedFaults save() const;
  void load(const SavedFaults &saved, const std::string &where, uint64_t cycle);

 private:
  struct Frame {
    std::vector<uint64_t> flits;
    std::vector<uint64_t> cycles;  // in which each of them came
    bool complete = false;
  };
  struct Sending {
    std::shared_ptr<const Frame> frame;
    uint64_t ready = 0;  // not before
    uint64_t delay_cycles = 0;
    uint64_t behind_frames = 0;  // left; 0: it waits for its cycle alone
  };
  using Order = std::pair<uint64_t, uint64_t>;  // first cycle, number of the sending

  // What the rules do to a frame, but for its bits.
  struct Fate {
    bool dropped = false;
    uint64_t copies = 0;
    uint64_t delay_cycles = 0;
    uint64_t behind_frames = 0, behind_cycles = 0;
  };

  // The frame that is coming in.
  struct Arrival {
    std::shared_ptr<Frame> frame;  // null between frames, and when no more of it is kept
    uint64_t number = 0;
    uint64_t cycle = 0;    // of its first flit
    uint64_t flits = 0;    // so far, also those that are not kept; 0 between frames
    bool is_rest = false;  // of a frame that began before there were faults
    bool decided = false;
    bool corrupted = false;
    std::vector<size_t> flipping;  // rules that flip bits of it
  };

  void take(uint64_t cycle, uint64_t data, bool last);
  void begin_frame(uint64_t cycle);
  void keep_flit(uint64_t cycle, uint64_t data, bool last);
  void decide(uint64_t cycle);
  void apply_rule(size_t rule, Fate &fate);
  void send(const Fate &fate, uint64_t cycle);
  void drop();
  void flip_bits(size_t flit);
  void flip(const FaultRule &rule, size_t flit, uint64_t bit_of_flit);
  void add_sending(Sending sending);
  void send_until(uint64_t end_cycle);
  bool begin_sending(uint64_t end_cycle);
  void pass_others(uint64_t number);
  void end_sending();
  void log(const char *what, const std::string &detail);
  void load_counts(StateReader &state);
  static std::vector<std::shared_ptr<Frame>> load_frames(StateReader &state, uint64_t cycle);
  void load_sendings(StateReader &state, const std::vector<std::shared_ptr<Frame>> &frames,
                     uint64_t cycle);
  void load_arrival(StateReader &state, const std::vector<std::shared_ptr<Frame>> &frames);

  const LinkFaults faults_;
  const uint32_t lookahead_;
  const uint32_t needed_flits_;
  std::ofstream file_;

  uint64_t done_ = 0;       // all cycles before are given
  uint64_t line_free_ = 0;  // first cycle in which another flit may be given
  uint64_t held_flits_ = 0;
  FaultCounts counts_;
  std::vector<uint64_t> matched_;  // by rule: frames that it matched
  Arrival arrival_;
  std::map<Order, Sending> waiting_;
  std::map<uint64_t, Order> behind_;  // of those that wait for others, by number
  uint64_t next_sending_ = 0;
  std::optional<Sending> current_;
  uint64_t current_number_ = 0;
  uint64_t sent_flits_ = 0;  // of the current one
  Batch out_;
};

}  // namespace firesim
