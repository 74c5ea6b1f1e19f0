// SPDX-License-Identifier: BSD-3-Clause
// Tokens to and from the storage of ports; see host_channel.h.
#include "hostlib/host_channel.h"

#include <algorithm>
#include <cstring>

namespace firesim::hostlib {
namespace {

uint64_t low_bits(uint64_t value, uint32_t count) {
  return count >= 64 ? value : value & ((uint64_t{1} << count) - 1);
}

// Bytes of storage that hold bits `done` and up of a port, at most 8 (firesim_engine.h).
size_t chunk_bytes(const FiresimPort &port, uint32_t done) {
  const uint32_t width = port.width_bits;
  if (width <= 8) return 1;
  if (width <= 16) return 2;
  if (width <= 32) return 4;
  const uint32_t all = width <= 64 ? 8 : (width + 31) / 32 * 4;
  return std::min<size_t>(8, all - done / 8);
}

}  // namespace

void HostChannel::pack(Words &token) const {
  token.assign(words(), 0);
  for (const Field &field : fields) {
    const auto *storage = static_cast<const uint8_t *>(field.port.storage);
    for (uint32_t done = 0; done < field.port.width_bits; done += 64) {
      uint64_t value = 0;
      std::memcpy(&value, storage + done / 8, chunk_bytes(field.port, done));
      const uint32_t place = field.low_bit + done, shift = place % 64;
      value = low_bits(value, field.port.width_bits - done);
      token[place / 64] |= value << shift;
      if (shift != 0 && value >> (64 - shift) != 0) token[place / 64 + 1] |= value >> (64 - shift);
    }
  }
}

void HostChannel::unpack(const uint64_t *token) const {
  for (const Field &field : fields) {
    auto *storage = static_cast<uint8_t *>(field.port.storage);
    for (uint32_t done = 0; done < field.port.width_bits; done += 64) {
      const uint32_t left = field.port.width_bits - done;
      const uint32_t place = field.low_bit + done, shift = place % 64;
      uint64_t value = token[place / 64] >> shift;
      if (shift != 0 && shift + std::min(left, 64u) > 64) {
        value |= token[place / 64 + 1] << (64 - shift);
      }
      value = low_bits(value, left);
      std::memcpy(storage + done / 8, &value, chunk_bytes(field.port, done));
    }
  }
}

void HostChannel::clear_wakes() const {
  for (const Field &field : fields) {
    if (!field.wakes) continue;
    auto *storage = static_cast<uint8_t *>(field.port.storage);
    for (uint32_t done = 0; done < field.port.width_bits; done += 64) {
      std::memset(storage + done / 8, 0, chunk_bytes(field.port, done));
    }
  }
}

}  // namespace firesim::hostlib
