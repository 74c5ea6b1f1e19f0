// SPDX-License-Identifier: BSD-3-Clause
// By a serial line: "serial_line": {"device": "/dev/ttyUSB0", "bits_per_s": 1000000}.
#include "hostlib/uart_platform.h"
#include "hostlib/ways/way.h"

namespace firesim::hostlib {

namespace {

constexpr uint64_t kLeastBitsPerS = 300, kMostBitsPerS = 100'000'000;

OpenBoard read_serial_line(devices::Config &line) {
  const std::string device = line.required_text("device");
  const auto bits_per_s =
      static_cast<uint32_t>(line.required_integer("bits_per_s", kLeastBitsPerS, kMostBitsPerS));
  return [device, bits_per_s](const std::string &where) {
    return std::make_unique<UartPlatform>(device, bits_per_s, where);
  };
}

}  // namespace

void register_serial(Ways &ways) { ways["serial_line"] = read_serial_line; }

}  // namespace firesim::hostlib
