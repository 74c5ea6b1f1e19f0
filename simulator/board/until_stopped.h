// SPDX-License-Identifier: BSD-3-Clause
// What the programs that simulate a board have around their work.
#pragma once

#include <atomic>
#include <functional>

namespace firesim {

inline constexpr int kBadArguments = 2, kError = 3;  // exit statuses

// Does `work`, which looks now and then whether it was told by SIGINT or SIGTERM to end. Returns
// the program's exit status; what is thrown goes to stderr.
int until_stopped(const std::function<void(const std::atomic<bool> &stopped)> &work);

}  // namespace firesim
