// SPDX-License-Identifier: BSD-3-Clause
//
// What the scheduler knows of anything it simulates: a blade, a switch, a traffic generator.
//
// A model has ports numbered from 0. The scheduler hands it the tokens that arrive on every port in
// the cycles [start, start + n) and takes the tokens it sends on every port in the same cycles. The
// links add the latency, so an output in cycle t may depend on inputs of cycles up to and including
// t, never later. n varies from call to call; what a model does must not depend on how its time is
// cut into calls.
//
// One model is advanced by one thread at a time, but not always by the same thread. A model shares
// no mutable state with another one.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/batch.h"

namespace firesim {

// A description that cannot be simulated. The text is one sentence: where, what was found, what was
// expected. Thrown by model factories and by the description checks, before anything is started.
class DescriptionError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// How a node ended.
struct ModelEnd {
  uint64_t cycle = 0;          // target cycle in which it ended
  int exit_code = 0;           // 0 = passed
  bool assert_failed = false;  // decides the end of the run at once, whatever "end_when" says
  std::string message;         // for a person: why; may be empty
};

// What waits in the output queues of a switch.
struct QueueStatus {
  uint64_t bytes = 0;  // in all of them
  double fullest = 0;  // share of its room that the fullest one takes, from 0 to 1

  bool operator==(const QueueStatus &) const = default;
};

class StateWriter;
class StateReader;

// Thrown by an advance that was given up; what it has done is not part of the run.
class GivenUp : public std::exception {
 public:
  const char *what() const noexcept override { return "given up with the run"; }
};

class Model {
 public:
  explicit Model(std::string name) : name_(std::move(name)) {}
  Model(const Model &) = delete;
  Model &operator=(const Model &) = delete;

  // Frees everything and leaves files readable. Also runs when the run was interrupted or another
  // model failed, so that `finish` may not have been called.
  virtual ~Model() = default;

  const std::string &name() const { return name_; }

  // Number of ports; constant over the life of the model.
  virtual uint32_t port_count() const = 0;

  // Whether ports may be without a link: nothing ever arrives there, and what is sent is for
  // nobody.
  virtual bool ports_may_be_open() const { return false; }

  // Simulates target cycles [start_cycle, start_cycle + cycles), cycles >= 1. Calls are contiguous
  // and the first one starts at cycle 0, or where `load` or `start_at` said.
  //
  // `inputs[i]` holds exactly these cycles of port i; the model may take its content away.
  // `outputs[i]` is an empty batch of exactly these cycles, to be filled.
  //
  // A model whose node has ended keeps being advanced: it ignores its inputs and sends nothing.
  // Throwing ends the run with the reason "error", this model's name and the exception's text.
  virtual void advance(uint64_t start_cycle, uint32_t cycles, std::span<Batch> inputs,
                       std::span<Batch> outputs) = 0;

  // The run stops at once, and no model is advanced again. From another thread, and maybe during an
  // advance: one that waits for the advance of another model must throw GivenUp.
  virtual void give_up() {}

  // Whether this node's end helps to decide the end of the run. False for nodes that have none of
  // their own, such as a gateway. Constant over the life of the model.
  virtual bool counts_for_end() const { return true; }

  // How the node ended, once it has. Read after every `advance`; must not change after it is set.
  // Switches never end.
  const std::optional<ModelEnd> &end() const { return end_; }

  // Why the state of this model cannot be saved, in one sentence without its name; nothing if it
  // can be. Asked before a run that is to make snapshots starts. A kind of model whose state can be
  // saved overrides all of these.
  virtual std::optional<std::string> can_save() const {
    return "models of this kind cannot be saved";
  }

  // What the model is made of, as far as a state of it only fits another one made alike: its design
  // hash, say, or a size. One line; compared before `load`.
  virtual std::string fingerprint() const { return ""; }

  // Whether `load` also takes the state of another kind of model.
  virtual bool continues(const std::string &kind) const {
    static_cast<void>(kind);
    return false;
  }

  // Whether a state of that other kind of model is one of this kind's, where both have one
  // fingerprint.
  virtual bool shares_states_with(const std::string &kind) const {
    static_cast<void>(kind);
    return false;
  }

  // Writes all state that `load` needs to go on from here as if nothing had happened; how the node
  // ended is kept by the caller. Called between two advances, which other threads may have done;
  // must not change what the model does. See core/state.h.
  virtual void save(StateWriter &state) const;

  // Takes the state over, instead of starting at cycle 0; the next advance starts at `cycle`, which
  // is that of the snapshot. Throws SnapshotError (by the reader) for what does not fit.
  virtual void load(StateReader &state, uint64_t cycle);

  // Starts afresh at `cycle` instead of 0: for a model that joins others that come out of a
  // snapshot. Models for which cycle 0 is special refuse with a DescriptionError.
  virtual void start_at(uint64_t cycle);

  // What waits in its queues after its last advance, for people who watch; nothing if it has none.
  // From another thread, during an advance too.
  virtual std::optional<QueueStatus> queue_status() const { return std::nullopt; }

  // Called once when the run is over and every model has stopped, before the destructor, unless
  // this model threw. `end_cycle` is the number of cycles simulated. Write final statistics here.
  virtual void finish(uint64_t end_cycle) { static_cast<void>(end_cycle); }

  // Facts for this model's entry in result.json under "statistics"; null for none. Called after
  // `finish`.
  virtual nlohmann::json statistics() const { return nullptr; }

 protected:
  // The node ends in target cycle `end.cycle`, which lies within the current `advance`.
  void set_end(ModelEnd end) {
    if (!end_) end_ = std::move(end);
  }

 private:
  friend class ModelState;  // carries `end_` over (core/snapshot.h)

  std::string name_;
  std::optional<ModelEnd> end_;
};

}  // namespace firesim
