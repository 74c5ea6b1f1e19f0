// SPDX-License-Identifier: BSD-3-Clause
// Frames to packets and back; see packet.h. A frame's flit has eight bytes, the first one lowest.
#include "parts/rdma/functional/packet.h"

#include <cstring>

#include "parts/rdma/functional/icrc.h"
#include "parts/rdma/functional/opcodes.h"

namespace firesim::functional::rdma {
namespace {

constexpr uint16_t kUdpPort = 4791;
constexpr uint32_t kUdp = 17, kLifetime = 64, kDoNotFragment = 0x4000;
// Bytes of Ethernet, IPv4, UDP, BTH and ICRC; of these, those that the IPv4 header counts.
constexpr uint32_t kHeaderBytes = 58, kIpBytes = 44;
constexpr size_t kHeaderFlits = 7, kClassifyingFlits = 5;  // up to the BTH's end; to the ports
constexpr uint32_t kMostExtensionWords = 5, kMostPayloadWords = 1024;
constexpr uint8_t kBackwardCongestion = 0x40;

uint32_t swap32(uint64_t value) {
  const auto word = static_cast<uint32_t>(value);
  return word >> 24 | (word >> 8 & 0xff00) | (word & 0xff00) << 8 | word << 24;
}
uint16_t swap16(uint64_t value) { return static_cast<uint16_t>(swap32(value << 16)); }
uint32_t swap24(uint64_t value) { return swap32(value << 8) & 0xff'ffff; }

// The halfwords of IPv4's header, added with their carries.
uint16_t folded(uint32_t sum) {
  sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<uint16_t>(sum + (sum >> 16));
}

uint32_t header_sum(std::span<const uint64_t> frame) {
  uint32_t sum = 0;
  for (uint32_t half = 0; half < 10; ++half)
    sum += swap16(frame[2 + half / 4] >> (16 * (half % 4)));
  return sum;
}

// Lengths and versions agree with each other; `body` is the words between BTH and ICRC.
bool is_sound(std::span<const uint64_t> frame, uint32_t body) {
  const uint16_t bytes = swap16(frame[2] >> 16);
  const uint32_t most = kIpBytes + 4 * (kMostExtensionWords + kMostPayloadWords);
  return bytes >= kIpBytes && bytes <= most && bytes % 4 == 0 &&
         folded(header_sum(frame)) == 0xffff && swap16(frame[5]) == (body + 6) * 4 &&
         (frame[5] >> 40 & 0xf) == 0;
}

uint32_t word_at(std::span<const uint64_t> frame, uint32_t word) {
  return static_cast<uint32_t>(frame[kHeaderFlits + word / 2] >> (32 * (word % 2)));
}

uint32_t icrc_of(std::span<const uint64_t> frame, uint32_t body) {
  Icrc icrc;
  for (uint32_t flit = 2; flit < kHeaderFlits; ++flit) icrc.add_header(flit, frame[flit]);
  for (uint32_t pair = 0; pair < body / 2; ++pair) icrc.add64(frame[kHeaderFlits + pair]);
  if (body % 2 != 0) icrc.add32(word_at(frame, body - 1));
  return icrc.value();
}

uint8_t service_of(const TxPacket &packet, const QpConfig &config, const Marking &marking) {
  if (packet.opcode == kNotification) return static_cast<uint8_t>(marking.notification_dscp << 2);
  if (marking.markable && packet.bytes != 0) return (config.traffic_class() & 0xfc) | 2;
  return config.traffic_class();
}

uint16_t checksum(uint8_t service, uint32_t ip_bytes, uint32_t from, uint32_t to) {
  uint32_t sum = (0x4500u | service) + ip_bytes + kDoNotFragment + (kLifetime << 8 | kUdp);
  for (const uint32_t ip : {from, to}) sum += (ip >> 16) + (ip & 0xffff);
  return static_cast<uint16_t>(~folded(sum));
}

// The flits up to the end of the BTH.
void put_headers(std::vector<uint64_t> &frame, const TxPacket &packet, const QpConfig &config,
                 const Address &own, const Marking &marking) {
  const uint8_t service = service_of(packet, config, marking);
  const uint32_t ip_bytes = packet.frame_bytes() - (kHeaderBytes - kIpBytes);
  const uint32_t pad = -packet.bytes & 3;
  const uint8_t flags = (packet.solicited ? 0x80 : 0) | static_cast<uint8_t>(pad << 4);
  const uint8_t congestion = packet.opcode == kNotification ? kBackwardCongestion : 0;
  frame[0] = config.mac() << 16;
  frame[1] = uint64_t{0x0008} << 48 | own.mac;
  frame[2] = uint64_t{swap16(kDoNotFragment)} << 48 | uint64_t{swap16(ip_bytes)} << 16 |
             uint64_t{service} << 8 | 0x45;
  frame[3] = uint64_t{swap32(own.ip)} << 32 |
             uint64_t{swap16(checksum(service, ip_bytes, own.ip, config.ip()))} << 16 | kUdp << 8 |
             kLifetime;
  frame[4] = uint64_t{swap16(kUdpPort)} << 48 | uint64_t{swap16(config.source_port())} << 32 |
             swap32(config.ip());
  frame[5] = uint64_t{swap16(config.partition())} << 48 | uint64_t{flags} << 40 |
             uint64_t{packet.opcode} << 32 | swap16(ip_bytes - 20);
  frame[6] = uint64_t{swap24(packet.psn)} << 40 | uint64_t{packet.ack_request} << 39 |
             uint64_t{swap24(config.peer())} << 8 | congestion;
}

}  // namespace

uint32_t TxPacket::frame_bytes() const {
  return kHeaderBytes + 4 * (extension_words(opcode) + (bytes + 3) / 4);
}

uint32_t RxPacket::immediate() const { return extension[has_reth(opcode) ? 4 : 0]; }

bool is_for(const QueuePairs &pairs, const RxPacket &packet) {
  if (packet.fault != RxPacket::Fault::kNone || packet.qp >= kQps) return false;
  const QpConfig &config = pairs.configs[packet.qp];
  return config.enabled() && packet.partition == config.partition() &&
         packet.source_ip == config.ip();
}

bool is_ours(std::span<const uint64_t> frame, const Address &own) {
  if (frame.size() < kClassifyingFlits) return false;
  return frame[0] >> 16 == own.mac && frame[1] >> 48 == 0x0008 && (frame[2] & 0xff) == 0x45 &&
         (frame[2] >> 48 & 0xff3f) == 0 && (frame[3] >> 8 & 0xff) == kUdp &&
         swap32(frame[4]) == own.ip && swap16(frame[4] >> 48) == kUdpPort;
}

RxPacket parse(std::span<const uint64_t> frame, bool notifications) {
  RxPacket packet;
  packet.fault = RxPacket::Fault::kMalformed;
  if (frame.size() <= kHeaderFlits) return packet;
  const uint32_t body = swap16(frame[2] >> 16) / 4 - kIpBytes / 4;
  if (!is_sound(frame, body)) return packet;
  packet.marked = (frame[2] >> 8 & 3) == 3;
  packet.source_ip = swap32(frame[3] >> 32);
  packet.opcode = static_cast<uint8_t>(frame[5] >> 32);
  packet.solicited = (frame[5] >> 47 & 1) != 0;
  packet.partition = swap16(frame[5] >> 48);
  packet.qp = swap24(frame[6] >> 8 & 0xff'ffff);
  packet.ack_request = (frame[6] >> 39 & 1) != 0;
  packet.psn = swap24(frame[6] >> 40);
  const auto words = static_cast<uint32_t>(2 * (frame.size() - kHeaderFlits));  // with the ICRC
  for (uint32_t i = 0; i < packet.extension.size() && i < words; ++i) {
    packet.extension[i] = swap32(word_at(frame, i));
  }
  const uint32_t pad = frame[5] >> 44 & 3, extension = extension_words(packet.opcode);
  const bool known = packet.opcode < 32 || (notifications && packet.opcode == kNotification);
  // The last flit has the ICRC, or comes before it: then that is missing.
  if (body < words - 2 || body < extension || (pad != 0 && body == extension) || !known) {
    return packet;
  }
  packet.fault = RxPacket::Fault::kWrongIcrc;
  if (body >= words || word_at(frame, body) != icrc_of(frame, body)) return packet;
  packet.fault = RxPacket::Fault::kNone;
  const auto *bytes = reinterpret_cast<const uint8_t *>(frame.data() + kHeaderFlits);
  packet.payload = {bytes + 4 * extension, 4 * (body - extension) - pad};
  return packet;
}

std::vector<uint64_t> build(const TxPacket &packet, const QpConfig &config, const Address &own,
                            const Marking &marking, std::span<const uint8_t> payload) {
  const uint32_t extension = extension_words(packet.opcode);
  const uint32_t body = extension + (packet.bytes + 3) / 4;
  std::vector<uint64_t> frame(kHeaderFlits + (body + 2) / 2);
  put_headers(frame, packet, config, own, marking);
  auto *bytes = reinterpret_cast<uint8_t *>(frame.data() + kHeaderFlits);
  for (uint32_t i = 0; i < extension; ++i) {
    const uint32_t word = i < packet.extension.size() ? swap32(packet.extension[i]) : 0;
    std::memcpy(bytes + 4 * i, &word, 4);
  }
  if (!payload.empty()) std::memcpy(bytes + 4 * extension, payload.data(), payload.size());
  const uint32_t icrc = icrc_of(frame, body);
  std::memcpy(bytes + 4 * body, &icrc, 4);
  return frame;
}

}  // namespace firesim::functional::rdma
