// SPDX-License-Identifier: BSD-3-Clause
// Edges of two clocks in their order; see two_clocks.h.
#include "simulator/board/two_clocks.h"

#include <algorithm>

namespace firesim {
namespace {

// Of the shell's clock; the host's is slower, as on every board.
constexpr uint64_t kShellPeriod = 1000, kLeastHostPeriod = 1010, kMostHostPeriod = 3000;
constexpr uint64_t kJitter = 50;    // an edge is up to so much late
constexpr uint64_t kTogether = 20;  // edges as near as this are one

}  // namespace

TwoClocks::TwoClocks(std::optional<uint64_t> seed)
    : random_(seed.value_or(0)), are_two_(seed.has_value()) {
  host_period_ = kLeastHostPeriod + random_() % (kMostHostPeriod - kLeastHostPeriod);
}

void TwoClocks::connect(const bridges::ModelInstance &model) {
  shell_ = bridges::Pin::find(model, "shell_tick", 1);
  host_ = bridges::Pin::find(model, "host_tick", 1);
  if (shell_) shell_->set(1);
  if (host_) host_->set(1);
}

uint64_t TwoClocks::after(uint64_t period) { return period - random_() % kJitter; }

bool TwoClocks::next() {
  if (!are_two_ || !shell_ || !host_) return true;
  const uint64_t now = std::min(shell_edge_, host_edge_);
  const bool shell = shell_edge_ <= now + kTogether, host = host_edge_ <= now + kTogether;
  if (shell) shell_edge_ += after(kShellPeriod);
  if (host) host_edge_ += after(host_period_);
  shell_->set(shell ? 1 : 0);
  host_->set(host ? 1 : 0);
  return shell;
}

}  // namespace firesim
