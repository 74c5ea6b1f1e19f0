// SPDX-License-Identifier: BSD-3-Clause
// A board's whole top as a compiled model: its pins, and cycles of its one clock.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "bridges/model_library.h"
#include "bridges/pin.h"

namespace firesim {

using bridges::Pin;

// What is connected to a board, and moves its pins in each cycle.
class CyclePart {
 public:
  CyclePart() = default;
  CyclePart(const CyclePart &) = delete;
  CyclePart &operator=(const CyclePart &) = delete;
  virtual ~CyclePart() = default;
  virtual void before_settle() = 0;
  virtual void after_settle() = 0;
};

class BoardModel {
 public:
  BoardModel(const std::filesystem::path &library, const std::string &design_hash)
      : library_(library), design_hash_(design_hash) {}

  // A new one, as it is after the board's bitstream was loaded. Throws DescriptionError when the
  // library is not the model of this design.
  void power_up() { model_.emplace(library_, design_hash_, "board"); }
  // Throws DescriptionError when the model has none of this name and width; `of` says whose pins
  // were expected.
  Pin pin(const char *name, uint32_t width_bits, const char *of) const;
  std::optional<Pin> find(const char *name, uint32_t width_bits) const {
    return Pin::find(*model_, name, width_bits);
  }
  // Null: nothing is connected.
  void attach(CyclePart *part) { part_ = part; }
  void cycle() {
    if (part_ != nullptr) part_->before_settle();
    model_->settle();
    if (part_ != nullptr) part_->after_settle();
    model_->tick();
  }
  void run(uint64_t cycles) {
    for (; cycles != 0; --cycles) cycle();
  }

 private:
  const std::filesystem::path library_;
  const std::string design_hash_;
  std::optional<bridges::ModelInstance> model_;
  CyclePart *part_ = nullptr;
};

}  // namespace firesim
