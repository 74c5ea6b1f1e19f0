// SPDX-License-Identifier: BSD-3-Clause
// Loads bridge drivers from shared objects; see driver_library.h.
#include "bridges/driver_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace firesim::bridges {

void load_driver_library(const std::filesystem::path &path, const std::string &where,
                         DriverRegistry &registry) {
  const auto fail = [&](const std::string &what) {
    throw ConfigError(fmt::format("{}: {} {}", where, path.string(), what));
  };
  if (!std::filesystem::is_regular_file(path)) fail("is not a file, expected a shared object");
  // An absolute path: dlopen looks for a bare name elsewhere. Never unloaded: the drivers' code
  // lives in it until the process ends.
  void *library = dlopen(std::filesystem::absolute(path).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) fail(fmt::format("cannot be loaded: {}", dlerror()));
  const auto ask_abi =
      reinterpret_cast<void (*)(DriverAbi *)>(dlsym(library, "firesim_driver_abi"));
  const auto add =
      reinterpret_cast<void (*)(DriverRegistry &)>(dlsym(library, "firesim_register_drivers"));
  if (ask_abi == nullptr || add == nullptr) {
    fail("has no bridge drivers, expected FIRESIM_DRIVER_LIBRARY(registry) {...} in its source");
  }
  DriverAbi abi{};
  ask_abi(&abi);
  if (abi.version != kDriverAbi.version || abi.layout != kDriverAbi.layout) {
    fail(
        fmt::format("was built for driver interface {}.{:08x}, expected {}.{:08x}; build it again "
                    "from the headers of this simulator",
                    abi.version, abi.layout, kDriverAbi.version, kDriverAbi.layout));
  }
  try {
    add(registry);
  } catch (const std::exception &error) {
    fail(fmt::format("cannot add its drivers: {}", error.what()));
  }
}

}  // namespace firesim::bridges
