// SPDX-License-Identifier: BSD-3-Clause
// No signal is delivered to this thread for as long as this lives. It goes to another thread, or
// waits.
#pragma once

#include <csignal>

namespace firesim::hostlib {

class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked &) = delete;
  SignalsBlocked &operator=(const SignalsBlocked &) = delete;

 private:
  sigset_t before_{};
};

}  // namespace firesim::hostlib
