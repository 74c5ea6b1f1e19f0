// SPDX-License-Identifier: BSD-3-Clause
// Several who are told of each instruction of one hart.
#pragma once

#include <vector>

#include "functional/core/hart.h"

namespace firesim::functional {

class Observers final : public RetireObserver {
 public:
  void retired(const Retired &event) override {
    for (RetireObserver *one : all_) one->retired(event);
  }
  bool uses_floats() const override {
    for (const RetireObserver *one : all_) {
      if (one->uses_floats()) return true;
    }
    return false;
  }

  void set(RetireObserver &observer, bool is_told) {
    std::erase(all_, &observer);
    if (is_told) all_.push_back(&observer);
  }
  // Who the hart has to tell.
  RetireObserver *whom() { return all_.empty() ? nullptr : all_.size() == 1 ? all_[0] : this; }

 private:
  std::vector<RetireObserver *> all_;
};

}  // namespace firesim::functional
