// SPDX-License-Identifier: BSD-3-Clause
// Prints of the target; see prints.h.
#include "bridges/prints.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace firesim::bridges {
namespace {

using Words = std::vector<uint32_t>;

bool bit_at(const Words &words, uint32_t index) { return words[index / 32] >> index % 32 & 1; }

Words slice(const Words &bits, uint32_t low, uint32_t width) {
  Words found((width + 31) / 32);
  for (uint32_t i = 0; i < width; ++i) {
    found[i / 32] |= static_cast<uint32_t>(bit_at(bits, low + i)) << i % 32;
  }
  return found;
}

void negate(Words &words, uint32_t width) {
  uint64_t carry = 1;
  for (uint32_t &word : words) {
    carry += static_cast<uint32_t>(~word);
    word = static_cast<uint32_t>(carry);
    carry >>= 32;
  }
  if (width % 32 != 0) words.back() &= (uint32_t{1} << width % 32) - 1;
}

std::string decimal(Words words) {
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
std::string digits_of(const Words &words, uint32_t width, uint32_t bits_each, bool upper) {
  const char *names = upper ? "0123456789ABCDEF" : "0123456789abcdef";
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

std::string characters(const Words &words, uint32_t width) {
  std::string found;
  for (uint32_t byte = (width + 7) / 8; byte-- > 0;) {
    const char c = static_cast<char>(words[byte / 4] >> byte % 4 * 8);
    if (c != 0) found.push_back(c);
  }
  return found;
}

std::string justified(const PrintArgument &argument, const std::string &sign,
                      const std::string &text) {
  const size_t size = sign.size() + text.size();
  const size_t missing = argument.least_width > size ? argument.least_width - size : 0;
  if (argument.justify == '<') return sign + text + std::string(missing, ' ');
  const std::string padding(missing, argument.pad);
  return argument.justify == '=' ? sign + padding + text : padding + sign + text;
}

}  // namespace

std::string format_argument(const PrintArgument &argument, const std::vector<uint32_t> &bits,
                            uint64_t cycle) {
  if (argument.base == 't') return justified(argument, "", fmt::format("{}", cycle));
  const uint32_t width = argument.width_bits;
  Words words = slice(bits, argument.low_bit, width);
  if (argument.base == 'c') return justified(argument, "", characters(words, width));
  std::string sign = argument.plus;
  if (argument.is_signed && width > 0 && bit_at(words, width - 1)) {
    sign.assign(1, '-');
    negate(words, width);
  }
  switch (argument.base) {
    case 'd':
      return justified(argument, sign, decimal(std::move(words)));
    case 'o':
      return justified(argument, sign, digits_of(words, width, 3, false));
    case 'b':
      return justified(argument, sign, digits_of(words, width, 1, false));
    default:
      return justified(argument, sign, digits_of(words, width, 4, argument.base == 'H'));
  }
}

PrintDriver::PrintDriver(Config &config, const SimulationContext &simulation,
                         const FiresimPort &port, std::vector<Source> sources, Window window)
    : printing_(port), sources_(std::move(sources)), window_(std::move(window)) {
  const std::string path = config.required_text("file");
  config.finish();
  if (!window_.never()) file_ = std::make_unique<BufferedFile>(simulation.output_path(path));
}

void PrintDriver::print(uint64_t cycle) {
  for (uint32_t bit = 0; bit < sources_.size(); ++bit) {
    if (!printing_[bit]) continue;
    const Source &source = sources_[bit];
    Words bits;
    if (source.arguments.storage != nullptr) {
      bits.resize((port_bytes(source.arguments.width_bits) + 3) / 4);
      std::memcpy(bits.data(), source.arguments.storage, port_bytes(source.arguments.width_bits));
    }
    std::string text;
    for (const PrintPiece &piece : source.info.pieces) {
      text += piece.argument ? format_argument(*piece.argument, bits, cycle) : piece.text;
    }
    write(text, cycle);
  }
}

void PrintDriver::write(const std::string &text, uint64_t cycle) {
  std::string lines;
  for (const char c : text) {
    if (!within_line_) lines += fmt::format("{}: ", cycle);
    within_line_ = c != '\n';
    lines.push_back(c);
  }
  file_->put(lines);
}

void PrintDriver::finish(uint64_t) {
  if (file_) file_->flush();
}

void PrintDriver::save(StateWriter &state) const {
  state.section("prints", 2);
  state.boolean(within_line_);
  window_.save(state);
}

void PrintDriver::load(StateReader &state) {
  state.section("prints", 2);
  state.boolean();
  within_line_ = false;  // The line was begun in another file.
  window_.load(state);
}

}  // namespace firesim::bridges
