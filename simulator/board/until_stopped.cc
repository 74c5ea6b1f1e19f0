// SPDX-License-Identifier: BSD-3-Clause
// Signals and errors of a program; see until_stopped.h.
#include "simulator/board/until_stopped.h"

#include <csignal>
#include <cstdio>
#include <exception>

namespace firesim {
namespace {

std::atomic<bool> stopped{false};

void stop(int) { stopped = true; }

}  // namespace

int until_stopped(const std::function<void(const std::atomic<bool> &stopped)> &work) {
  struct sigaction action {};
  action.sa_handler = stop;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  try {
    work(stopped);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return kError;
  }
  return 0;
}

}  // namespace firesim
