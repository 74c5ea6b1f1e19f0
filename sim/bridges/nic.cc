// SPDX-License-Identifier: BSD-3-Clause
// NIC driver; see nic.h.
#include "nic.h"

namespace firesim::bridges {

NicDriver::NicDriver(const DriverContext& context)
    : settings_(context.config, context.where),
      announcer_(settings_.identity_frame),
      out_valid_(context.ports.output("out_valid")),
      out_data_(context.ports.output("out_data", 64)),
      out_last_(context.ports.output("out_last")),
      in_valid_(context.ports.input("in_valid"), context.inputs),
      in_data_(context.ports.input("in_data", 64), context.inputs),
      in_last_(context.ports.input("in_last"), context.inputs),
      mac_address_(context.ports.input("mac_address", 48), context.inputs),
      rate_increment_(context.ports.input("rate_increment", 16), context.inputs),
      rate_period_(context.ports.input("rate_period", 16), context.inputs) {
  rate_increment_.set(settings_.rate_increment);
  rate_period_.set(settings_.rate_period);
  mac_address_.set(settings_.mac);
}

void NicDriver::drive_changed(uint32_t offset) {
  Flit flit;
  if (!cursor_->read(offset, flit)) {
    in_valid_.set(0);
    in_last_.set(0);
    next_input_ = cursor_->next_offset();
    return;
  }
  in_valid_.set(1);
  in_data_.set(flit.data);
  in_last_.set(flit.last ? 1 : 0);
  ++flits_in_;
  packets_in_ += flit.last ? 1 : 0;
}

void NicDriver::take_flit(uint32_t offset) {
  const bool last = out_last_();
  output_->append_flit(offset, out_data_(), last);
  ++flits_out_;
  packets_out_ += last ? 1 : 0;
}

void NicDriver::save(StateWriter& state) const {
  state.section("nic", 1);
  for (const InputPort* port : {&in_valid_, &in_data_, &in_last_}) port->save(state);
  for (const uint64_t count : {flits_in_, flits_out_, packets_in_, packets_out_}) state.u64(count);
}

void NicDriver::load(StateReader& state) {
  state.section("nic", 1);
  for (InputPort* port : {&in_valid_, &in_data_, &in_last_}) port->load(state);
  for (uint64_t* count : {&flits_in_, &flits_out_, &packets_in_, &packets_out_}) {
    *count = state.u64();
  }
}

nlohmann::json NicDriver::statistics() const {
  return {{"flits_in", flits_in_},
          {"flits_out", flits_out_},
          {"packets_in", packets_in_},
          {"packets_out", packets_out_}};
}

}  // namespace firesim::bridges
