// SPDX-License-Identifier: BSD-3-Clause
// A board's whole top as a compiled model: its pins, and cycles of its shell's clock, between which
// that of its host's side may rise, too.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "bridges/model_library.h"
#include "bridges/pin.h"
#include "simulator/board/two_clocks.h"

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
  // With a seed its clocks are two (two_clocks.h).
  BoardModel(const std::filesystem::path &library, const std::string &design_hash,
             std::optional<uint64_t> hostile_seed)
      : library_(library), design_hash_(design_hash), clocks_(hostile_seed) {}

  // A new one, as it is after the board's bitstream was loaded. Throws DescriptionError when the
  // library is not the model of this design.
  void power_up() {
    model_.emplace(library_, design_hash_, "board");
    clocks_.connect(*model_);
  }
  // Throws DescriptionError when the model has none of this name and width; `of` says whose pins
  // were expected.
  Pin pin(const char *name, uint32_t width_bits, const char *of) const;
  std::optional<Pin> find(const char *name, uint32_t width_bits) const {
    return Pin::find(*model_, name, width_bits);
  }
  // Null: nothing is connected.
  void attach(CyclePart *part) { part_ = part; }
  void cycle() {
    while (!clocks_.next()) {
      model_->settle();
      model_->tick();
    }
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
  TwoClocks clocks_;
  CyclePart *part_ = nullptr;
};

}  // namespace firesim
