// SPDX-License-Identifier: BSD-3-Clause
//
// Inside of the scheduler: what it keeps per model, and the steps of a worker. Private to the files
// scheduler*.cc.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "core/scheduler.h"
#include "core/topology.h"

namespace firesim {

inline constexpr size_t kNone = SIZE_MAX;

// Monotonic, in any unit: only ratios are used.
inline uint64_t host_ticks() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  return static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

// kIdle: nobody works on it. kQueued: on the ready list, or held by the worker about to put it
// there. kRunning: a worker has it. Only kIdle -> kQueued is contended.
enum class SlotState { kIdle, kQueued, kRunning };

// Tokens of a link; or what comes from outside this process, or a port without a link, and then
// there is no channel.
struct Input {
  Channel *channel = nullptr;
  size_t producer = kNone;
  const std::atomic<uint64_t> *until = nullptr;  // what is before this cycle is there
  std::string outside;                           // who it comes from

  uint64_t available() const { return until->load(std::memory_order_acquire); }
};

struct Output {
  Channel *channel = nullptr;
  size_t consumer = kNone;
  size_t consumer_input = kNone;  // index in the consumer's `inputs`
};

// One model. Everything that is not atomic belongs to the worker that holds the slot.
struct alignas(64) Slot {
  Model *model = nullptr;
  bool is_node = false;
  bool counts_for_end = false;  // a node that the run waits for

  // One entry per port; then those of hidden links and what comes from outside, without a port.
  std::vector<Input> inputs;
  std::vector<Output> outputs;
  std::vector<Batch> in_batches;  // one per port
  std::vector<Batch> out_batches;
  Batch hidden_batch;

  uint32_t grid_cycles = 0;
  uint64_t next_grid_cycle = 0;  // first multiple of `grid_cycles` beyond the present cycle
  uint32_t max_step_cycles = 0;
  std::mt19937_64 random;

  uint64_t advances = 0;
  bool threw = false;

  std::atomic<SlotState> state{SlotState::kIdle};
  std::atomic<uint64_t> cycle{0};
  std::atomic<bool> ended{false};
  // While idle: the input it lacks tokens on, and the cycle up to which it wants them.
  std::atomic<size_t> blocked_input{kNone};
  std::atomic<uint64_t> wanted_cycle{0};

  // Host time, written by who holds the slot and read by `status`.
  std::atomic<uint64_t> busy_ticks{0};
  std::atomic<uint64_t> waited_ticks{0};
  std::atomic<uint64_t> since_ticks{0};  // it has been computed, or has waited, from then on
};

struct Link {
  std::string name;
  std::unique_ptr<Channel> a_to_b;
  std::unique_ptr<Channel> b_to_a;
  bool hidden = false;
  bool puts_a = true, puts_b = true;  // tokens are first put in here, from that end
};

class Scheduler::Impl {
 public:
  explicit Impl(const SchedulerOptions &options);
  ~Impl();

  size_t add_model(Model &model, bool is_node);
  void connect(const std::string &name, size_t model_a, uint32_t port_a, size_t model_b,
               uint32_t port_b, uint32_t latency_cycles);
  void set_faults(const std::string &name, bool a_to_b, LinkFaults faults);
  RunResult run(const std::function<void(double, const std::vector<ModelStatus> &)> &observer);
  void request_stop();
  void prepare();

  // --- scheduler_status.cc: what it does at the moment ---
  std::vector<ModelStatus> status() const;
  std::vector<LinkStatus> link_status() const;

  // --- scheduler_pause.cc: pauses, and going on where a snapshot was made ---
  void set_pauses(PauseOptions pauses);
  void start_at(uint64_t cycle);
  std::vector<std::string> link_names() const;
  const Link &find_link(const std::string &name) const;
  void load_link(const std::string &name, StateReader &state);
  void request_pause();

  // --- scheduler_agreed_pause.cc: pauses at a cycle that several processes agree upon ---
  void set_agreement(PauseAgreement agreement);
  void hold();
  void pause_at(uint64_t cycle);

  // --- scheduler_outside.cc: a part of a target whose rest is in other processes ---
  void connect_hidden(size_t model_a, size_t model_b, uint32_t latency_cycles);
  void add_outside_input(size_t model, const std::atomic<uint64_t> &until, uint32_t latency_cycles,
                         const std::string &from);
  void set_part(uint64_t diameter_cycles);
  bool is_part() const { return is_part_; }
  void add_remote_nodes(size_t count) { node_count_ += count; }
  void set_outside(OutsideWait outside);
  void wake(size_t model);
  void note_remote_end(const NodeEnd &end);
  std::vector<NodeEnd> ends_from(size_t first) const;
  void fail(const std::string &message);

 private:
  // --- scheduler_status.cc ---
  void begin_clock();
  double s_per_tick(uint64_t now_ticks) const;

  // --- scheduler.cc: before and after the run ---
  void connect_parts();
  Link &add_link(const std::string &name, size_t model_a, size_t model_b, uint32_t latency_cycles);
  void run_workers(const std::function<void(double, const std::vector<ModelStatus> &)> &observer,
                   double started_s);
  void supervise(const std::function<void(double, const std::vector<ModelStatus> &)> &observer,
                 double started_s);
  RunResult collect(double wall_s, double cpu_s);
  void describe_end(RunResult &result) const;
  void finish_models(uint64_t end_cycle);
  std::string describe_deadlock() const;

  // --- scheduler_pause.cc ---
  void restore_ends();
  void plan_pause(uint64_t after);
  void hold_workers();
  void choose_pause_cycle();
  uint64_t greatest_cycle() const;
  void pause(std::unique_lock<std::mutex> &lock);
  void queue_all();
  uint64_t end_limit() const;

  // --- scheduler_agreed_pause.cc ---
  bool agrees() const { return agreement_.reached != nullptr; }
  void want_pause();
  void begin_hold();
  void note_reached();
  void tell_reached(std::unique_lock<std::mutex> &lock);

  // --- scheduler_outside.cc ---
  bool wait_outside(std::unique_lock<std::mutex> &lock);
  bool must_wait_outside() const { return outside_.wait && !outside_waiter_; }
  void take_news();
  void queue_all_from_outside();
  void wake_worker();
  void wake_all_workers();

  // --- scheduler_worker.cc: what the workers do ---
  void work();
  size_t next_work(std::vector<size_t> &woken, uint64_t &ticks);
  size_t exchange_work(std::vector<size_t> &woken);
  bool has_work() const;
  bool may_take() const;
  void park(std::unique_lock<std::mutex> &lock);
  void spin_for_work() const;
  void go_quiet();
  void wake_supervisor() const;
  uint64_t wanted_cycle(const Slot &slot, uint64_t limit) const;
  bool can_advance(Slot &slot, uint64_t limit) const;
  uint64_t next_target(Slot &slot);
  bool blocked(Slot &slot, uint64_t wanted, uint64_t &available) const;
  void run_slot(size_t index, std::vector<size_t> &woken, uint64_t &ticks);
  void advance_slot(Slot &slot, uint64_t target);
  void release_slot(size_t index, std::vector<size_t> &woken);
  void wake_consumers(const Slot &slot, std::vector<size_t> &woken, uint64_t ticks);
  static void note_waited(Slot &slot, uint64_t ticks);
  void set_cycle(Slot &slot, uint64_t cycle) const;
  bool try_queue(Slot &slot) const;
  void fence() const;
  const std::string &producer_name(const Input &input) const;
  bool note_end(const Slot &slot, uint64_t start, uint64_t target);
  void count_end(const NodeEnd &one);
  bool lower_limit();

  const SchedulerOptions options_;
  std::deque<Slot> slots_;
  std::vector<Link> links_;
  std::vector<GraphLink> graph_;
  uint64_t diameter_ = 0;
  bool prepared_ = false;
  bool started_ = false;
  uint64_t start_cycle_ = 0;
  uint64_t start_ticks_ = 0;
  std::chrono::steady_clock::time_point start_time_;
  bool single_worker_;        // then nothing has to be ordered between threads
  bool has_outside_ = false;  // a model may wait for what no worker here brings
  bool is_part_ = false;      // `set_part` was called

  // No model goes beyond this cycle, the end of the run or a pause. Never below the cycle of any
  // model, and only raised while all models stand at it.
  std::atomic<uint64_t> limit_{UINT64_MAX};
  std::atomic<bool> stop_{false};

  // Set: workers take nothing more, so that a cycle can be chosen that no model has passed.
  std::atomic<bool> hold_{false};
  PauseOptions pauses_;
  uint64_t pause_cycle_ = UINT64_MAX;  // guarded by ready_mutex_, as are those up to the blank line
  uint64_t last_pause_cycle_ = 0;      // or the start
  bool paused_ = false;                // all models stand at `pause_cycle_`
  bool again_ = false;                 // another pause was asked for while paused
  bool timed_pause_ = false;           // the next pause is one of those at an interval
  bool timed_pause_done_ = false;      // the last pause was
  bool pause_wanted_ = false;          // by this part; until the pause has come
  bool must_tell_reached_ = false;     // the workers stand still for an agreement
  uint64_t reached_cycle_ = 0;         // where they do
  std::set<uint64_t> agreed_cycles_;   // to pause at, after the last pause

  PauseAgreement agreement_;
  OutsideWait outside_;
  double next_timed_pause_s_ = 0;  // of the supervising thread

  // Guards the ready list, unless there is a single worker, and the counts of workers.
  std::mutex ready_mutex_;
  std::condition_variable ready_changed_;
  std::deque<size_t> ready_;
  uint32_t active_workers_ = 0;
  uint32_t parked_workers_ = 0;
  std::vector<size_t> news_;                       // what may go on, while a single worker works
  std::atomic<bool> has_news_{false};              // there is something in `news_`
  std::optional<std::thread::id> outside_waiter_;  // the worker that waits outside
  bool finished_ = false;
  uint64_t worker_cpu_ns_ = 0;
  std::atomic<size_t> ready_count_{0};  // copy of ready_.size() for spinning workers
  bool may_spin_ = false;

  mutable std::mutex end_mutex_;     // guards what is known about the end
  uint64_t end_limit_ = UINT64_MAX;  // the run ends at this cycle; only ever lowered
  uint64_t end_decided_ = UINT64_MAX;
  std::vector<NodeEnd> ends_;  // in the order in which they became known, here or elsewhere
  size_t ended_nodes_ = 0;
  size_t node_count_ = 0;
  uint64_t last_end_ = 0;
  std::string error_;

  int wake_fd_ = -1;  // eventfd: wakes the supervising thread
};

}  // namespace firesim
