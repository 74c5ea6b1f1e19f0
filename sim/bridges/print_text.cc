// SPDX-License-Identifier: BSD-3-Clause
// Arguments as text; see print_text.h.
#include "bridges/print_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace firesim::bridges {
namespace {

using Words32 = std::vector<uint32_t>;

bool bit_at(const Words32 &words, uint32_t index) { return words[index / 32] >> index % 32 & 1; }

Words32 slice(const Words32 &bits, uint32_t low, uint32_t width) {
  Words32 found((width + 31) / 32);
  for (uint32_t i = 0; i < width; ++i) {
    found[i / 32] |= static_cast<uint32_t>(bit_at(bits, low + i)) << i % 32;
  }
  return found;
}

void negate(Words32 &words, uint32_t width) {
  uint64_t carry = 1;
  for (uint32_t &word : words) {
    carry += static_cast<uint32_t>(~word);
    word = static_cast<uint32_t>(carry);
    carry >>= 32;
  }
  if (width % 32 != 0) words.back() &= (uint32_t{1} << width % 32) - 1;
}

std::string decimal(Words32 words) {
  std::string digits;
  do {
    uint64_t rest = 0;
    for (size_t i = words.size(); i-- > 0;) {
      rest = rest << 32 | words[i];
      words[i] = static_cast<uint32_t>(rest / 10);
      rest %= 10;
    }
    digits.push_back(static_cast<char>('0' + rest));
    while (!words.empty() && words.back() == 0) words.pop_back();
  } while (!words.empty());
  std::reverse(digits.begin(), digits.end());
  return digits;
}

// Digits of `bits_each` bits, without leading zeros.
std::string digits_of(const Words32 &words, uint32_t width, uint32_t bits_each) {
  const char *names = "0123456789abcdef";
  std::string found;
  for (uint32_t low = 0; low < width; low += bits_each) {
    uint32_t digit = 0;
    for (uint32_t i = 0; i < bits_each && low + i < width; ++i) {
      digit |= static_cast<uint32_t>(bit_at(words, low + i)) << i;
    }
    found.push_back(names[digit]);
  }
  while (found.size() > 1 && found.back() == '0') found.pop_back();
  std::reverse(found.begin(), found.end());
  return found;
}

// The bytes as characters, a zero as a blank; without the zeros before the first other one where
// these are to go.
std::string characters(const Words32 &words, uint32_t width, bool without_zeros) {
  std::string found;
  for (uint32_t byte = (width + 7) / 8; byte-- > 0;) {
    const char c = static_cast<char>(words[byte / 4] >> byte % 4 * 8);
    if (c == 0 && found.empty() && without_zeros) continue;
    found.push_back(c == 0 ? ' ' : c);
  }
  return found;
}

// The words as %u and %z have them: four bytes each, with their x and z bits, which are 0.
std::string raw(const Words32 &words, bool four_states) {
  std::string found;
  for (const uint32_t word : words) {
    for (uint32_t byte = 0; byte < 4; ++byte) {
      found.push_back(static_cast<char>(word >> byte * 8));
    }
    if (four_states) found.append(4, '\0');
  }
  return found;
}

std::string strengths(const Words32 &words, uint32_t width) {
  std::string found;
  for (uint32_t bit = width; bit-- > 0;) found += bit_at(words, bit) ? "St1 " : "St0 ";
  return found;
}

double real(const Words32 &words) {
  if (words.size() <= 2) {
    const uint64_t high = words.size() == 2 ? words[1] : 0;
    return static_cast<double>(high << 32 | (words.empty() ? 0 : words[0]));
  }
  double found = 0;
  for (size_t i = words.size(); i-- > 0;) found = found * 4294967296.0 + words[i];
  return found;
}

// A number with a fraction, as C prints it.
std::string floating(const PrintArgument &argument, double value) {
  const int least = static_cast<int>(argument.least_width);
  const int width = argument.justify == '<' ? -least : least;
  const auto print = [&](char *to, size_t size) {
    const bool zeros = argument.pad == '0';
    switch (argument.base) {
      case 'e':
        return std::snprintf(to, size, zeros ? "%0*.*e" : "%*.*e", width, argument.precision,
                             value);
      case 'f':
        return std::snprintf(to, size, zeros ? "%0*.*f" : "%*.*f", width, argument.precision,
                             value);
      default:
        return std::snprintf(to, size, zeros ? "%0*.*g" : "%*.*g", width, argument.precision,
                             value);
    }
  };
  std::string found(static_cast<size_t>(print(nullptr, 0)), ' ');
  print(found.data(), found.size() + 1);
  return found;
}

std::string justified(const PrintArgument &argument, const std::string &text) {
  const size_t size = text.size();
  const size_t missing = argument.least_width > size ? argument.least_width - size : 0;
  if (argument.justify == '<') return text + std::string(missing, ' ');
  return std::string(missing, argument.pad) + text;
}

std::string name_of(const PrintArgument &argument, const Words32 &words) {
  uint64_t value = 0;
  for (size_t i = std::min<size_t>(words.size(), 2); i-- > 0;) value = value << 32 | words[i];
  const auto found = argument.names.find(value);
  return found == argument.names.end() ? "" : found->second;
}

}  // namespace

std::string format_argument(const PrintArgument &argument, const std::vector<uint32_t> &bits,
                            uint64_t cycle) {
  if (argument.base == 't') return justified(argument, fmt::format("{}", cycle));
  const uint32_t width = argument.width_bits;
  Words32 words = slice(bits, argument.low_bit, width);
  const bool negative = argument.is_signed && width > 0 && bit_at(words, width - 1);
  switch (argument.base) {
    case 'b':
      return justified(argument, digits_of(words, width, 1));
    case 'o':
      return justified(argument, digits_of(words, width, 3));
    case 'h':
      return justified(argument, digits_of(words, width, 4));
    case 'q':  // %0p
      return "'h" + digits_of(words, width, 4);
    case 'c':
      return characters({words.at(0) & 0xff}, 8, false);
    case 's':
    case 'S':  // %0s
      return justified(argument, characters(words, width, argument.base == 'S'));
    case 'n':
      return justified(argument, name_of(argument, words));
    case 'u':
    case 'z':
      return raw(words, argument.base == 'z');
    case 'v':
      return strengths(words, width);
    default:
      break;
  }
  if (negative) negate(words, width);
  if (argument.base == 'd') {
    std::string digits = decimal(std::move(words));
    if (negative) digits.insert(digits.begin(), '-');
    return justified(argument, digits);
  }
  return floating(argument, negative ? -real(words) : real(words));
}

std::string text_of(const std::vector<PrintPiece> &pieces, const FiresimPort &arguments,
                    uint64_t cycle) {
  Words32 bits;
  if (arguments.storage != nullptr) {
    bits.resize((port_bytes(arguments.width_bits) + 3) / 4);
    std::memcpy(bits.data(), arguments.storage, port_bytes(arguments.width_bits));
  }
  std::string text;
  for (const PrintPiece &piece : pieces) {
    text += piece.argument ? format_argument(*piece.argument, bits, cycle) : piece.text;
  }
  return text;
}

}  // namespace firesim::bridges
