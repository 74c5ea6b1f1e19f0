// SPDX-License-Identifier: BSD-3-Clause
// Numbers of any width; see bit_words.h.
#include "bridges/bit_words.h"

#include <cctype>

namespace firesim::bridges {

Words parse_hex(const std::string &text) {
  if (text.size() < 3 || !text.starts_with("0x")) return {};
  Words words((text.size() - 2 + 15) / 16);
  for (size_t i = 0; i < text.size() - 2; ++i) {
    const char c = text[text.size() - 1 - i];
    if (std::isxdigit(static_cast<unsigned char>(c)) == 0) return {};
    const int digit = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
    words[i / 16] |= static_cast<uint64_t>(digit) << i % 16 * 4;
  }
  return words;
}

uint32_t bits_of(const Words &words) {
  for (size_t i = words.size(); i-- > 0;) {
    if (words[i] != 0) return static_cast<uint32_t>(64 * i + 64 - __builtin_clzll(words[i]));
  }
  return 0;
}

void put_bits(Words &words, uint32_t low, uint64_t value) {
  words[low / 64] |= value << low % 64;
  if (low % 64 != 0 && value >> (64 - low % 64) != 0)
    words[low / 64 + 1] |= value >> (64 - low % 64);
}

uint64_t bits_at(const Words &words, uint32_t low, uint32_t width) {
  const size_t index = low / 64;
  uint64_t value = index < words.size() ? words[index] >> low % 64 : 0;
  if (low % 64 != 0 && index + 1 < words.size()) value |= words[index + 1] << (64 - low % 64);
  return width == 64 ? value : value & ((uint64_t{1} << width) - 1);
}

}  // namespace firesim::bridges
