// SPDX-License-Identifier: BSD-3-Clause
// The clocks of a simulated board: that of its shell and that of its host's side. Each rises in the
// steps of the model in which its pin is 1.
#pragma once

#include <cstdint>
#include <optional>
#include <random>

#include "bridges/model_library.h"
#include "bridges/pin.h"

namespace firesim {

class TwoClocks {
 public:
  // Without a seed both rise in every step. With one they have nothing to do with each other: the
  // host's takes as long as the seed says, up to three of the shell's, and no edge is quite on
  // time.
  explicit TwoClocks(std::optional<uint64_t> seed);

  // A model without such pins has one clock.
  void connect(const bridges::ModelInstance &model);
  // Sets the pins for the next step. True when the shell's clock rises in it.
  bool next();

 private:
  uint64_t after(uint64_t period);

  std::mt19937_64 random_;
  const bool are_two_;
  uint64_t host_period_ = 0;
  uint64_t shell_edge_ = 0, host_edge_ = 0;  // the times of the next ones
  std::optional<bridges::Pin> shell_, host_;
};

}  // namespace firesim
