// SPDX-License-Identifier: BSD-3-Clause
//
// Lengths and kinds of the headers of a frame. See the header.
#include "gateway/frame_check.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace firesim {

namespace {

constexpr size_t kEthernetBytes = 14, kTypeAt = 12;
constexpr size_t kArpBytes = 28, kIpBytes = 20, kIcmpBytes = 8, kTcpBytes = 20, kUdpBytes = 8;
// Ethernet, IPv4, and the lengths of their addresses.
constexpr std::array<uint8_t, 6> kArpKind = {0, 1, 8, 0, 6, 4};
constexpr uint16_t kArpRequest = 1, kArpReply = 2;
constexpr uint16_t kFragmentBits = 0x3fff;  // more fragments, and the offset of this one
constexpr uint8_t kIcmp = 1, kTcp = 6, kUdp = 17;

uint16_t big(FrameBytes bytes, size_t at) {
  return static_cast<uint16_t>(bytes[at] << 8 | bytes[at + 1]);
}

bool is_sound_arp(FrameBytes arp) {
  if (arp.size() < kArpBytes || !std::equal(kArpKind.begin(), kArpKind.end(), arp.begin())) {
    return false;
  }
  const uint16_t operation = big(arp, 6);
  return operation == kArpRequest || operation == kArpReply;
}

bool is_sound_tcp(FrameBytes segment) {
  if (segment.size() < kTcpBytes) return false;
  const size_t header_bytes = size_t{segment[12]} / 16 * 4;
  return header_bytes >= kTcpBytes && header_bytes <= segment.size();
}

bool is_sound_udp(FrameBytes datagram) {
  return datagram.size() >= kUdpBytes && big(datagram, 4) >= kUdpBytes &&
         big(datagram, 4) <= datagram.size();
}

bool is_sound_ip(FrameBytes packet) {
  if (packet.size() < kIpBytes || packet[0] >> 4 != 4) return false;
  const size_t header_bytes = size_t{packet[0]} % 16 * 4;
  const size_t bytes = big(packet, 2);
  if (header_bytes < kIpBytes || bytes < header_bytes || bytes > packet.size()) return false;
  if ((big(packet, 6) & kFragmentBits) != 0) return false;
  const FrameBytes content = packet.subspan(header_bytes, bytes - header_bytes);
  switch (packet[9]) {
    case kIcmp:
      return content.size() >= kIcmpBytes;
    case kTcp:
      return is_sound_tcp(content);
    case kUdp:
      return is_sound_udp(content);
    default:
      return false;
  }
}

}  // namespace

bool is_sound(FrameBytes frame) {
  if (frame.size() < kEthernetBytes) return false;
  const uint16_t type = big(frame, kTypeAt);
  const FrameBytes content = frame.subspan(kEthernetBytes);
  return type == kTypeArp ? is_sound_arp(content) : type == kTypeIp && is_sound_ip(content);
}

}  // namespace firesim
