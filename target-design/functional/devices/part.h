// SPDX-License-Identifier: BSD-3-Clause
// A part's model for functional nodes that is no device of ours: a RegisterDevice in a shared
// object, made by the function of this name, which the object exports:
//
//   extern "C" firesim::functional::RegisterDevice *
//   firesim_make_part(const firesim::functional::PartContext &context);
//
// The blade owns what it returns. It may throw a DescriptionError.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "functional/devices/device_memory.h"
#include "functional/devices/register_device.h"

namespace firesim::functional {

struct PartContext {
  std::string name;                        // of the instance
  std::map<std::string, int64_t> options;  // as the part's part.yaml declares them
  DeviceMemory &memory;                    // for one that reads or writes memory; outlives the part
};

}  // namespace firesim::functional
