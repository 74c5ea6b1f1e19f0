// SPDX-License-Identifier: BSD-3-Clause
// What the memory bridge gives its target: the inputs of an AXI4 master.
#pragma once

#include "bridges/driver.h"

namespace firesim::bridges {

struct AxiAnswers {
  // Throws as `context.ports` does when one is missing or of another width.
  explicit AxiAnswers(const DriverContext &context);
  void save(StateWriter &state) const;
  void load(StateReader &state);

  InputPort ar_ready, aw_ready, w_ready, b_valid, b_id, b_resp;
  InputPort r_valid, r_id, r_data, r_resp, r_last;
};

}  // namespace firesim::bridges
