// SPDX-License-Identifier: BSD-3-Clause
// Datagrams of UDP in frames of Ethernet, as the far end of a board's cable makes and reads them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace firesim {

using Bytes = std::vector<uint8_t>;
using Mac = std::array<uint8_t, 6>;

// One end of a datagram; numbers as people read them.
struct Endpoint {
  uint32_t address;
  uint16_t port;
};

struct Packet {
  Endpoint from, to;
  Bytes payload;
};

inline constexpr size_t kMostPayload = 1472;  // of a datagram in one frame

// A frame with its preamble and its checksum.
Bytes udp_frame(const Mac &from, const Mac &to, const Packet &packet);
Bytes arp_answer(const Mac &from, uint32_t address, const Mac &to, uint32_t asker);

// What is between preamble and checksum. Throws std::runtime_error when either is wrong.
Bytes frame_content(std::span<const uint8_t> frame);
// The datagram in such a content. Throws std::runtime_error when it is one that is wrong.
std::optional<Packet> udp_packet(std::span<const uint8_t> content);
// Who asks for the hardware address of whom.
struct ArpRequest {
  Mac mac;
  uint32_t asker, wanted;
};
std::optional<ArpRequest> arp_request(std::span<const uint8_t> content);

}  // namespace firesim
