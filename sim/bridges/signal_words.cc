// SPDX-License-Identifier: BSD-3-Clause
// Signals of a model; see signal_words.h.
#include "bridges/signal_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "bridges/port.h"
#include "core/check.h"
#include "devices/config.h"

namespace firesim::bridges {

using devices::ConfigError;

SignalsByName signals_by_name(const ModelInstance &model) {
  SignalsByName found;
  for (const FiresimSignal &word : model.signals()) {
    std::vector<FiresimSignal> &words = found[word.name];
    const bool belongs = words.empty() || words[0].kind == word.kind;
    if (belongs || word.kind == FIRESIM_CONSTANT) words.push_back(word);
  }
  return found;
}

std::pair<std::string, uint32_t> split_row(const std::string &text, const std::string &where) {
  const size_t open = text.rfind('[');
  if (open == std::string::npos || !text.ends_with(']')) return {text, UINT32_MAX};
  const std::string digits = text.substr(open + 1, text.size() - open - 2);
  const bool decimal = !digits.empty() && digits.size() < 10 &&
                       digits.find_first_not_of("0123456789") == std::string::npos;
  if (!decimal) {
    throw ConfigError(fmt::format("{}: found row '{}', expected a number", where, digits));
  }
  return {text.substr(0, open), static_cast<uint32_t>(std::stoul(digits))};
}

unsigned char *place_of(const FiresimSignal &word, uint32_t row) {
  return static_cast<unsigned char *>(word.storage) + size_t{row} * port_bytes(word.width_bits);
}

uint64_t value_of(const FiresimSignal &word, uint32_t row) {
  FIRESIM_CHECK(word.width_bits <= 64, "words of signals have at most 64 bits");
  uint64_t bits = 0;
  std::memcpy(&bits, place_of(word, row), port_bytes(word.width_bits));
  return bits;
}

Words value_of(const std::vector<FiresimSignal> &words, uint32_t row) {
  uint32_t end = 0;
  for (const FiresimSignal &word : words) end = std::max(end, word.low_bit + word.width_bits);
  Words value(end / 64 + 1);
  for (const FiresimSignal &word : words) put_bits(value, word.low_bit, value_of(word, row));
  return value;
}

}  // namespace firesim::bridges
