// SPDX-License-Identifier: BSD-3-Clause
//
// The same Verilog in plain Verilator as a side: its memory is a public one, named MEMORY.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "Vplain.h"
#include "Vplain___024root.h"

class Side {
 public:
  explicit Side(const char *) {}

  void set_reset(bool value) { model_.reset = value; }
  void step() {
    model_.clock = 0;
    model_.eval();
    output_ = model_.io_success;
    model_.clock = 1;
    model_.eval();
  }
  uint64_t output() const { return output_; }

  void write(const std::vector<uint8_t> &image) {
    std::memcpy(&model_.rootp->MEMORY[0], image.data(), image.size());
  }
  void read(std::vector<uint8_t> &image) {
    std::memcpy(image.data(), &model_.rootp->MEMORY[0], image.size());
  }

 private:
  VerilatedContext context_;
  Vplain model_{&context_};
  uint64_t output_ = 0;
};
