// SPDX-License-Identifier: BSD-3-Clause
// The hash by which the NIC spreads flows among its receive queues: Toeplitz with the key that
// Microsoft publishes for receive-side scaling.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace firesim::functional {

// Of 12 bytes in network order, the first in the top bits of `high`: two addresses in `high`, two
// ports, or zeros, in `low`. Zeros behind the addresses give the hash of these alone.
constexpr uint32_t toeplitz_hash(uint64_t high, uint32_t low) {
  // The published key up to the last bit that 96 bits of input meet.
  uint64_t window = 0x6d5a'56da'255b'0ec2, rest = 0x4167'253d'43a3'8fb0;
  uint32_t hash = 0;
  for (int bit = 0; bit < 96; ++bit) {
    const bool set = bit < 64 ? high >> (63 - bit) & 1 : low >> (95 - bit) & 1;
    if (set) hash ^= static_cast<uint32_t>(window >> 32);
    window = window << 1 | rest >> 63;
    rest <<= 1;
  }
  return hash;
}

// The hash of a frame of 8-byte words, in the form that it has on the link; none when it is no
// IPv4. Ports are hashed of TCP and UDP, without options in the header, and of no fragment.
inline std::optional<uint32_t> flow_hash(std::span<const uint64_t> words) {
  const auto byte = [&](uint32_t at) { return words[at / 8] >> (8 * (at % 8)) & 0xff; };
  const auto number = [&](uint32_t at, uint32_t count) {
    uint64_t value = 0;
    for (uint32_t i = 0; i < count; ++i) value = value << 8 | byte(at + i);
    return value;
  };
  // Two pad bytes and 14 of Ethernet come before the header of IPv4.
  constexpr uint32_t kType = 14, kHeader = 16, kFragment = 22, kProtocol = 25, kAddresses = 28;
  constexpr uint32_t kPorts = 36, kWords = 5;
  if (words.size() < kWords || number(kType, 2) != 0x0800 || byte(kHeader) >> 4 != 4) return {};
  const bool plain = byte(kHeader) == 0x45 && (number(kFragment, 2) & 0x3fff) == 0;
  const bool has_ports = plain && (byte(kProtocol) == 6 || byte(kProtocol) == 17);
  return toeplitz_hash(number(kAddresses, 8),
                       has_ports ? static_cast<uint32_t>(number(kPorts, 4)) : 0);
}

}  // namespace firesim::functional
