// SPDX-License-Identifier: BSD-3-Clause
// The parts of a functional blade: what its description lists, where each is, and the models that
// come from shared objects.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/registry.h"
#include "functional/devices/part.h"

namespace firesim::functional {

// One part. The kinds uart, block_device, nic and finisher are ours; any other has a library.
struct PartEntry {
  std::string kind;
  std::string name;
  uint64_t base = 0;
  uint64_t bytes = kPageBytes;
  uint32_t interrupt = 0;  // source of the PLIC; 0 for none
  std::vector<uint32_t> more_interrupts;
  std::map<std::string, int64_t> options;
  std::string library;
  uint32_t port = 0;  // of the NIC in whose stream socket it stands, if it is for one

  // An option, or what it is where nothing is said of it.
  int64_t option(const std::string &of, int64_t otherwise) const {
    const auto found = options.find(of);
    return found == options.end() ? otherwise : found->second;
  }
};

// The parts of a blade whose description lists none.
std::vector<PartEntry> usual_parts();

// Reads the description's list; null stands for the usual ones. `where` starts every message.
// Throws DescriptionError.
std::vector<PartEntry> read_parts(const nlohmann::json &parts, const std::string &where,
                                  const SimulationContext &context);

// What makes a blade with these parts another one than the usual: empty for the usual ones.
std::string unusual(const std::vector<PartEntry> &parts);

// The model of a part with a library. Throws DescriptionError.
std::unique_ptr<RegisterDevice> make_part(const PartEntry &entry, DeviceMemory &memory);

}  // namespace firesim::functional
