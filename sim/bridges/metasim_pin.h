// SPDX-License-Identifier: BSD-3-Clause
// One pin of a metasimulation, an input or an output of its model.
#pragma once

#include <cstdint>
#include <string>

#include "bridges/model_library.h"

namespace firesim::bridges {

class MetasimPin {
 public:
  // Throws ConfigError, starting with `where`, when the model has no such pin.
  MetasimPin(const ModelInstance &model, const std::string &name, uint32_t width_bits,
             const std::string &where);
  void set(uint64_t value);
  uint64_t get() const;

 private:
  FiresimPort port_;
};

}  // namespace firesim::bridges
