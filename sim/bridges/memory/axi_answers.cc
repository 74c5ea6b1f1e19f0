// SPDX-License-Identifier: BSD-3-Clause
// The inputs of an AXI4 master; see axi_answers.h.
#include "bridges/memory/axi_answers.h"

#include <array>

namespace firesim::bridges {
namespace {

// In the order in which they are saved.
auto all(auto &one) {
  return std::array{&one.ar_ready, &one.aw_ready, &one.w_ready, &one.b_valid,
                    &one.b_id,     &one.b_resp,   &one.r_valid, &one.r_id,
                    &one.r_data,   &one.r_resp,   &one.r_last};
}

}  // namespace

AxiAnswers::AxiAnswers(const DriverContext &context)
    : ar_ready(context.ports.input("ar_ready"), context.inputs),
      aw_ready(context.ports.input("aw_ready"), context.inputs),
      w_ready(context.ports.input("w_ready"), context.inputs),
      b_valid(context.ports.input("b_valid"), context.inputs),
      b_id(context.ports.input("b_id", 0), context.inputs),
      b_resp(context.ports.input("b_resp", 2), context.inputs),
      r_valid(context.ports.input("r_valid"), context.inputs),
      r_id(context.ports.input("r_id", 0), context.inputs),
      r_data(context.ports.input("r_data", 0), context.inputs),
      r_resp(context.ports.input("r_resp", 2), context.inputs),
      r_last(context.ports.input("r_last"), context.inputs) {}

void AxiAnswers::save(StateWriter &state) const {
  for (const InputPort *port : all(*this)) port->save(state);
}

void AxiAnswers::load(StateReader &state) {
  for (InputPort *port : all(*this)) port->load(state);
}

}  // namespace firesim::bridges
