// SPDX-License-Identifier: BSD-3-Clause
// Which platform a node's target is on, by the kind of its engine.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "bridges/hosted_model.h"
#include "bridges/manifest.h"
#include "core/registry.h"
#include "devices/config.h"

namespace firesim::bridges {

using MakePlatform = std::function<TargetPlatform(const HostInfo &host)>;

// Reads what a node says of its platform: of a metasimulation, which `library` is, its stalls
// and its twin; of an FPGA its serial line, its card on PCIe or its address. Returns what makes
// the platform, nothing for a model in this process. Throws ConfigError when a key is wrong.
MakePlatform platform_of(const std::string &kind, devices::Config &node,
                         const std::filesystem::path &library, const SimulationContext &context);

}  // namespace firesim::bridges
