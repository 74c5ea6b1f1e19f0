// SPDX-License-Identifier: BSD-3-Clause
//
// Signals that ask a run to stop, for as long as there is a run.
#include "simulator/stop_signals.h"

#include <sched.h>

#include <atomic>
#include <csignal>
#include <utility>

namespace firesim {

namespace {

std::atomic<const std::function<void()> *> now{nullptr};
std::atomic<int> inside{0};  // threads in the handler
static_assert(std::atomic<int>::is_always_lock_free);

void stop_now(int) {
  ++inside;
  if (const std::function<void()> *stop = now.load()) (*stop)();
  --inside;
}

}  // namespace

StopSignals::StopSignals(std::function<void()> stop) : stop_(std::move(stop)) {
  now = &stop_;
  struct sigaction action {};
  action.sa_handler = stop_now;
  // Not for a second Ctrl-C. The kernel says that our parent is gone once for each of its threads.
  sigaction(SIGTERM, &action, nullptr);
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
}

StopSignals::~StopSignals() {
  now = nullptr;
  while (inside.load() != 0) sched_yield();  // of another thread: one of ours would not be here
}

}  // namespace firesim
