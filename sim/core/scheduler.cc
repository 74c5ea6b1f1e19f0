// SPDX-License-Identifier: BSD-3-Clause
//
// The scheduler before and after the run: models and links, supervision, results.
#include "core/scheduler.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <thread>

#include "core/check.h"
#include "core/scheduler_impl.h"
#include "core/token_hash.h"

namespace firesim {

namespace {

double clock_s(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

constexpr double kNeverS = 1e300;
const std::atomic<uint64_t> kAlways{UINT64_MAX};  // empty tokens of a port without a link are there

Input input_of(Channel &channel, size_t producer) {
  return {&channel, producer, &channel.available_counter(), ""};
}

// An assert in another process that decided the end; of several the one with the least name.
const NodeEnd *remote_assert(const std::vector<NodeEnd> &ends, uint64_t decided_cycle) {
  const NodeEnd *found = nullptr;
  for (const NodeEnd &one : ends) {
    if (!one.end.assert_failed || one.end.cycle != decided_cycle) continue;
    if (found == nullptr || one.node < found->node) found = &one;
  }
  return found;
}

}  // namespace

uint64_t cluster_hash(uint64_t end_cycle, const std::vector<LinkResult> &links) {
  uint64_t hash = end_cycle;
  for (const LinkResult &link : links) {
    if (!link.a_to_b || !link.b_to_a) return 0;
    hash = combine_hash(hash, hash_text(link.name));
    hash = combine_hash(hash, link.a_to_b->hash);
    hash = combine_hash(hash, link.b_to_a->hash);
  }
  return hash;
}

Scheduler::Scheduler(const SchedulerOptions &options) : impl_(std::make_unique<Impl>(options)) {}
Scheduler::~Scheduler() = default;
size_t Scheduler::add_model(Model &model, bool is_node) { return impl_->add_model(model, is_node); }
void Scheduler::connect(const std::string &name, size_t model_a, uint32_t port_a, size_t model_b,
                        uint32_t port_b, uint32_t latency_cycles) {
  impl_->connect(name, model_a, port_a, model_b, port_b, latency_cycles);
}
void Scheduler::set_faults(const std::string &name, bool a_to_b, LinkFaults faults) {
  impl_->set_faults(name, a_to_b, std::move(faults));
}
RunResult Scheduler::run(
    const std::function<void(double, const std::vector<ModelStatus> &)> &observer) {
  return impl_->run(observer);
}
void Scheduler::request_stop() { impl_->request_stop(); }
void Scheduler::prepare() { impl_->prepare(); }
void Scheduler::set_pauses(PauseOptions pauses) { impl_->set_pauses(std::move(pauses)); }
void Scheduler::start_at(uint64_t cycle) { impl_->start_at(cycle); }
void Scheduler::request_pause() { impl_->request_pause(); }
std::vector<std::string> Scheduler::link_names() const { return impl_->link_names(); }
void Scheduler::connect_hidden(size_t model_a, size_t model_b, uint32_t latency_cycles) {
  impl_->connect_hidden(model_a, model_b, latency_cycles);
}
void Scheduler::add_outside_input(size_t model, const std::atomic<uint64_t> &until,
                                  uint32_t latency_cycles, const std::string &from) {
  impl_->add_outside_input(model, until, latency_cycles, from);
}
void Scheduler::set_part(uint64_t diameter_cycles) { impl_->set_part(diameter_cycles); }
bool Scheduler::is_part() const { return impl_->is_part(); }
void Scheduler::add_remote_nodes(size_t count) { impl_->add_remote_nodes(count); }
void Scheduler::set_outside(OutsideWait outside) { impl_->set_outside(std::move(outside)); }
void Scheduler::wake(size_t model) { impl_->wake(model); }
void Scheduler::note_remote_end(const NodeEnd &end) { impl_->note_remote_end(end); }
std::vector<NodeEnd> Scheduler::ends_from(size_t first) const { return impl_->ends_from(first); }
void Scheduler::fail(const std::string &message) { impl_->fail(message); }

Scheduler::Impl::Impl(const SchedulerOptions &options)
    : options_(options),
      single_worker_(options.threads == 1),
      wake_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (options.threads < 1) throw std::invalid_argument("at least one thread is needed");
  if (wake_fd_ < 0) throw std::runtime_error("cannot make an eventfd");
}

Scheduler::Impl::~Impl() { close(wake_fd_); }

size_t Scheduler::Impl::add_model(Model &model, bool is_node) {
  Slot &slot = slots_.emplace_back();
  slot.model = &model;
  slot.grid_cycles = options_.longest_advance_cycles;
  slot.is_node = is_node;
  slot.inputs.resize(model.port_count());
  slot.outputs.resize(model.port_count());
  slot.counts_for_end = is_node && model.counts_for_end();
  if (slot.counts_for_end) ++node_count_;
  return slots_.size() - 1;
}

Link &Scheduler::Impl::add_link(const std::string &name, size_t model_a, size_t model_b,
                                uint32_t latency_cycles) {
  links_.push_back({name, std::make_unique<Channel>(latency_cycles),
                    std::make_unique<Channel>(latency_cycles), false});
  graph_.push_back({model_a, model_b, latency_cycles});
  links_.back().a_to_b->start_at(start_cycle_);
  links_.back().b_to_a->start_at(start_cycle_);
  for (const size_t model : {model_a, model_b}) {
    slots_[model].grid_cycles = std::min(slots_[model].grid_cycles, latency_cycles);
  }
  return links_.back();
}

void Scheduler::Impl::connect(const std::string &name, size_t model_a, uint32_t port_a,
                              size_t model_b, uint32_t port_b, uint32_t latency_cycles) {
  Slot &a = slots_.at(model_a);
  Slot &b = slots_.at(model_b);
  if (a.inputs.at(port_a).channel != nullptr || b.inputs.at(port_b).channel != nullptr ||
      (model_a == model_b && port_a == port_b)) {
    throw std::invalid_argument("link " + name + " uses a port that is already connected");
  }
  const Link &link = add_link(name, model_a, model_b, latency_cycles);
  a.inputs[port_a] = input_of(*link.b_to_a, model_b);
  b.inputs[port_b] = input_of(*link.a_to_b, model_a);
  a.outputs[port_a] = {link.a_to_b.get(), model_b, port_b};
  b.outputs[port_b] = {link.b_to_a.get(), model_a, port_a};
}

void Scheduler::Impl::set_faults(const std::string &name, bool a_to_b, LinkFaults faults) {
  const Link &link = find_link(name);
  Channel *channel = (a_to_b ? link.a_to_b : link.b_to_a).get();
  channel->set_faults(std::make_unique<FaultStage>(std::move(faults)));
  for (Slot &slot : slots_) {
    const bool takes = std::any_of(slot.inputs.begin(), slot.inputs.end(),
                                   [&](const Input &input) { return input.channel == channel; });
    const bool puts = std::any_of(slot.outputs.begin(), slot.outputs.end(),
                                  [&](const Output &output) { return output.channel == channel; });
    if (!takes && !puts) continue;
    slot.grid_cycles = std::min(slot.grid_cycles, channel->least_latency_cycles());
  }
}

void Scheduler::Impl::connect_hidden(size_t model_a, size_t model_b, uint32_t latency_cycles) {
  Link &link = add_link("", model_a, model_b, latency_cycles);
  link.hidden = true;
  Slot &a = slots_.at(model_a);
  Slot &b = slots_.at(model_b);
  a.inputs.push_back(input_of(*link.b_to_a, model_b));
  b.inputs.push_back(input_of(*link.a_to_b, model_a));
  a.outputs.push_back({link.a_to_b.get(), model_b, b.inputs.size() - 1});
  b.outputs.push_back({link.b_to_a.get(), model_a, a.inputs.size() - 1});
}

// Keeps parts of the target that share no link within a bounded distance of each other.
void Scheduler::Impl::connect_parts() {
  for (const GraphLink &link : hidden_links(slots_.size(), graph_)) {
    connect_hidden(link.a, link.b, link.latency_cycles);
  }
}

void Scheduler::Impl::prepare() {
  if (prepared_) return;
  prepared_ = true;
  begin_clock();
  for (Slot &slot : slots_) {
    for (Input &input : slot.inputs) {
      if (input.until != nullptr) continue;
      if (!slot.model->ports_may_be_open()) {
        throw std::invalid_argument("a port of " + slot.model->name() + " is not connected");
      }
      input.until = &kAlways;
    }
  }
  if (!is_part_) {
    connect_parts();
    diameter_ = diameter_cycles(slots_.size(), graph_);
  }
  if (options_.max_cycles != 0) end_limit_ = std::max(options_.max_cycles, start_cycle_);
  restore_ends();
  plan_pause(start_cycle_);
  for (size_t i = 0; i < slots_.size(); ++i) {
    Slot &slot = slots_[i];
    const uint32_t ports = slot.model->port_count();
    slot.in_batches.resize(ports);
    slot.out_batches.resize(ports);
    if (options_.batch_cycles != 0) {
      slot.grid_cycles = std::min(slot.grid_cycles, options_.batch_cycles);
      slot.max_step_cycles = slot.grid_cycles;
    } else {
      // No advance is longer than the diameter, so that a node that ends in the middle of one is
      // not yet beyond the end of the run.
      const uint64_t longest = options_.longest_advance_cycles;
      const uint64_t bound = diameter_ == 0 ? longest : std::min(longest, diameter_);
      slot.max_step_cycles = static_cast<uint32_t>(bound / slot.grid_cycles * slot.grid_cycles);
    }
    if (options_.random_batch_seed != 0) {
      slot.random.seed(combine_hash(options_.random_batch_seed, hash_text(slot.model->name())));
    }
    set_cycle(slot, start_cycle_);
    slot.state = SlotState::kQueued;
    ready_.push_back(i);
  }
  active_workers_ = options_.threads;
  may_spin_ = options_.threads > 1 && options_.threads <= std::thread::hardware_concurrency();
}

RunResult Scheduler::Impl::run(
    const std::function<void(double, const std::vector<ModelStatus> &)> &observer) {
  if (started_) throw std::logic_error("a scheduler runs once");
  started_ = true;
  prepare();
  const double wall_before = clock_s(CLOCK_MONOTONIC);
  const double cpu_before = clock_s(CLOCK_PROCESS_CPUTIME_ID);
  if (options_.on_calling_thread) {
    work();
  } else {
    run_workers(observer, wall_before);
  }
  RunResult result = collect(clock_s(CLOCK_MONOTONIC) - wall_before,
                             clock_s(CLOCK_PROCESS_CPUTIME_ID) - cpu_before);
  if (observer) observer(result.wall_s, status());
  return result;
}

void Scheduler::Impl::run_workers(
    const std::function<void(double, const std::vector<ModelStatus> &)> &observer,
    double started_s) {
  std::vector<std::thread> workers;
  for (uint32_t i = 0; i < options_.threads; ++i) {
    workers.emplace_back([this] {
      work();
      wake_supervisor();
    });
  }
  supervise(observer, started_s);
  for (std::thread &worker : workers) worker.join();
}

void Scheduler::Impl::request_stop() {
  stop_.store(true, std::memory_order_relaxed);
  wake_supervisor();
}

void Scheduler::Impl::wake_supervisor() const {
  const uint64_t one = 1;
  static_cast<void>(!write(wake_fd_, &one, sizeof one));
}

// Until the workers are done: calls the observer at intervals, wakes parked workers for a stop.
void Scheduler::Impl::supervise(
    const std::function<void(double, const std::vector<ModelStatus> &)> &observer,
    double started_s) {
  const bool timed = observer && options_.status_interval_s > 0;
  double next_status_s = started_s + options_.status_interval_s;
  next_timed_pause_s_ = pauses_.interval_s > 0 ? started_s + pauses_.interval_s : kNeverS;
  for (;;) {
    const double now_s = clock_s(CLOCK_MONOTONIC);
    if (timed && now_s >= next_status_s) {
      observer(now_s - started_s, status());
      next_status_s = std::max(next_status_s + options_.status_interval_s, now_s);
    }
    const double next_s = std::min(timed ? next_status_s : kNeverS, next_timed_pause_s_);
    const double wait_s = std::max(next_s - clock_s(CLOCK_MONOTONIC), 0.0);
    pollfd wake{wake_fd_, POLLIN, 0};
    poll(&wake, 1, static_cast<int>(std::ceil(std::min(wait_s, 3600.0) * 1000)));
    uint64_t count = 0;
    static_cast<void>(!read(wake_fd_, &count, sizeof count));
    std::unique_lock lock(ready_mutex_);
    if (clock_s(CLOCK_MONOTONIC) >= next_timed_pause_s_) {
      next_timed_pause_s_ = kNeverS;  // until this one is over
      timed_pause_ = true;
      hold_workers();
    }
    if (must_tell_reached_) tell_reached(lock);
    if (paused_ && !stop_.load(std::memory_order_relaxed)) {
      pause(lock);
      if (timed_pause_done_) next_timed_pause_s_ = clock_s(CLOCK_MONOTONIC) + pauses_.interval_s;
    }
    if (stop_.load(std::memory_order_relaxed)) finished_ = true;
    if (!finished_) continue;
    wake_all_workers();
    for (const Slot &slot : slots_) slot.model->give_up();
    return;
  }
}

std::string Scheduler::Impl::describe_deadlock() const {
  std::string text = "internal error: deadlock:";
  for (const Slot &slot : slots_) {
    const size_t input = slot.blocked_input.load(std::memory_order_relaxed);
    text += " " + slot.model->name() + " at cycle " + std::to_string(slot.cycle.load());
    if (input != kNone) {
      text += " waits for " + producer_name(slot.inputs[input]);
    }
    text += ";";
  }
  text.pop_back();
  return text;
}

// Fills in reason, message and end cycle.
void Scheduler::Impl::describe_end(RunResult &result) const {
  uint64_t least = UINT64_MAX;
  const ModelResult *assert_model = nullptr;
  for (const ModelResult &model : result.models) {
    least = std::min(least, model.cycles);
    if (!model.end || !model.end->assert_failed || model.end->cycle != end_decided_) continue;
    if (assert_model == nullptr) assert_model = &model;
  }
  const uint64_t limit = end_limit();
  result.end_cycle = least == UINT64_MAX ? 0 : std::min(least, limit);
  if (!error_.empty()) {
    result.reason = "error";
    result.message = error_;
  } else if (least < limit && !result.models.empty()) {
    result.reason = "interrupted";
    result.message = "stopped before the end on request";
  } else if (assert_model != nullptr) {
    result.reason = "assert";
    result.message = assert_model->name + ": " + assert_model->end->message;
  } else if (const NodeEnd *remote = remote_assert(result.remote_ends, end_decided_)) {
    result.reason = "assert";
    result.message = remote->node + ": " + remote->end.message;
  } else {
    // Where no node can end, the last cycle is the end that was asked for.
    result.reason = end_decided_ != UINT64_MAX || node_count_ == 0 ? "ended" : "max_cycles";
  }
}

void Scheduler::Impl::finish_models(uint64_t end_cycle) {
  for (Slot &slot : slots_) {
    if (slot.threw) continue;
    try {
      slot.model->finish(end_cycle);
    } catch (const std::exception &error) {
      if (error_.empty()) error_ = slot.model->name() + ": " + error.what();
    }
  }
}

RunResult Scheduler::Impl::collect(double wall_s, double cpu_s) {
  RunResult result;
  result.wall_s = wall_s;
  result.cpu_s = cpu_s;
  uint64_t ticks = 0;
  for (const Slot &slot : slots_) ticks += slot.busy_ticks.load();
  const double s_per_tick =
      ticks == 0 ? 0 : static_cast<double>(worker_cpu_ns_) * 1e-9 / static_cast<double>(ticks);
  for (const Slot &slot : slots_) {
    result.models.push_back({slot.model->name(), slot.is_node, slot.model->end(), slot.cycle.load(),
                             static_cast<double>(slot.busy_ticks.load()) * s_per_tick,
                             slot.advances});
  }
  for (const NodeEnd &end : ends_) {
    const bool here = std::any_of(result.models.begin(), result.models.end(),
                                  [&](const ModelResult &model) { return model.name == end.node; });
    if (!here) result.remote_ends.push_back(end);
  }
  describe_end(result);
  finish_models(result.end_cycle);
  if (!error_.empty()) {
    result.reason = "error";
    result.message = error_;
  }
  for (ModelResult &model : result.models) model.cycles = std::min(model.cycles, result.end_cycle);
  for (const Link &link : links_) {
    if (link.hidden) continue;
    LinkResult &one = result.links.emplace_back(LinkResult{link.name, {}, {}, {}, {}});
    if (link.puts_a) one.a_to_b = link.a_to_b->totals();
    if (link.puts_b) one.b_to_a = link.b_to_a->totals();
    if (const FaultStage *faults = link.a_to_b->faults()) one.faults_a_to_b = faults->counts();
    if (const FaultStage *faults = link.b_to_a->faults()) one.faults_b_to_a = faults->counts();
  }
  std::sort(result.links.begin(), result.links.end(),
            [](const LinkResult &a, const LinkResult &b) { return a.name < b.name; });
  result.exact_network = options_.exact_network;
  result.drift_cycles = diameter_;
  if (result.exact_network) result.token_hash = cluster_hash(result.end_cycle, result.links);
  return result;
}

}  // namespace firesim
