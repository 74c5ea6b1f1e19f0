// SPDX-License-Identifier: BSD-3-Clause
//
// GSIM's model of the same FIRRTL as a side.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "TestHarness.h"

class Side {
 public:
  explicit Side(const char *) : model_(std::make_unique<STestHarness>()) {}

  void set_reset(bool value) { model_->set_reset(value); }
  void step() { model_->step(); }
  uint64_t output() const { return model_->get_io$$success(); }

  void write(const std::vector<uint8_t> &image) {
    std::memcpy(&model_->mem$srams$mem, image.data(), image.size());
  }
  void read(std::vector<uint8_t> &image) {
    std::memcpy(image.data(), &model_->mem$srams$mem, image.size());
  }

 private:
  std::unique_ptr<STestHarness> model_;
};
