// SPDX-License-Identifier: BSD-3-Clause
//
// Settings of a switch with classes, as switch.yaml declares them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/fields.h"
#include "core/uniform.h"
#include "switch/kinds/priority/frame_fields.h"

namespace firesim::priority {

struct PrioritySettings {
  ClassBy class_by = ClassBy::kNone;
  uint32_t default_class = 0;
  bool strict = true;  // the highest class first; else in turn

  // ECN: none up to the least, all above the most, between them with a probability that grows up to
  // `ecn_most_percent`; bytes of the class that wait at the port.
  uint64_t ecn_least_bytes = 0;
  uint64_t ecn_most_bytes = 0;  // 0: no marks
  uint64_t ecn_most_percent = 100;
  uint64_t ecn_seed = 0;

  // Priority pause.
  std::vector<char> pauses_class;  // by class: it is paused, and nothing of it is lost
  std::vector<char> pauses_port;   // by port: its far end obeys
  uint64_t xoff_bytes = 0;         // of a port and class that came in and wait
  uint64_t xon_bytes = 0;
  uint64_t headroom_bytes = 0;  // above xoff_bytes, for what comes until the pause acts
  uint64_t watchdog_cycles = 0;

  // The chance of a mark where `bytes` wait.
  Probability mark_chance(uint64_t bytes) const;
};

// Throws DescriptionError.
PrioritySettings read_settings(Fields &settings, uint32_t ports);

}  // namespace firesim::priority
