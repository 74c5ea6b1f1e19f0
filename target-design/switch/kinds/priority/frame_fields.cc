// SPDX-License-Identifier: BSD-3-Clause
//
// Fields of frames; see frame_fields.h.
#include "switch/kinds/priority/frame_fields.h"

#include "core/frame_match.h"

namespace firesim::priority {

namespace {

constexpr size_t kTypeAt = 12, kTagBytes = 4;
constexpr uint64_t kTag = 0x8100, kIpv4 = 0x0800, kIpv6 = 0x86dd, kMacControl = 0x8808;
constexpr uint64_t kPriorityPause = 0x0101;  // opcode
constexpr uint64_t kNothing = UINT64_MAX;
constexpr uint8_t kPauseAddress[] = {0x01, 0x80, 0xc2, 0x00, 0x00, 0x01};
constexpr size_t kOpcodeAt = 14, kVectorAt = 16, kTimersAt = 18, kPauseBytes = 60;
constexpr uint8_t kEcnMask = 3;
constexpr size_t kTosAt = 1, kChecksumAt = 10;  // of the header of IPv4

uint64_t word_at(std::span<const uint64_t> flits, size_t at) {
  const auto high = frame_byte(flits, at), low = frame_byte(flits, at + 1);
  return high && low ? uint64_t{*high} << 8 | *low : kNothing;
}

void put_byte(std::span<uint64_t> flits, size_t at, uint64_t value) {
  const size_t place = at + kPadBytes, shift = 8 * (place % 8);
  uint64_t &flit = flits[place / 8];
  flit = (flit & ~(uint64_t{0xff} << shift)) | value << shift;
}

void put_word(std::span<uint64_t> flits, size_t at, uint64_t value) {
  put_byte(flits, at, value >> 8 & 0xff);
  put_byte(flits, at + 1, value & 0xff);
}

// The header of IP of a frame, whose traffic class and checksum are there.
struct IpHeader {
  size_t at = 0;
  bool is_4 = false;
};

std::optional<IpHeader> ip_header(std::span<const uint64_t> flits) {
  size_t type_at = kTypeAt;
  if (word_at(flits, type_at) == kTag) type_at += kTagBytes;
  const uint64_t type = word_at(flits, type_at);
  const IpHeader header{type_at + 2, type == kIpv4};
  if (type != kIpv4 && type != kIpv6) return std::nullopt;
  const bool is_whole = word_at(flits, header.at + kChecksumAt) != kNothing;
  const auto first = frame_byte(flits, header.at);
  return is_whole && *first >> 4 == (header.is_4 ? 4 : 6) ? std::optional(header) : std::nullopt;
}

uint8_t traffic_class(std::span<const uint64_t> flits, const IpHeader &ip) {
  if (ip.is_4) return *frame_byte(flits, ip.at + kTosAt);
  return static_cast<uint8_t>(word_at(flits, ip.at) >> 4);
}

}  // namespace

uint32_t class_of(std::span<const uint64_t> flits, ClassBy by, uint32_t otherwise) {
  if (by == ClassBy::kPcp && word_at(flits, kTypeAt) == kTag) {
    const auto tag = frame_byte(flits, kTypeAt + 2);
    return tag ? *tag >> 5 : otherwise;
  }
  if (by != ClassBy::kDscp) return otherwise;
  const std::optional<IpHeader> ip = ip_header(flits);
  return ip ? traffic_class(flits, *ip) >> 5 : otherwise;
}

bool is_ecn_capable(std::span<const uint64_t> flits) {
  const std::optional<IpHeader> ip = ip_header(flits);
  return ip && (traffic_class(flits, *ip) & kEcnMask) != 0;
}

void mark_congestion(std::span<uint64_t> flits) {
  const std::optional<IpHeader> ip = ip_header(flits);
  if (!ip) return;
  if (!ip->is_4) {
    put_word(flits, ip->at, word_at(flits, ip->at) | kEcnMask << 4);
    return;
  }
  const uint64_t before = word_at(flits, ip->at);
  const uint64_t after = before | kEcnMask;
  put_word(flits, ip->at, after);
  // RFC 1624: HC' = ~(~HC + ~m + m'), in ones' complement.
  uint64_t sum = (~word_at(flits, ip->at + kChecksumAt) & 0xffff) + (~before & 0xffff) + after;
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  put_word(flits, ip->at + kChecksumAt, ~sum & 0xffff);
}

std::optional<PriorityPause> read_pause(std::span<const uint64_t> flits) {
  if (word_at(flits, kTypeAt) != kMacControl || word_at(flits, kOpcodeAt) != kPriorityPause) {
    return std::nullopt;
  }
  for (size_t i = 0; i < std::size(kPauseAddress); ++i) {
    if (frame_byte(flits, i) != kPauseAddress[i]) return std::nullopt;
  }
  if (word_at(flits, kTimersAt + 2 * (kClasses - 1)) == kNothing) return std::nullopt;
  PriorityPause pause;
  pause.classes = static_cast<uint8_t>(word_at(flits, kVectorAt));
  for (uint32_t one = 0; one < kClasses; ++one) {
    pause.quanta[one] = static_cast<uint16_t>(word_at(flits, kTimersAt + 2 * size_t{one}));
  }
  return pause;
}

std::vector<uint64_t> pause_frame(const PriorityPause &pause, uint32_t port) {
  std::vector<uint64_t> flits((kPauseBytes + kPadBytes + 7) / 8);
  for (size_t i = 0; i < std::size(kPauseAddress); ++i) put_byte(flits, i, kPauseAddress[i]);
  put_byte(flits, 6, 2);  // an address of local administration
  put_word(flits, 10, port);
  put_word(flits, kTypeAt, kMacControl);
  put_word(flits, kOpcodeAt, kPriorityPause);
  put_word(flits, kVectorAt, pause.classes);
  for (uint32_t one = 0; one < kClasses; ++one) {
    put_word(flits, kTimersAt + 2 * size_t{one}, pause.quanta[one]);
  }
  return flits;
}

}  // namespace firesim::priority
