// SPDX-License-Identifier: BSD-3-Clause
// Accesses to registers; see register_device.h.
#include "functional/devices/register_device.h"

namespace firesim::functional {
namespace {

// Byte lanes of an 8-byte word.
uint32_t lanes(uint32_t offset, uint32_t bytes) { return ((1u << bytes) - 1) << (offset % 8); }

uint64_t low_bytes(uint64_t value, uint32_t bytes) {
  return bytes == 8 ? value : value & ((uint64_t{1} << (8 * bytes)) - 1);
}

}  // namespace

uint64_t RegisterDevice::read(uint32_t offset, uint32_t bytes) {
  const uint32_t wanted = lanes(offset, bytes);
  uint64_t word = 0;
  for (const RegisterInfo &info : registers()) {
    if (info.offset / 8 != offset / 8 || (info.access & RegisterInfo::kRead) == 0) continue;
    if ((lanes(info.offset, info.bytes) & wanted) == 0) continue;
    word |= read_register(info.offset) << (8 * (info.offset % 8));
  }
  return low_bytes(word >> (8 * (offset % 8)), bytes);
}

void RegisterDevice::write(uint32_t offset, uint32_t bytes, uint64_t value) {
  const uint32_t given = lanes(offset, bytes);
  const uint64_t word = low_bytes(value, bytes) << (8 * (offset % 8));
  for (const RegisterInfo &info : registers()) {
    if (info.offset / 8 != offset / 8 || (info.access & RegisterInfo::kWrite) == 0) continue;
    const uint32_t own = lanes(info.offset, info.bytes);
    if ((own & given) != own) continue;
    write_register(info.offset, low_bytes(word >> (8 * (info.offset % 8)), info.bytes));
  }
}

}  // namespace firesim::functional
