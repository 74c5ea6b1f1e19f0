// SPDX-License-Identifier: BSD-3-Clause
//
// Assertions that stay on in release builds: a broken invariant ends the run by an exception, which
// the scheduler turns into the reason "error", and never gives a wrong result.
#pragma once

#include <stdexcept>
#include <string>

namespace firesim {

[[noreturn]] inline void check_failed(const char *file, int line, const char *condition,
                                      const char *why) {
  throw std::logic_error(std::string(file) + ":" + std::to_string(line) +
                         ": internal error: " + why + " (" + condition + ")");
}

}  // namespace firesim

#define FIRESIM_CHECK(condition, why) \
  ((condition) ? static_cast<void>(0) : firesim::check_failed(__FILE__, __LINE__, #condition, why))
