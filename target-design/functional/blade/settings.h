// SPDX-License-Identifier: BSD-3-Clause
// What the description says of a functional blade.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bridges/console.h"
#include "bridges/memory/guest_memory.h"
#include "bridges/nic_settings.h"
#include "bridges/sector_store.h"
#include "core/registry.h"
#include "functional/blade/parts.h"

namespace firesim::functional {

struct Settings {
  // Throws DescriptionError.
  Settings(const nlohmann::json &node, const SimulationContext &context);

  std::string name;
  uint32_t harts;
  uint32_t cycles_per_instruction;
  uint32_t quantum_cycles;
  std::vector<PartEntry> parts;
  std::unique_ptr<bridges::NicSettings> nic;
  std::unique_ptr<bridges::Console> console;
  std::unique_ptr<bridges::Disk> disk;
  std::unique_ptr<bridges::GuestMemory> memory;

  bool has(const std::string &kind) const;

 private:
  void read_bridges(const nlohmann::json &json, const SimulationContext &context);
};

}  // namespace firesim::functional
