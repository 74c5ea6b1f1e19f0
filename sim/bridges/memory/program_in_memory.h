// SPDX-License-Identifier: BSD-3-Clause
// A program with tohost on a blade whose host sees nothing of it but memory: no bridge asks the
// target for its words. The host looks at memory itself, which takes no target time, so it sees
// what the core's stores have brought there.
#pragma once

#include <cstdint>
#include <memory>

#include "bridges/driver.h"
#include "devices/console.h"
#include "devices/guest_memory.h"
#include "devices/host_interface.h"

namespace firesim::bridges {

class ProgramInMemory {
 public:
  // Keys of `config`: program, the keys of HostInterface; console, the keys of Console, for a blade
  // without a UART. Returns nothing for a program without tohost.
  static std::unique_ptr<ProgramInMemory> make(Config &config, const DriverContext &context);

  // The state of memory at the end of `cycle`; returns the cycle of the next look.
  uint64_t exchange(uint64_t cycle, GuestMemory &memory);
  void finish();
  void save(StateWriter &state) const;
  void load(StateReader &state);

 private:
  explicit ProgramInMemory(BladeStatus &status) : status_(&status) {}
  void look(uint64_t cycle, GuestMemory &memory);
  Console *console() const { return own_console_ ? own_console_.get() : status_->console; }

  BladeStatus *status_;
  std::unique_ptr<HostInterface> interface_;
  std::unique_ptr<Console> own_console_;
};

}  // namespace firesim::bridges
