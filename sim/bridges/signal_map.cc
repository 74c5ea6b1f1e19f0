// SPDX-License-Identifier: BSD-3-Clause
// Named registers and memories; see signal_map.h.
#include "bridges/signal_map.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/names.h"

namespace firesim::bridges {

using devices::Config;
using devices::ConfigError;
namespace {

uint64_t lowest(uint64_t value, uint32_t bits) {
  return bits >= 64 ? value : value & ((uint64_t{1} << bits) - 1);
}

std::string nearest(const std::string &name, const SignalsByName &signals) {
  std::vector<std::string> known;
  for (const auto &[each, words] : signals) known.push_back(each);
  return nearest_name(name, known);
}

uint32_t width_of(const std::vector<FiresimSignal> &words) {
  uint32_t width = 0;
  for (const FiresimSignal &word : words) width = std::max(width, word.low_bit + word.width_bits);
  return width;
}

}  // namespace

MappedRegister::MappedRegister(const std::string &text, const std::string &where,
                               const SignalsByName &signals) {
  const auto [name, row] = split_row(text, where);
  const auto found = signals.find(name);
  if (found == signals.end()) {
    throw ConfigError(fmt::format("{}: the model has no signal '{}', nearest is '{}'", where, name,
                                  nearest(name, signals)));
  }
  words_ = found->second;
  width_bits_ = width_of(words_);
  if (width_bits_ > 64 || words_[0].kind == FIRESIM_WIRE) {
    throw ConfigError(
        fmt::format("{}: found '{}', expected a register or a row of a memory of at most 64 bits",
                    where, text));
  }
  row_ = row == UINT32_MAX ? 0 : row;
  if (row_ >= words_[0].rows || (row == UINT32_MAX && words_[0].rows != 1)) {
    throw ConfigError(fmt::format("{}: found '{}', expected a row from 0 to {}", where, text,
                                  words_[0].rows - 1));
  }
}

uint64_t MappedRegister::value() const {
  uint64_t value = 0;
  for (const FiresimSignal &word : words_) value |= value_of(word, row_) << word.low_bit;
  return value;
}

MappedMemory::MappedMemory(Config &config, const char *key, const SignalsByName &signals)
    : name_(config.required_text(key)) {
  const auto found = signals.find(name_);
  if (found == signals.end() || found->second[0].kind != FIRESIM_MEMORY) {
    config.fail(key,
                fmt::format("a memory of the model, nearest is '{}'", nearest(name_, signals)));
  }
  words_ = found->second;
  std::sort(words_.begin(), words_.end(), [](const FiresimSignal &one, const FiresimSignal &other) {
    return one.low_bit < other.low_bit;
  });
  width_bits_ = width_of(words_);
}

void MappedMemory::expect(const Config &config, const char *key, uint64_t rows,
                          uint64_t bits) const {
  if (this->rows() == rows && width_bits_ == bits) return;
  config.fail(key, fmt::format("a memory of {} rows of {} bits, and '{}' has {} of {}", rows, bits,
                               name_, this->rows(), width_bits_));
}

uint64_t MappedMemory::bits(uint64_t row, uint32_t low, uint32_t width) const {
  const auto first = std::partition_point(
      words_.begin(), words_.end(),
      [low](const FiresimSignal &word) { return word.low_bit + word.width_bits <= low; });
  uint64_t value = 0;
  for (auto word = first; word != words_.end() && word->low_bit < low + width; ++word) {
    const uint64_t part = value_of(*word, static_cast<uint32_t>(row));
    value |= word->low_bit >= low ? part << (word->low_bit - low) : part >> (low - word->low_bit);
  }
  return lowest(value, width);
}

}  // namespace firesim::bridges
