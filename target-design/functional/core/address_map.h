// SPDX-License-Identifier: BSD-3-Clause
// Where things are on a blade.
// Made from target-design/parts by `python -m firesim.build.map_files`; do not edit.
#pragma once

#include <cstdint>

namespace firesim::functional {

inline constexpr uint64_t kBootRomBase = 0x0001'0000;
inline constexpr uint64_t kBootRomBytes = 0x1'0000;
inline constexpr uint64_t kClintBase = 0x0200'0000;
inline constexpr uint64_t kClintBytes = 0x1'0000;
inline constexpr uint64_t kPlicBase = 0x0c00'0000;
inline constexpr uint64_t kPlicBytes = 0x400'0000;
inline constexpr uint64_t kDevicesBase = 0x6000'0000;
inline constexpr uint64_t kDevicesBytes = 0x2000'0000;
inline constexpr uint64_t kUartBase = 0x6000'0000;
inline constexpr uint64_t kUartBytes = 0x1000;
inline constexpr uint32_t kUartInterrupt = 1;
inline constexpr uint64_t kBlockDeviceBase = 0x6000'1000;
inline constexpr uint64_t kBlockDeviceBytes = 0x1000;
inline constexpr uint32_t kBlockDeviceInterrupt = 2;
inline constexpr uint64_t kNicBase = 0x6000'2000;
inline constexpr uint64_t kNicBytes = 0x1000;
inline constexpr uint32_t kNicInterrupt = 3;
inline constexpr uint64_t kFinisherBase = 0x6000'3000;
inline constexpr uint64_t kFinisherBytes = 0x1000;
inline constexpr uint64_t kDramBase = 0x8000'0000;
inline constexpr uint64_t kDramBytes = 0x8000'0000;
inline constexpr uint64_t kRestoreProgramBase = 0x801e'0000;
inline constexpr uint64_t kRestoreProgramBytes = 0x1'0000;
inline constexpr uint64_t kDeviceTreeBase = 0x801f'0000;
inline constexpr uint64_t kDeviceTreeBytes = 0x1'0000;
inline constexpr uint64_t kKernelBase = 0x8020'0000;
inline constexpr uint32_t kPlicSources = 8;  // of the PLIC

}  // namespace firesim::functional
