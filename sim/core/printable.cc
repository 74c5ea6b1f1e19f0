// SPDX-License-Identifier: BSD-3-Clause
//
// Decodes UTF-8 and writes what is not to be obeyed as an escape. See the header.
#include "core/printable.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>

namespace firesim {

namespace {

struct Character {
  uint32_t code = 0;
  size_t bytes = 0;  // 0: no UTF-8
};

// The first character of a text that is not empty.
Character decode(std::string_view text) {
  static constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const auto first = static_cast<uint8_t>(text[0]);
  if (first < 0x80) return {first, 1};
  const size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < bytes) return {};
  uint32_t code = first & (0x7fu >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<uint8_t>(text[i]);
    if ((next & 0xc0) != 0x80) return {};
    code = code << 6 | (next & 0x3fu);
  }
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  if (code < kLeast[bytes] || code > 0x10ffff || surrogate) return {};
  return {code, bytes};
}

bool is_obeyed(uint32_t code) {
  if (code < 0x20) return code != '\n' && code != '\t';
  if (code >= 0x7f && code < 0xa0) return true;
  return (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2060 && code <= 0x206f) || code == 0xfeff;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string shown;
  char escape[12];
  while (!text.empty()) {
    const Character next = decode(text);
    const size_t bytes = next.bytes == 0 ? 1 : next.bytes;
    if (next.bytes != 0 && !is_obeyed(next.code)) {
      shown += text.substr(0, bytes);
    } else {
      const uint32_t code = next.bytes == 0 ? static_cast<uint8_t>(text[0]) : next.code;
      std::snprintf(escape, sizeof escape, code < 0x100 ? "\\x%02x" : "\\u%04x", code);
      shown += escape;
    }
    text.remove_prefix(bytes);
  }
  return shown;
}

}  // namespace firesim
