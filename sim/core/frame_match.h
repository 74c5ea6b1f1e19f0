// SPDX-License-Identifier: BSD-3-Clause
//
// Which frames a rule of a link is about, by what their first bytes say: addresses, EtherType, the
// protocol and ports of IP, or any bytes.
//
// Bytes are counted from the first one of the destination address. On a link two pad bytes are in
// front of it, so byte k is byte k + 2 of the flits.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace firesim {

inline constexpr uint32_t kPadBytes = 2;
inline constexpr uint32_t kMostPatternByte = 2047;

// Byte `at` of a frame; nothing if the frame is shorter.
std::optional<uint8_t> frame_byte(std::span<const uint64_t> flits, size_t at);

class FrameMatch {
 public:
  // Every frame.
  FrameMatch() = default;
  // The object "match" of a rule (docs/reference/interfaces/simulation.md). Throws
  // DescriptionError.
  FrameMatch(const nlohmann::json &json, const std::string &where);

  // Flits of a frame, from its first one on, that `matches` looks at; at least 1.
  uint32_t flits_needed() const { return flits_needed_; }

  // `flits` are those that are needed, or all of a frame that is shorter.
  bool matches(std::span<const uint64_t> flits) const;

 private:
  struct Pattern {
    uint32_t at = 0;
    std::vector<uint8_t> value, mask;
  };

  void read_pattern(const nlohmann::json &json, const std::string &where);
  void need_bytes(uint32_t bytes);
  bool matches_headers(std::span<const uint64_t> flits) const;
  bool matches_ip(std::span<const uint64_t> flits, size_t ip) const;

  std::optional<uint64_t> destination_, source_;  // byte 0 of the address in bits 7:0
  std::optional<uint64_t> ethertype_, protocol_, source_port_, destination_port_;
  std::vector<Pattern> patterns_;
  uint32_t flits_needed_ = 1;
};

}  // namespace firesim
