// SPDX-License-Identifier: BSD-3-Clause
// UART driver; see uart.h.
#include "bridges/uart/uart.h"

#include "bridges/driver_registry.h"
#include "devices/warm_start.h"

namespace firesim::bridges {

UartDriver::UartDriver(const DriverContext &context)
    : out_valid_(context.ports.output("out_valid")),
      out_bits_(context.ports.output("out_bits", 8)),
      in_ready_(context.ports.output("in_ready")),
      out_ready_(context.ports.input("out_ready"), context.inputs),
      in_valid_(context.ports.input("in_valid"), context.inputs),
      in_bits_(context.ports.input("in_bits", 8), context.inputs),
      status_(&context.status),
      console_(context.config, context.where, context.node, context.simulation),
      next_poll_(console_.has_terminal() ? 0 : kNever) {
  out_ready_.set(1);
  status_->console = &console_;
}

uint64_t UartDriver::exchange(uint64_t cycle) {
  if (out_valid_()) console_.put(static_cast<char>(out_bits_()), cycle);
  if (cycle >= next_poll_) {
    next_poll_ = cycle + Console::kPollCycles;
    if (console_.poll()) status_->deterministic = false;
  }
  offer_input();
  return in_valid_.value() != 0 ? cycle + 1 : next_poll_;
}

void UartDriver::offer_input() {
  if (in_valid_.value() != 0) {
    if (!in_ready_()) return;
    ++bytes_in_;
  }
  if (!console_.has_input()) {
    in_valid_.set(0);
    return;
  }
  in_valid_.set(1);
  in_bits_.set(static_cast<uint8_t>(console_.take_input()));
}

void UartDriver::save(StateWriter &state) const {
  state.section("uart", 1);
  for (const InputPort *port : {&out_ready_, &in_valid_, &in_bits_}) port->save(state);
  state.u64(bytes_in_);
  console_.save(state);
}

void UartDriver::load(StateReader &state) {
  state.section("uart", 1);
  for (InputPort *port : {&out_ready_, &in_valid_, &in_bits_}) port->load(state);
  bytes_in_ = state.u64();
  console_.load(state);
}

void UartDriver::start_warm(WarmStart &start, uint64_t) {
  StateReader state("warm start", start.console);
  console_.load(state);
  state.finish();
  console_.print_again(start.printed);
}

void register_uart(DriverRegistry &registry) { registry.add<UartDriver>("uart"); }

}  // namespace firesim::bridges
