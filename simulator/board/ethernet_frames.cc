// SPDX-License-Identifier: BSD-3-Clause
// Headers and checksums of Ethernet, ARP, IPv4 and UDP; see ethernet_frames.h.
#include "simulator/board/ethernet_frames.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace firesim {
namespace {

constexpr size_t kPreamble = 8, kMacs = 12, kEthernet = 14, kIp = 20, kUdp = 8, kCrc = 4;
constexpr size_t kLeastContent = 60;  // of a frame without its checksum
constexpr uint16_t kTypeIp = 0x0800, kTypeArp = 0x0806;
constexpr uint8_t kUdpProtocol = 17;
constexpr std::array<uint8_t, 6> kArpRequestHead{0, 1, 8, 0, 6, 4};  // Ethernet, IPv4, their sizes

void put(Bytes &bytes, uint64_t number, int count) {
  for (int shift = 8 * (count - 1); shift >= 0; shift -= 8) {
    bytes.push_back(static_cast<uint8_t>(number >> shift));
  }
}

void put(Bytes &bytes, const Mac &mac) { bytes.insert(bytes.end(), mac.begin(), mac.end()); }

uint32_t number(std::span<const uint8_t> bytes, size_t at, size_t count) {
  uint32_t found = 0;
  for (size_t i = 0; i < count; ++i) found = found << 8 | bytes[at + i];
  return found;
}

uint32_t crc_of(std::span<const uint8_t> bytes) {
  uint32_t crc = ~0u;
  for (const uint8_t byte : bytes) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
  }
  return ~crc;
}

// The sum of all words of 16 bits; 0xffff over a header with its checksum.
uint16_t sum_of(std::span<const uint8_t> header) {
  uint32_t sum = 0;
  for (size_t at = 0; at < header.size(); at += 2) sum += number(header, at, 2);
  while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<uint16_t>(sum);
}

// Preamble, addresses, content and checksum.
Bytes framed(const Mac &from, const Mac &to, uint16_t type, const Bytes &payload) {
  Bytes content;
  put(content, to);
  put(content, from);
  put(content, type, 2);
  content.insert(content.end(), payload.begin(), payload.end());
  content.resize(std::max(content.size(), kLeastContent));
  Bytes frame(kPreamble - 1, 0x55);
  frame.push_back(0xd5);
  frame.insert(frame.end(), content.begin(), content.end());
  const uint32_t crc = crc_of(content);
  for (int shift = 0; shift < 32; shift += 8) frame.push_back(static_cast<uint8_t>(crc >> shift));
  return frame;
}

}  // namespace

Bytes udp_frame(const Mac &from, const Mac &to, const Packet &packet) {
  Bytes bytes;
  const size_t length = kUdp + packet.payload.size();
  put(bytes, 0x4500, 2);
  put(bytes, kIp + length, 2);
  put(bytes, 0x00004000, 4);  // in one piece
  put(bytes, 64, 1);
  put(bytes, kUdpProtocol, 1);
  put(bytes, 0, 2);
  put(bytes, packet.from.address, 4);
  put(bytes, packet.to.address, 4);
  const auto checksum = static_cast<uint16_t>(~sum_of(bytes));
  bytes[10] = static_cast<uint8_t>(checksum >> 8);
  bytes[11] = static_cast<uint8_t>(checksum);
  put(bytes, packet.from.port, 2);
  put(bytes, packet.to.port, 2);
  put(bytes, length, 2);
  put(bytes, 0, 2);  // without a checksum of its own
  bytes.insert(bytes.end(), packet.payload.begin(), packet.payload.end());
  return framed(from, to, kTypeIp, bytes);
}

Bytes arp_answer(const Mac &from, uint32_t address, const Mac &to, uint32_t asker) {
  Bytes bytes(kArpRequestHead.begin(), kArpRequestHead.end());
  put(bytes, 2, 2);
  put(bytes, from);
  put(bytes, address, 4);
  put(bytes, to);
  put(bytes, asker, 4);
  return framed(from, to, kTypeArp, bytes);
}

Bytes frame_content(std::span<const uint8_t> frame) {
  if (frame.size() < kPreamble + kLeastContent + kCrc || frame[kPreamble - 1] != 0xd5 ||
      !std::all_of(frame.begin(), frame.begin() + kPreamble - 1,
                   [](uint8_t byte) { return byte == 0x55; })) {
    throw std::runtime_error(
        fmt::format("found a frame of {} bytes from the board, expected a preamble and {} more",
                    frame.size(), kLeastContent + kCrc));
  }
  const auto content = frame.subspan(kPreamble, frame.size() - kPreamble - kCrc);
  uint32_t crc = 0;
  for (size_t i = 0; i < kCrc; ++i) crc |= uint32_t{frame[frame.size() - kCrc + i]} << 8 * i;
  if (crc != crc_of(content)) {
    throw std::runtime_error(
        fmt::format("found the checksum {:#x} of a frame from the board, expected {:#x}", crc,
                    crc_of(content)));
  }
  return {content.begin(), content.end()};
}

std::optional<Packet> udp_packet(std::span<const uint8_t> content) {
  if (number(content, kMacs, 2) != kTypeIp) return std::nullopt;
  const auto ip = content.subspan(kEthernet);
  if (ip[9] != kUdpProtocol) return std::nullopt;
  const size_t whole = number(ip, 2, 2), length = number(ip, kIp + 4, 2);
  if (ip[0] != 0x45 || sum_of(ip.first(kIp)) != 0xffff || whole != kIp + length || length < kUdp ||
      whole > ip.size()) {
    throw std::runtime_error(
        fmt::format("found a datagram from the board of {} bytes in {} of a frame, expected its "
                    "headers to agree",
                    whole, ip.size()));
  }
  const auto payload = ip.subspan(kIp + kUdp, length - kUdp);
  return Packet{{number(ip, 12, 4), static_cast<uint16_t>(number(ip, kIp, 2))},
                {number(ip, 16, 4), static_cast<uint16_t>(number(ip, kIp + 2, 2))},
                {payload.begin(), payload.end()}};
}

std::optional<ArpRequest> arp_request(std::span<const uint8_t> content) {
  const auto arp = content.subspan(kEthernet);
  if (number(content, kMacs, 2) != kTypeArp ||
      !std::equal(kArpRequestHead.begin(), kArpRequestHead.end(), arp.begin()) ||
      number(arp, 6, 2) != 1) {
    return std::nullopt;
  }
  ArpRequest found{{}, number(arp, 14, 4), number(arp, 24, 4)};
  std::copy_n(arp.begin() + 8, found.mac.size(), found.mac.begin());
  return found;
}

}  // namespace firesim
