// SPDX-License-Identifier: BSD-3-Clause
// Warm start: an RTL blade goes on where a functional blade was saved
// (docs/reference/interfaces/warm-start.md). What the RTL blade is given for that, so that it need
// not know functional blades.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/batch.h"
#include "core/registry.h"
#include "core/state.h"
#include "devices/blade_end.h"
#include "devices/call_path.h"
#include "devices/guest_memory.h"

namespace firesim::devices {

// What the restore program writes to the finisher when the blade is as it was saved, but for the
// registers of its harts: a failure code that the blade's host takes for itself.
inline constexpr uint32_t kRestoreDone = 0x4444'3333;
// In that word: in which features a NIC it found differs from the one that was saved.
inline constexpr uint32_t kRestoreNicShift = 16;
// What that register can have: checksum, moderation, and the number of receive queues.
inline constexpr uint32_t kNicChecksum = 1, kNicModeration = 2, kNicQueuesShift = 8;
inline constexpr uint32_t kNicFeatures = kNicChecksum | kNicModeration | 6u << kNicQueuesShift;

// What is handed over at a port beside the registers of its NIC.
struct WarmLink {
  // What the NIC is to receive before all other flits; the last packet may go on in those. With
  // `discard_packet`, what arrives up to the end of a packet is to be dropped.
  std::vector<Flit> to_receive;
  bool within_packet = false;
  bool discard_packet = false;
  std::vector<Flit> to_send;     // before what the NIC sends
  uint32_t sent_by_program = 0;  // packets of the restore program, for nobody
};

struct WarmStart {
  uint32_t harts = 1;
  std::unique_ptr<GuestMemory>
      memory;                   // with the restore program, where a blade out of reset begins
  StateWriter console;          // as saved by Console
  StateWriter disk;             // as saved by SectorStore
  std::string printed;          // since the state was saved
  std::vector<WarmLink> links;  // by port, as is the next
  std::vector<uint32_t> nic_features;         // as the registers of the NICs say
  std::vector<std::vector<CallFrame>> calls;  // of each hart, where they were followed
  BladeEnd end;               // when it has ended, nothing else counts but what it printed
  uint64_t extra_cycles = 0;  // for which the blade was run after it had been saved
  uint64_t instruction_lines = 0, data_lines = 0;  // that caches of all harts are filled with
  bool deterministic = true;
};

// Whose state to continue, in which section of a snapshot, with which settings.
struct WarmStartSource {
  const std::string &node;
  const nlohmann::json &bridges;  // of the RTL blade
  const SimulationContext &simulation;
  uint64_t cycle;  // of the snapshot
};

// The first section of a state that can be started from.
inline constexpr const char *kWarmStartSection = "functional_blade";
inline constexpr const char *kWarmStartKind = "functional";

// Reads the state of a functional blade. Throws SnapshotError.
using WarmStarter = std::function<WarmStart(StateReader &, const WarmStartSource &)>;

}  // namespace firesim::devices
