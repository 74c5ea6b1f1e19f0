// SPDX-License-Identifier: BSD-3-Clause
//
// A signal reaches the run that there is, and none that has returned or thrown.
#include "simulator/stop_signals.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

namespace firesim {
namespace {

// What a handler may do: it has one atomic counter.
struct Target {
  explicit Target(std::atomic<int> &stops) : stops(stops) {}
  ~Target() { is_there = false; }
  void request_stop() {
    ASSERT_TRUE(is_there);
    ++stops;
  }
  std::atomic<int> &stops;
  std::atomic<bool> is_there{true};
};

TEST(StopSignals, StopTheRunThatThereIs) {
  std::atomic<int> stops{0};
  Target run(stops);
  const StopSignals signals([&run] { run.request_stop(); });
  raise(SIGINT);
  raise(SIGTERM);
  raise(SIGTERM);  // a parent that ends with its threads says so more than once
  EXPECT_EQ(stops, 3);
}

TEST(StopSignals, DoNotReachARunThatHasThrown) {
  std::atomic<int> stops{0};
  try {
    Target run(stops);
    const StopSignals signals([&run] { run.request_stop(); });
    throw std::runtime_error("the disk is full");
  } catch (const std::runtime_error &) {
    raise(SIGINT);
    raise(SIGTERM);
  }
  EXPECT_EQ(stops, 0);
}

TEST(StopSignals, AreOverWhenAnotherThreadIsStillInOne) {
  std::atomic<int> step{0};
  std::atomic<bool> is_there{true};
  std::atomic<bool> was_there{false};
  std::thread other;
  std::thread releases;
  {
    const StopSignals signals([&] {
      step = 1;
      while (step != 2) {
      }
      was_there = is_there.load();
    });
    other = std::thread([] { pthread_kill(pthread_self(), SIGINT); });
    while (step != 1) std::this_thread::yield();
    releases = std::thread([&step] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      step = 2;
    });
  }
  is_there = false;
  other.join();
  releases.join();
  EXPECT_TRUE(was_there);
}

}  // namespace
}  // namespace firesim
