// SPDX-License-Identifier: BSD-3-Clause
// What platforms of boards share: words that came up wait until they are asked for, and a far end
// that says nothing is looked at, and not waited for without a bound.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <string>

#include "hostlib/platform.h"

namespace firesim::hostlib {

class BoardPlatform : public HostPlatform {
 public:
  bool receive(std::span<uint64_t> words) final;
  std::string name() const final;

 protected:
  // Far more than a run's rows that come before the host asks for them, and than wait on a board.
  static constexpr size_t kMostWords = 1 << 16;

  // Without a word for `quiet`, receive() looks whether the target goes on; after `still` looks
  // that found it in the same cycle, or the board in the same trouble, it is given up.
  BoardPlatform(std::chrono::milliseconds quiet, int still) : quiet_(quiet), still_(still) {}

  // Puts what came up into received_. True when anything came.
  virtual bool look() = 0;
  // What the board is behind, for people.
  virtual const std::string &device() const = 0;
  // Cycles of the target that are over.
  uint64_t target_cycle();
  [[noreturn]] void fail(const std::string &what) const;

  std::deque<uint64_t> received_;

 private:
  void look_at_cycle();

  const std::chrono::milliseconds quiet_;
  const int still_;
  uint64_t seen_cycle_ = UINT64_MAX;
  int looks_ = 0;           // in a row that found seen_cycle_
  int troubled_looks_ = 0;  // in a row in which the platform knew what is wrong
};

}  // namespace firesim::hostlib
