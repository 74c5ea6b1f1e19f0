// SPDX-License-Identifier: BSD-3-Clause
//
// The scheduler: the same tokens for any threads and batches, and every way a run can end.
#include "core/scheduler.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>

#include "core/token_hash.h"
#include "core/topology.h"

namespace firesim {
namespace {

// Sends flits that depend on all it has received, so that any slip of a cycle shows in the hash.
class Echo : public Model {
 public:
  Echo(std::string name, uint32_t ports) : Model(std::move(name)), ports_(ports) {}

  uint32_t port_count() const override { return ports_; }
  bool ports_may_be_open() const override { return open; }

  void advance(uint64_t start, uint32_t cycles, std::span<Batch> inputs,
               std::span<Batch> outputs) override {
    longest_seen = std::max(longest_seen, cycles);
    for (const Echo *other : near) {
      EXPECT_LE(start + cycles, other->reached + near_cycles) << name() << " " << other->name();
    }
    std::vector<FlitCursor> cursors(inputs.begin(), inputs.end());
    for (uint32_t offset = 0; offset < cycles; ++offset) {
      const uint64_t cycle = start + offset;
      for (uint32_t port = 0; port < ports_; ++port) {
        Flit flit;
        if (cursors[port].read(offset, flit))
          state_ += mix_flit(cycle + port, flit.data, flit.last);
      }
      if (waits_at == cycle) wait();
      if (throw_at == cycle) throw std::runtime_error("broken on purpose");
      if (end_at == cycle) set_end({cycle, exit_code, assert_failed, "over"});
      if (end()) continue;
      for (uint32_t port = 0; port < ports_; ++port) {
        if (mix_flit(cycle, state_ + port, false) % 3 != 0) continue;
        outputs[port].append_flit(offset, state_ ^ cycle, state_ % 2 == 0);
      }
    }
    reached = start + cycles;
  }

  void give_up() override { given_up.store(true); }
  void finish(uint64_t end_cycle) override { finished_at = end_cycle; }
  bool counts_for_end() const override { return counts; }
  void has_ended(ModelEnd end) { set_end(std::move(end)); }

  bool counts = true;
  bool open = false;
  uint32_t longest_seen = 0;
  std::vector<const Echo *> near;  // none is further behind than `near_cycles`
  uint64_t near_cycles = 0;
  uint64_t end_at = UINT64_MAX;
  uint64_t throw_at = UINT64_MAX;
  uint64_t waits_at = UINT64_MAX;
  std::atomic<bool> waits{false}, given_up{false};
  int exit_code = 0;
  bool assert_failed = false;
  std::atomic<uint64_t> reached{0};
  uint64_t finished_at = 0;

 private:
  void wait() {
    waits.store(true);
    while (!given_up.load()) std::this_thread::yield();
    throw GivenUp();
  }

  const uint32_t ports_;
  uint64_t state_ = 1;
};

// hub - a (latency 3), hub - b (latency 50), a - b (latency 7): the diameter is 10.
struct Triangle {
  explicit Triangle(const SchedulerOptions &options) : scheduler(options) {
    for (Echo *model : {&hub, &a, &b}) scheduler.add_model(*model, model != &hub);
    scheduler.connect("hub-a", 0, 0, 1, 0, 3);
    scheduler.connect("hub-b", 0, 1, 2, 0, 50);
    scheduler.connect("a-b", 1, 1, 2, 1, 7);
  }
  Echo hub{"hub", 2};
  Echo a{"a", 2};
  Echo b{"b", 2};
  Scheduler scheduler;
};

std::vector<SchedulerOptions> all_options() {
  std::vector<SchedulerOptions> all;
  for (const uint32_t threads : {1, 2, 5}) {
    for (const uint32_t batch : {0, 1, 7, 64}) {
      all.push_back({.threads = threads, .batch_cycles = batch});
    }
    for (const uint64_t seed : {1, 2, 3}) {
      all.push_back({.threads = threads, .random_batch_seed = seed});
    }
  }
  return all;
}

TEST(Scheduler, OneHashForAnyThreadsAndBatches) {
  uint64_t expected = 0;
  for (SchedulerOptions options : all_options()) {
    options.max_cycles = 3001;
    Triangle target(options);
    const RunResult result = target.scheduler.run();
    ASSERT_EQ(result.reason, "max_cycles") << result.message;
    ASSERT_EQ(result.end_cycle, 3001u);
    ASSERT_EQ(target.hub.finished_at, 3001u);
    ASSERT_EQ(target.a.reached, 3001u);
    if (expected == 0) expected = result.token_hash;
    ASSERT_EQ(result.token_hash, expected);
    ASSERT_GT(result.links[0].a_to_b.value().flits, 500u);
  }
}

// Port 0 of both has no link: what is sent there is for nobody, and the run is that of port 1.
TEST(Scheduler, PortsMayBeOpenWhereTheModelSaysSo) {
  uint64_t expected = 0;
  for (SchedulerOptions options : all_options()) {
    options.max_cycles = 2001;
    Echo a("a", 2), b("b", 2);
    a.open = b.open = true;
    Scheduler scheduler(options);
    scheduler.add_model(a, true);
    scheduler.add_model(b, true);
    scheduler.connect("a-b", 0, 1, 1, 1, 40);
    const RunResult result = scheduler.run();
    ASSERT_EQ(result.reason, "max_cycles") << result.message;
    ASSERT_EQ(result.links.size(), 1u);
    ASSERT_GT(result.links[0].a_to_b.value().flits, 300u);
    if (expected == 0) expected = result.token_hash;
    ASSERT_EQ(result.token_hash, expected);
  }
  Echo a("a", 2), b("b", 2);
  Scheduler scheduler({.threads = 1});
  scheduler.add_model(a, true);
  scheduler.add_model(b, true);
  scheduler.connect("a-b", 0, 1, 1, 1, 40);
  EXPECT_THROW(scheduler.prepare(), std::invalid_argument);
}

// A long link is crossed in one advance if that may be so long, and no model leaves another behind
// by more than the run says.
TEST(Scheduler, LongLinksMakeLongAdvancesAndABoundedDrift) {
  uint64_t expected = 0;
  for (SchedulerOptions options : all_options()) {
    if (options.batch_cycles == 1) continue;  // takes long, and shows nothing else
    options.max_cycles = 300'000;
    if (options.threads != 5) options.longest_advance_cycles = kMostAdvanceCycles;
    Echo hub("hub", 3), a("a", 1), b("b", 1), c("c", 1);
    const std::vector<Echo *> models = {&hub, &a, &b, &c};
    Scheduler scheduler(options);
    for (Echo *model : models) {
      scheduler.add_model(*model, model != &hub);
      model->near = {models.begin(), models.end()};
      model->near_cycles = 100'000;
    }
    for (uint32_t port = 0; port < 3; ++port) {
      scheduler.connect(models[port + 1]->name(), 0, port, port + 1, 0, 50'000);
    }
    const RunResult result = scheduler.run();
    ASSERT_EQ(result.reason, "max_cycles") << result.message;
    ASSERT_EQ(result.drift_cycles, 100'000u);
    if (expected == 0) expected = result.token_hash;
    ASSERT_EQ(result.token_hash, expected);
    ASSERT_LE(a.longest_seen, options.longest_advance_cycles);
    if (options.threads == 5 || options.batch_cycles != 0 || options.random_batch_seed != 0) {
      continue;
    }
    for (const ModelResult &model : result.models) ASSERT_LE(model.advances, 6u) << model.name;
  }
}

TEST(Scheduler, RunsOnToExactlyTheDiameterAfterTheLastEnd) {
  for (const SchedulerOptions &options : all_options()) {
    Triangle target(options);
    target.a.end_at = 500;
    target.b.end_at = 731;
    target.b.exit_code = 4;
    const RunResult result = target.scheduler.run();
    ASSERT_EQ(result.reason, "ended") << result.message;
    ASSERT_EQ(result.end_cycle, 741u);
    for (const Echo *model : {&target.hub, &target.a, &target.b}) ASSERT_EQ(model->reached, 741u);
    ASSERT_EQ(result.models[1].end->cycle, 500u);
    ASSERT_EQ(result.models[2].end->exit_code, 4);
  }
}

TEST(Scheduler, ANodeWithoutAnEndOfItsOwnIsNotWaitedFor) {
  Echo a("a", 1);
  Echo gateway("gateway", 1);
  a.end_at = 500;
  gateway.counts = false;
  Scheduler scheduler({.threads = 1});
  scheduler.add_model(a, true);
  scheduler.add_model(gateway, true);
  scheduler.connect("link", 0, 0, 1, 0, 9);
  const RunResult result = scheduler.run();
  EXPECT_EQ(result.reason, "ended") << result.message;
  EXPECT_EQ(result.end_cycle, 509u);
}

// a - gateway - b; the gateway ends, too, but that decides nothing, whether the run sees it happen
// or goes on from a snapshot made afterwards.
TEST(Scheduler, AnEndThatDoesNotCountDecidesNothing) {
  for (SchedulerOptions options : all_options()) {
    for (const bool first : {false, true}) {
      for (const bool restored : {false, true}) {
        options.end_with_first = first;
        Echo a("a", 1);
        Echo b("b", 1);
        Echo gateway("gateway", 2);
        a.end_at = 500;
        b.end_at = 731;
        gateway.counts = false;
        gateway.end_at = 100;
        Scheduler scheduler(options);
        for (Echo *model : {&a, &b, &gateway}) scheduler.add_model(*model, true);
        scheduler.connect("a", 0, 0, 2, 0, 9);
        scheduler.connect("b", 1, 0, 2, 1, 9);
        if (restored) {
          gateway.has_ended({100, 0, false, ""});
          scheduler.start_at(300);
        }
        const RunResult result = scheduler.run();
        ASSERT_EQ(result.reason, "ended") << result.message;
        ASSERT_EQ(result.end_cycle, (first ? 500U : 731U) + 18U) << restored;
        ASSERT_EQ(result.models[2].end->cycle, 100U);
      }
    }
  }
}

// Without any node that counts only the limit ends a run.
TEST(Scheduler, WithoutNodesThatCountTheLimitDecides) {
  for (const bool first : {false, true}) {
    Echo gateway("gateway", 0);
    gateway.counts = false;
    gateway.end_at = 100;
    Scheduler scheduler({.max_cycles = 5000, .end_with_first = first});
    scheduler.add_model(gateway, true);
    EXPECT_EQ(scheduler.run().end_cycle, 5000U);
  }
}

TEST(Scheduler, TheFirstEndDecidesIfConfigured) {
  for (SchedulerOptions options : all_options()) {
    options.end_with_first = true;
    Triangle target(options);
    target.a.end_at = 500;
    target.b.end_at = 498;  // often found out later on the host
    const RunResult result = target.scheduler.run();
    ASSERT_EQ(result.reason, "ended");
    ASSERT_EQ(result.end_cycle, 508u);
  }
}

TEST(Scheduler, AFailedAssertDecidesAtOnce) {
  for (const SchedulerOptions &options : all_options()) {
    Triangle target(options);
    target.a.end_at = 77;
    target.a.assert_failed = true;
    const RunResult result = target.scheduler.run();
    ASSERT_EQ(result.reason, "assert");
    ASSERT_EQ(result.message, "a: over");
    ASSERT_EQ(result.end_cycle, 87u);
  }
}

TEST(Scheduler, PartsWithoutALinkBetweenThemEndTogether) {
  for (const SchedulerOptions &options : all_options()) {
    Echo a("a", 0);
    Echo b("b", 0);
    Echo c("c", 0);
    a.end_at = 10;
    b.end_at = 20000;
    c.end_at = 5;
    Scheduler scheduler(options);
    for (Echo *model : {&a, &b, &c}) scheduler.add_model(*model, true);
    const RunResult result = scheduler.run();
    ASSERT_EQ(result.reason, "ended") << result.message;
    ASSERT_EQ(result.end_cycle, 20000u + 2 * kHiddenLinkCycles);
    ASSERT_TRUE(result.links.empty());
  }
}

TEST(Scheduler, ASingleModelNeedsNoLinks) {
  Echo alone("alone", 0);
  alone.end_at = 12345;
  Scheduler scheduler({});
  scheduler.add_model(alone, true);
  const RunResult result = scheduler.run();
  EXPECT_EQ(result.reason, "ended");
  EXPECT_EQ(result.end_cycle, 12345u);
  EXPECT_EQ(result.models[0].cycles, 12345u);
}

TEST(Scheduler, AModelMayBeLinkedToItself) {
  Echo loop("loop", 2);
  Scheduler scheduler({.max_cycles = 100});
  scheduler.add_model(loop, true);
  scheduler.connect("loop", 0, 0, 0, 1, 9);
  const RunResult result = scheduler.run();
  EXPECT_EQ(result.reason, "max_cycles") << result.message;
  EXPECT_EQ(loop.reached, 100u);
}

TEST(Scheduler, AModelThatThrowsEndsTheRunByName) {
  for (const SchedulerOptions &options : all_options()) {
    Triangle target(options);
    target.b.throw_at = 300;
    const RunResult result = target.scheduler.run();
    ASSERT_EQ(result.reason, "error");
    ASSERT_EQ(result.message, "b: broken on purpose");
    ASSERT_GT(target.a.finished_at, 0u);
    ASSERT_EQ(target.b.finished_at, 0u);
  }
}

TEST(Scheduler, StopsOnRequest) {
  for (const uint32_t threads : {1u, 4u}) {
    Triangle target({.threads = threads});
    std::thread stopper([&target] {
      while (target.a.reached < 1000) std::this_thread::yield();
      target.scheduler.request_stop();
    });
    const RunResult result = target.scheduler.run();
    stopper.join();
    EXPECT_EQ(result.reason, "interrupted");
    EXPECT_GE(result.end_cycle, 900u);
  }
}

TEST(Scheduler, GivesUpWhoWaitsWhenTheRunStops) {
  for (const bool is_error : {false, true}) {
    Triangle target({.threads = 3});
    target.a.waits_at = 300;
    std::thread stopper([&target, is_error] {
      while (!target.a.waits) std::this_thread::yield();
      if (is_error) return target.scheduler.fail("broken on purpose");
      target.scheduler.request_stop();
    });
    const RunResult result = target.scheduler.run();
    stopper.join();
    EXPECT_EQ(result.reason, is_error ? "error" : "interrupted");
    EXPECT_EQ(result.message, is_error ? "broken on purpose" : "stopped before the end on request");
    EXPECT_EQ(target.a.finished_at, 0u);
    EXPECT_LE(result.end_cycle, 300u);
  }
}

TEST(Scheduler, ReportsStatusWhileRunning) {
  Triangle target({.threads = 2, .status_interval_s = 0.01});
  int calls = 0;
  uint64_t last_cycle = 0;
  const RunResult result =
      target.scheduler.run([&](double, const std::vector<ModelStatus> &models) {
        ASSERT_EQ(models.size(), 3u);
        ASSERT_GE(models[1].cycle, last_cycle);
        last_cycle = models[1].cycle;
        if (++calls == 5) target.scheduler.request_stop();
      });
  EXPECT_GE(calls, 5);
  EXPECT_EQ(result.reason, "interrupted");
}

TEST(Scheduler, RefusesPortsUsedTwiceOrNotAtAll) {
  Echo a("a", 1);
  Echo b("b", 1);
  Scheduler scheduler({.max_cycles = 10});
  scheduler.add_model(a, true);
  scheduler.add_model(b, true);
  EXPECT_THROW(scheduler.run(), std::invalid_argument);
  Scheduler other({.max_cycles = 10});
  other.add_model(a, true);
  other.add_model(b, true);
  other.connect("one", 0, 0, 1, 0, 1);
  EXPECT_THROW(other.connect("two", 0, 0, 1, 0, 1), std::invalid_argument);
}

}  // namespace
}  // namespace firesim
