// SPDX-License-Identifier: BSD-3-Clause
//
// Reads the headers of frames; see frame_match.h. Formats: IEEE 802.3 and 802.1Q (EtherType and
// tag), RFC 791 and RFC 8200 (IP), RFC 768 and RFC 9293 (ports of UDP and TCP).
#include "core/frame_match.h"

#include <algorithm>

#include "core/fields.h"

namespace firesim {

namespace {

constexpr uint32_t kAddressBytes = 6;
constexpr uint32_t kTypeAt = 12, kTagBytes = 4;
constexpr uint64_t kTag = 0x8100, kIpv4 = 0x0800, kIpv6 = 0x86dd;
constexpr uint32_t kIpAt = 14;  // without a tag
constexpr uint32_t kIpv4MostBytes = 60, kIpv6Bytes = 40, kPortBytes = 4;
constexpr uint64_t kTcp = 6, kUdp = 17;
constexpr uint64_t kNoValue = UINT64_MAX;
constexpr size_t kMostPatterns = 16, kMostPatternBytes = 64;

// `bytes` bytes from `at` on, the first one highest; kNoValue if the frame is shorter.
uint64_t big_endian(std::span<const uint64_t> flits, size_t at, uint32_t bytes) {
  uint64_t value = 0;
  for (uint32_t i = 0; i < bytes; ++i) {
    const std::optional<uint8_t> byte = frame_byte(flits, at + i);
    if (!byte) return kNoValue;
    value = value << 8 | *byte;
  }
  return value;
}

uint64_t address(std::span<const uint64_t> flits, size_t at) {
  uint64_t value = 0;
  for (uint32_t i = 0; i < kAddressBytes; ++i) {
    value |= uint64_t{frame_byte(flits, at + i).value_or(0)} << 8 * i;
  }
  return value;
}

std::optional<uint64_t> read_mac(Fields &fields, const char *key) {
  const std::optional<std::string> text = fields.optional_text(key);
  if (!text) return std::nullopt;
  const std::optional<uint64_t> mac = parse_mac(*text);
  if (!mac) fields.fail(key, "a MAC address such as 00:12:6D:00:00:02");
  return mac;
}

int hex_digit(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  return -1;
}

std::vector<uint8_t> read_hex(Fields &fields, const char *key) {
  const std::string text = fields.text(key);
  std::vector<uint8_t> bytes;
  const bool even = text.size() % 2 == 0 && text.size() <= 2 * kMostPatternBytes;
  for (size_t i = 0; even && i < text.size(); i += 2) {
    const int high = hex_digit(text[i]), low = hex_digit(text[i + 1]);
    if (high < 0 || low < 0) fields.fail(key, "pairs of hexadecimal digits in lower case");
    bytes.push_back(static_cast<uint8_t>(high << 4 | low));
  }
  if (bytes.empty()) fields.fail(key, "1 to 64 bytes as pairs of hexadecimal digits");
  return bytes;
}

}  // namespace

std::optional<uint8_t> frame_byte(std::span<const uint64_t> flits, size_t at) {
  const size_t index = (at + kPadBytes) / 8;
  if (index >= flits.size()) return std::nullopt;
  return static_cast<uint8_t>(flits[index] >> 8 * ((at + kPadBytes) % 8));
}

FrameMatch::FrameMatch(const nlohmann::json &json, const std::string &where) {
  Fields fields(json, where);
  destination_ = read_mac(fields, "destination");
  source_ = read_mac(fields, "source");
  ethertype_ = fields.optional_integer("ethertype", 0, UINT16_MAX);
  protocol_ = fields.optional_integer("protocol", 0, UINT8_MAX);
  source_port_ = fields.optional_integer("source_port", 0, UINT16_MAX);
  destination_port_ = fields.optional_integer("destination_port", 0, UINT16_MAX);
  const nlohmann::json &patterns = fields.array("bytes", false);
  if (patterns.size() > kMostPatterns) fields.fail("bytes", "16 patterns at most");
  for (size_t i = 0; i < patterns.size(); ++i) {
    read_pattern(patterns[i], where + ": bytes[" + std::to_string(i) + "]");
  }
  fields.finish();
  if (source_) need_bytes(2 * kAddressBytes);
  if (ethertype_) need_bytes(kIpAt + kTagBytes);
  if (protocol_) need_bytes(kIpAt + kTagBytes + kIpv6Bytes);
  if (source_port_ || destination_port_) {
    need_bytes(kIpAt + kTagBytes + kIpv4MostBytes + kPortBytes);
  }
}

void FrameMatch::read_pattern(const nlohmann::json &json, const std::string &where) {
  Fields fields(json, where);
  Pattern pattern;
  pattern.at = static_cast<uint32_t>(fields.integer("at", 0, kMostPatternByte));
  pattern.value = read_hex(fields, "value");
  pattern.mask.assign(pattern.value.size(), UINT8_MAX);
  if (json.contains("mask") && !json.at("mask").is_null()) pattern.mask = read_hex(fields, "mask");
  fields.finish();
  if (pattern.mask.size() != pattern.value.size()) fields.fail("mask", "as many bytes as value");
  need_bytes(pattern.at + static_cast<uint32_t>(pattern.value.size()));
  patterns_.push_back(std::move(pattern));
}

void FrameMatch::need_bytes(uint32_t bytes) {
  flits_needed_ = std::max(flits_needed_, (bytes + kPadBytes + 7) / 8);
}

bool FrameMatch::matches(std::span<const uint64_t> flits) const {
  if (destination_ && address(flits, 0) != *destination_) return false;
  if (source_ && address(flits, kAddressBytes) != *source_) return false;
  for (const Pattern &pattern : patterns_) {
    for (size_t i = 0; i < pattern.value.size(); ++i) {
      const std::optional<uint8_t> byte = frame_byte(flits, pattern.at + i);
      if (!byte || ((*byte ^ pattern.value[i]) & pattern.mask[i]) != 0) return false;
    }
  }
  return matches_headers(flits);
}

bool FrameMatch::matches_headers(std::span<const uint64_t> flits) const {
  const bool wants_ip = protocol_ || source_port_ || destination_port_;
  if (!ethertype_ && !wants_ip) return true;
  size_t type_at = kTypeAt;
  uint64_t type = big_endian(flits, type_at, 2);
  if (type == kTag) {
    type_at += kTagBytes;
    type = big_endian(flits, type_at, 2);
  }
  if (ethertype_ && type != *ethertype_) return false;
  if (!wants_ip) return true;
  return (type == kIpv4 || type == kIpv6) && matches_ip(flits, type_at + 2);
}

bool FrameMatch::matches_ip(std::span<const uint64_t> flits, size_t ip) const {
  const uint64_t first = big_endian(flits, ip, 1);
  if (first == kNoValue) return false;
  const bool is_4 = first >> 4 == 4;
  const uint64_t protocol = big_endian(flits, ip + (is_4 ? 9 : 6), 1);
  if (protocol_ && protocol != *protocol_) return false;
  if (!source_port_ && !destination_port_) return true;
  if (protocol != kTcp && protocol != kUdp) return false;
  // Only the first fragment of a datagram has ports.
  if (is_4 && (big_endian(flits, ip + 6, 2) & 0x1fff) != 0) return false;
  const size_t ports = ip + (is_4 ? (first & 0xf) * 4 : kIpv6Bytes);
  if (source_port_ && big_endian(flits, ports, 2) != *source_port_) return false;
  return !destination_port_ || big_endian(flits, ports + 2, 2) == *destination_port_;
}

}  // namespace firesim
