// SPDX-License-Identifier: BSD-3-Clause
// NIC driver; see nic.h.
#include "bridges/nic/nic.h"

#include "bridges/driver_registry.h"
#include "devices/warm_start.h"

namespace firesim::bridges {

NicDriver::NicDriver(const DriverContext &context)
    : settings_(context.config, context.where),
      reset_cycles_(context.reset_cycles),
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
  settings_.rate_on_clock(context.bridge.clock_ratio.edges, context.bridge.clock_ratio.of);
  rate_increment_.set(settings_.rate_increment);
  rate_period_.set(settings_.rate_period);
  mac_address_.set(settings_.mac);
}

void NicDriver::drive_changed(uint32_t offset) {
  Flit flit;
  if (!cursor_->read(offset, flit)) {
    in_valid_.set(0);
    in_last_.set(0);
    next_drive_ = cursor_->next_offset();
    return;
  }
  next_drive_ = offset + 1;  // for the next flit, or to take this one away
  in_valid_.set(1);
  in_data_.set(flit.data);
  in_last_.set(flit.last ? 1 : 0);
  ++flits_in_;
  packets_in_ += flit.last ? 1 : 0;
}

void NicDriver::take_flit(uint64_t cycle) {
  Flit flit{out_data_(), out_last_()};
  if (splicing_) {
    if (out_valid_()) to_send_.push_back(flit);
    flit = to_send_.front();
    to_send_.pop_front();
    splicing_ = !to_send_.empty();
  }
  const auto offset = static_cast<uint32_t>(cycle - start_cycle_);
  output_->append_flit(offset, flit.data, flit.last);
  ++flits_out_;
  packets_out_ += flit.last ? 1 : 0;
}

// What a part sends by itself while a restore program runs goes out behind the rest.
void NicDriver::take_early() {
  if (!out_valid_()) return;
  const Flit flit{out_data_(), out_last_()};
  if (to_drop_ != 0) {
    to_drop_ -= flit.last ? 1 : 0;
    return;
  }
  to_send_.push_back(flit);
  splicing_ = true;
}

void NicDriver::start_warm_link(WarmLink &from) {
  announcer_.restore(std::move(from.to_receive), from.within_packet);
  if (from.discard_packet) announcer_.discard_packet();
  to_send_.assign(from.to_send.begin(), from.to_send.end());
  splicing_ = !to_send_.empty();
  to_drop_ = from.sent_by_program;
}

namespace {

constexpr uint64_t kMostWaitingFlits = 1 << 20;

template <typename Flits>
void save_flits(StateWriter &state, const Flits &flits) {
  state.u64(flits.size());
  for (const Flit &flit : flits) {
    state.u64(flit.data);
    state.boolean(flit.last);
  }
}

std::vector<Flit> load_flits(StateReader &state) {
  std::vector<Flit> flits(state.u64(kMostWaitingFlits));
  for (Flit &flit : flits) {
    flit.data = state.u64();
    flit.last = state.boolean();
  }
  return flits;
}

}  // namespace

void NicDriver::save(StateWriter &state) const {
  state.section("nic", 2);
  for (const InputPort *port : {&in_valid_, &in_data_, &in_last_}) port->save(state);
  for (const uint64_t count : {flits_in_, flits_out_, packets_in_, packets_out_}) state.u64(count);
  save_flits(state, announcer_.waiting());
  state.boolean(announcer_.within_packet());
  state.boolean(announcer_.discarding());
  save_flits(state, to_send_);
}

void NicDriver::load(StateReader &state) {
  const uint32_t version = state.section("nic", 2);
  for (InputPort *port : {&in_valid_, &in_data_, &in_last_}) port->load(state);
  for (uint64_t *count : {&flits_in_, &flits_out_, &packets_in_, &packets_out_}) {
    *count = state.u64();
  }
  if (version < 2) return;
  std::vector<Flit> waiting = load_flits(state);
  announcer_.restore(std::move(waiting), state.boolean());
  if (state.boolean()) announcer_.discard_packet();
  const std::vector<Flit> to_send = load_flits(state);
  to_send_.assign(to_send.begin(), to_send.end());
  splicing_ = !to_send_.empty();
}

nlohmann::json NicDriver::statistics() const {
  return {{"flits_in", flits_in_},
          {"flits_out", flits_out_},
          {"packets_in", packets_in_},
          {"packets_out", packets_out_}};
}

void register_nic(DriverRegistry &registry) { registry.add<NicDriver>("nic"); }

}  // namespace firesim::bridges
