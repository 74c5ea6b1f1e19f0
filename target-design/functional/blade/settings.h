// SPDX-License-Identifier: BSD-3-Clause
// What the description says of a functional blade.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/registry.h"
#include "devices/console.h"
#include "devices/guest_memory.h"
#include "devices/host_interface.h"
#include "devices/nic_settings.h"
#include "devices/sector_store.h"
#include "functional/blade/block_vectors.h"
#include "functional/blade/hart_traces.h"
#include "functional/blade/parts.h"
#include "functional/core/hart.h"
#include "functional/core/l1_caches.h"

namespace firesim::functional {

struct Settings {
  // Throws DescriptionError.
  Settings(const nlohmann::json &node, const SimulationContext &context);

  std::string name;
  uint32_t harts;
  HartFeatures features;
  uint32_t cycles_per_instruction;
  uint32_t quantum_cycles;
  uint32_t address_bits;      // of physical addresses
  size_t code_bytes;          // of each hart, for decoded code of its own
  bool shares_code;           // with the other harts of this process
  bool check_fence_i;         // end where a fence.i is missing
  int32_t translate_after;    // how often code is interpreted before it is translated
  bool keeps_calls;           // follow calls in M mode, slowly, for traces that go on in RTL
  std::optional<L1Shape> l1;  // follow what these caches would hold, for warm starts
  std::unique_ptr<BlockVectors> block_vectors;  // of the lone hart, slowly; else null
  std::unique_ptr<HartTraces> traces;           // null without
  std::vector<PartEntry> parts;
  std::vector<devices::NicSettings> nics;  // by port; one that nothing reaches where there is none
  std::unique_ptr<devices::Console> console;
  std::unique_ptr<devices::Disk> disk;
  std::unique_ptr<devices::GuestMemory> memory;
  std::unique_ptr<devices::HostInterface> host;  // of a program with tohost, else null

  // How many parts of a kind there are.
  size_t count(const std::string &kind) const;

 private:
  void read_l1(const nlohmann::json &json, const std::string &where);
  void read_bridges(const nlohmann::json &json, const SimulationContext &context);
  void read_nics(const nlohmann::json &json, const std::string &where);
};

}  // namespace firesim::functional
