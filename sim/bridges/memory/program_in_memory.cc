// SPDX-License-Identifier: BSD-3-Clause
// The host of a program with tohost, which looks at memory; see program_in_memory.h.
#include "bridges/memory/program_in_memory.h"

#include <cstring>

namespace firesim::bridges {

std::unique_ptr<ProgramInMemory> ProgramInMemory::make(Config &config,
                                                       const DriverContext &context) {
  const nlohmann::json &console = config.child("console");
  auto interface = HostInterface::make(config.child("program"), config.child_where("program"));
  if (interface == nullptr) return nullptr;
  std::unique_ptr<ProgramInMemory> made(new ProgramInMemory(context.status));
  made->interface_ = std::move(interface);
  if (!console.is_null()) {
    made->own_console_ = std::make_unique<Console>(console, config.child_where("console"),
                                                   context.node, context.simulation);
  }
  return made;
}

uint64_t ProgramInMemory::exchange(uint64_t cycle, GuestMemory &memory) {
  if (!status_->end.ended() && HostInterface::is_look(cycle)) look(cycle, memory);
  return status_->end.ended() ? kNever : HostInterface::next_look(cycle);
}

void ProgramInMemory::look(uint64_t cycle, GuestMemory &memory) {
  uint64_t data = 0;
  for (auto request = std::optional(interface_->look()); request;
       request = interface_->answer(data, cycle, status_->end, console())) {
    uint8_t *place = memory.at(request->address);
    if (request->write) {
      std::memcpy(place, &request->data, sizeof request->data);
    } else {
      std::memcpy(&data, place, sizeof data);
    }
  }
}

void ProgramInMemory::finish() {
  if (own_console_) own_console_->flush();
}

void ProgramInMemory::save(StateWriter &state) const {
  state.section("program_in_memory", 1);
  state.boolean(own_console_ != nullptr);
  if (own_console_) own_console_->save(state);
}

void ProgramInMemory::load(StateReader &state) {
  state.section("program_in_memory", 1);
  if (state.boolean() != (own_console_ != nullptr)) {
    state.fail("saved with a console where this blade has none, or the reverse");
  }
  if (own_console_) own_console_->load(state);
}

}  // namespace firesim::bridges
