// SPDX-License-Identifier: BSD-3-Clause
//
// Runs models on worker threads, conservatively: a model advances only over cycles whose tokens are
// there on every port. So the result depends on nothing but the models; threads, batches and the
// order of work change only how long it takes.
//
// A model that can advance is put on one ready list; any worker takes it from there. A model that
// cannot remembers the one port it lacks tokens on, and only the push of those tokens wakes it. A
// worker with nothing to do parks.
//
// Where time is cut. With `batch_cycles` 0 a model advances to the last multiple of its *grid* that
// its inputs allow, the grid being its shortest link latency (at most `longest_advance_cycles`).
// Without the grid, unequal links would cut batches into ever smaller pieces. It cannot deadlock:
// the model that is least advanced has at least one grid step of tokens on every port.
//
// Ending. See ARCHITECTURE.md, "Time and order": once it is decided that the run ends at cycle E,
// all models run on to exactly E + D. Parts that are not connected are kept together by a hidden
// link without tokens, so that the rule holds for them too.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/channel.h"
#include "core/model.h"

namespace firesim {

// Longest single advance: bounds the time an interrupt has to wait for a slow model.
inline constexpr uint32_t kMaxGridCycles = 8192;
// The same where all models are fast: about a millisecond of target time.
inline constexpr uint32_t kMostAdvanceCycles = 1 << 22;

struct SchedulerOptions {
  uint32_t threads = 1;            // workers, at least 1
  uint32_t batch_cycles = 0;       // longest advance; 0 = automatic
  uint64_t random_batch_seed = 0;  // nonzero: advance by seeded random numbers of cycles
  uint64_t max_cycles = 0;         // never simulate more; 0 = no limit
  bool end_with_first = false;     // the first node that ends decides, not the last one
  uint32_t longest_advance_cycles = kMaxGridCycles;
  bool exact_network = true;       // the links are those of the system, so their tokens are hashed
  double status_interval_s = 0.5;  // between two calls of the observer; 0 = none
  // `run` is the one worker, and there is no other thread: no unplanned pauses, no status.
  bool on_calling_thread = false;
};

struct ModelStatus {
  std::string name;
  uint64_t cycle = 0;
  const char *state = "";                  // "running", "waiting" or "ended"
  std::optional<std::string> waiting_for;  // name of the model whose tokens it lacks
  uint64_t packets_in = 0;
  uint64_t packets_out = 0;
  // Host time since the run began: how long a worker computed it, and how long it lacked tokens of
  // another model. In the rest it could go on, and every worker had something else to do.
  double busy_s = 0;
  double waiting_s = 0;
  std::optional<int> exit_code;      // of a node that has ended; 0 = passed
  std::optional<QueueStatus> queue;  // of a switch
};

// What has been put into a direction of a link so far.
struct TrafficCount {
  uint64_t flits = 0;
  uint64_t packets = 0;

  bool operator==(const TrafficCount &) const = default;
};

// A direction is counted where its tokens are put in.
struct LinkStatus {
  std::optional<TrafficCount> a_to_b;
  std::optional<TrafficCount> b_to_a;

  bool operator==(const LinkStatus &) const = default;
};

struct ModelResult {
  std::string name;
  bool is_node = false;
  std::optional<ModelEnd> end;
  uint64_t cycles = 0;
  double cpu_s = 0;
  uint64_t advances = 0;  // calls of `Model::advance`
};

// The totals of a direction are known where its tokens are put in.
struct LinkResult {
  std::string name;
  std::optional<ChannelTotals> a_to_b;
  std::optional<ChannelTotals> b_to_a;
  std::optional<FaultCounts> faults_a_to_b;  // of a direction with faults
  std::optional<FaultCounts> faults_b_to_a;
};

// The end of a node, as the processes that simulate parts of one target tell each other.
struct NodeEnd {
  std::string node;
  bool counts = false;  // for the end of the run
  ModelEnd end;
};

// The hash of a run that ended at `end_cycle`, over all its links, in order of name; 0 when the
// totals of a direction are not known.
uint64_t cluster_hash(uint64_t end_cycle, const std::vector<LinkResult> &links);

struct RunResult {
  std::string reason;   // "ended", "max_cycles", "assert", "interrupted" or "error"
  std::string message;  // for a person; empty if nothing went wrong
  uint64_t end_cycle = 0;
  uint64_t token_hash = 0;  // 0 when a direction of a link is not known here, or not exact
  bool exact_network = true;
  uint64_t drift_cycles = 0;  // no two models were further apart
  double wall_s = 0;
  double cpu_s = 0;
  std::vector<ModelResult> models;
  std::vector<LinkResult> links;     // in order of name
  std::vector<NodeEnd> remote_ends;  // of nodes in other processes
};

// When the scheduler brings all models to one and the same cycle, to save them.
struct PauseOptions {
  // The first planned pause after cycle `after`; UINT64_MAX for none.
  std::function<uint64_t(uint64_t after)> next_cycle;
  double interval_s = 0;  // wall-clock time between two unplanned pauses; 0 = none
  // Called by the thread of `run` while every model stands at `cycle`. `timed` is set for a pause
  // that `interval_s` asked for. Must not throw.
  std::function<void(uint64_t cycle, bool timed)> at_pause;
  // The models are about to go on from a pause. Must not wait.
  std::function<void()> resumed;
};

// How the parts of a target find one cycle for an unplanned pause. Each part calls `hold`, and
// stands still from when it has told its `reached` until `pause_at`; the greatest of all cycles is
// one that no model anywhere has passed.
struct PauseAgreement {
  static constexpr uint64_t kOver = UINT64_MAX;  // the run is over here, or: no pause

  // This part wants a pause: all are to hold, this one included. Must not wait. Without it, none is
  // ever wanted here.
  std::function<void()> want;
  // The models here can all pause at `cycle`; or `kOver`. Any thread.
  std::function<void(uint64_t cycle)> reached;
};

// How a worker without work waits for what comes from outside, and hears it itself.
struct OutsideWait {
  std::function<void()> wait;       // one worker at a time; returns once something may have come
  std::function<void()> interrupt;  // `wait` returns, or the next one does. Must not wait
};

class Scheduler {
 public:
  explicit Scheduler(const SchedulerOptions &options);
  ~Scheduler();
  Scheduler(const Scheduler &) = delete;
  Scheduler &operator=(const Scheduler &) = delete;

  // Adds a model, which must outlive the scheduler, and returns its index. Nodes can end the run.
  size_t add_model(Model &model, bool is_node);

  // Connects two ports with a link of `latency_cycles` >= 1 in both directions. Every port of every
  // model must be connected exactly once before `run`.
  void connect(const std::string &name, size_t model_a, uint32_t port_a, size_t model_b,
               uint32_t port_b, uint32_t latency_cycles);

  // The tokens that are put into this direction, which has been connected, meet faults. Their
  // lookahead must be less than the latency.
  void set_faults(const std::string &name, bool a_to_b, LinkFaults faults);

  // --- When other processes simulate the rest of the target. All before `prepare`; from `wake` on
  // also later, by any thread. ---

  // This is a part of a target of that diameter, hidden links included.
  void set_part(uint64_t diameter_cycles);
  bool is_part() const;
  // So many nodes in other processes count for the end of the run.
  void add_remote_nodes(size_t count);

  // A link without ports and tokens, that only bounds how far the two are apart.
  void connect_hidden(size_t model_a, size_t model_b, uint32_t latency_cycles);
  // The model advances over no cycle from `until` on, which outlives the run and only ever grows;
  // `from` names in messages who raises it. What comes has been under way for `latency_cycles`.
  void add_outside_input(size_t model, const std::atomic<uint64_t> &until, uint32_t latency_cycles,
                         const std::string &from);
  // Before `prepare`: workers wait outside. Without it they park, and `wake` wakes them.
  void set_outside(OutsideWait outside);
  // What the model waits for may be there: `until` has been raised.
  void wake(size_t model);
  // A node in another process has ended. To be called before any token is taken in that follows
  // from what the node did later. Knowing one twice does nothing.
  void note_remote_end(const NodeEnd &end);
  // All ends that are known so far, here and elsewhere, but for the first `first`.
  std::vector<NodeEnd> ends_from(size_t first) const;
  // Ends the run soon with the reason "error".
  void fail(const std::string &message);
  // Before `prepare`: unplanned pauses are agreed upon. The other two are for any thread.
  void set_agreement(PauseAgreement agreement);
  void hold();
  void pause_at(uint64_t cycle);  // or `kOver`: the models go on without a pause

  // Before `prepare`: pauses, which do not change what the models do.
  void set_pauses(PauseOptions pauses);

  // Before `prepare`: the run goes on at `cycle`. The models have been told so; links are empty
  // unless `load_link` says otherwise.
  void start_at(uint64_t cycle);

  // State of a link, by name, which must exist; while paused, and before the run after `start_at`.
  std::vector<std::string> link_names() const;
  void save_link(const std::string &name, StateWriter &state) const;
  void load_link(const std::string &name, StateReader &state);
  // The same of one direction, as far as it is in this process.
  DirectionState direction(const std::string &name, bool a_to_b) const;
  void restore_direction(const std::string &name, bool a_to_b, DirectionState state);

  // Checks and completes what was added. `run` does it, too, if it has not been done.
  void prepare();

  // What every model does at the moment; any thread, after `prepare`.
  std::vector<ModelStatus> status() const;
  // What the links have carried, in the order of `link_names`; any thread, after `prepare`.
  std::vector<LinkStatus> link_status() const;

  // Makes all models stop for a pause at one and the same cycle, soon. Any thread, after `prepare`.
  void request_pause();

  // Runs to the end; once only. The observer is called from this thread at intervals and once at
  // the end. Does not throw for what goes wrong in models: see `RunResult::reason`.
  RunResult run(const std::function<void(double wall_s, const std::vector<ModelStatus> &)>
                    &observer = nullptr);

  // Makes `run` return soon with the reason "interrupted". May be called from a signal handler and
  // from any thread.
  void request_stop();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace firesim
