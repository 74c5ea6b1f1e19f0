// SPDX-License-Identifier: BSD-3-Clause
//
// Signals that ask a run to stop, for as long as there is a run.
#pragma once

#include <functional>

namespace firesim {

// While one of these lives, the first SIGINT and every SIGTERM call `stop`, which must be safe in a
// signal handler; a second SIGINT ends the process at once. When it is destroyed, no thread is in
// `stop` any more, and the first signals after that do nothing: what `stop` speaks to may go,
// whether its run returned or threw.
class StopSignals {
 public:
  explicit StopSignals(std::function<void()> stop);
  ~StopSignals();
  StopSignals(const StopSignals &) = delete;
  StopSignals &operator=(const StopSignals &) = delete;

 private:
  const std::function<void()> stop_;
};

}  // namespace firesim
