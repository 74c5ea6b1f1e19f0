// SPDX-License-Identifier: BSD-3-Clause
//
// The engine interface over the ORIGINAL Verilog in plain Verilator, in the usual way: clock low,
// evaluate, clock high, evaluate. What Golden Gate's models are compared with, cycle by cycle, and
// what their speed is measured against. Compiled by reference.py with a generated port table.

#include <cstdint>
#include <memory>

#include "Vplain.h"
#include "Vplain___024root.h"
#include "firesim_engine.h"
#include "plain_ports.h"
#include "verilated.h"

double sc_time_stamp() { return 0; }

namespace {

struct Instance {
  VerilatedContext context;
  std::unique_ptr<Vplain> model;
};

struct PortEntry {
  const char *name;
  uint32_t width_bits;
  uint32_t is_input;
  void *(*storage)(Vplain &model);
};

#define PLAIN_PORT(name, width_bits, is_input, field) \
  PortEntry{name, width_bits, is_input, [](Vplain &model) -> void * { return &model.field; }},
const PortEntry kPorts[] = {PLAIN_PORTS};

void *create() {
  auto instance = std::make_unique<Instance>();
  instance->context.threads(1);
  instance->model = std::make_unique<Vplain>(&instance->context, "plain");
  instance->model->PLAIN_CLOCK = 0;
  PLAIN_BEFORE(*instance->model)
  // An asynchronous reset that is active in the first cycle has its edge there.
  instance->model->eval();
  return instance.release();
}

void destroy(void *opaque) {
  auto *instance = static_cast<Instance *>(opaque);
  instance->model->final();
  delete instance;
}

FiresimPort port(void *opaque, uint32_t index) {
  const PortEntry &entry = kPorts[index];
  return {entry.name, entry.width_bits, entry.is_input,
          entry.storage(*static_cast<Instance *>(opaque)->model)};
}

void settle(void *opaque) {
  Vplain &model = *static_cast<Instance *>(opaque)->model;
  if constexpr (PLAIN_INPUTS_WHILE_HIGH != 0) model.eval();
  model.PLAIN_CLOCK = 0;
  model.eval();
}

void tick(void *opaque) {
  Vplain &model = *static_cast<Instance *>(opaque)->model;
  model.PLAIN_CLOCK = 1;
  model.eval();
}

const FiresimEngine kEngine = {FIRESIM_ENGINE_ABI_VERSION,
                               sizeof(kPorts) / sizeof(kPorts[0]),
                               "plain",
                               "plain verilator",
                               create,
                               destroy,
                               port,
                               settle,
                               tick,
                               nullptr,
                               nullptr,
                               0,
                               nullptr,
                               nullptr};

}  // namespace

extern "C" __attribute__((visibility("default"))) const FiresimEngine *firesim_engine(void) {
  return &kEngine;
}
