// SPDX-License-Identifier: BSD-3-Clause
// Dirty lines of a cache; see dirty_lines.h.
#include "bridges/dirty_lines.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/names.h"
#include "devices/config.h"

namespace firesim::bridges {

using devices::Config;
using devices::ConfigError;
namespace {

constexpr uint32_t kWordBytes = 8;

const std::vector<FiresimSignal> &memory_of(Config &config, const char *key, uint64_t rows,
                                            uint64_t bits, const SignalsByName &signals) {
  const std::string name = config.required_text(key);
  const auto found = signals.find(name);
  if (found == signals.end()) {
    std::vector<std::string> known;
    for (const auto &[each, words] : signals) known.push_back(each);
    config.fail(key,
                fmt::format("a memory of the model, nearest is '{}'", nearest_name(name, known)));
  }
  uint64_t width = 0;
  for (const FiresimSignal &word : found->second) {
    width = std::max<uint64_t>(width, word.low_bit + word.width_bits);
  }
  if (found->second[0].rows != rows || width != bits) {
    config.fail(key, fmt::format("a memory of {} rows of {} bits, and '{}' has {} of {}", rows,
                                 bits, name, found->second[0].rows, width));
  }
  return found->second;
}

}  // namespace

DirtyLines::DirtyLines(const nlohmann::json &json, const std::string &where,
                       const SignalsByName &signals) {
  Config config(json, where);
  sets_ = static_cast<uint32_t>(config.required_integer("sets", 1, 1 << 20));
  ways_ = static_cast<uint32_t>(config.required_integer("ways", 1, 64));
  line_bytes_ = static_cast<uint32_t>(config.required_integer("line_bytes", kWordBytes, 4096));
  tag_bits_ = static_cast<uint32_t>(config.required_integer("tag_bits", 1, 60));
  state_bits_ = static_cast<uint32_t>(config.required_integer("state_bits", 1, 4));
  const nlohmann::json &states = config.child("newer");
  const bool fits = states.is_array() && std::all_of(states.begin(), states.end(), [](auto &one) {
                      return one.is_number_unsigned();
                    });
  if (!fits) config.fail("newer", "a list of numbers");
  newer_ = states.get<std::vector<uint64_t>>();
  if (line_bytes_ % kWordBytes != 0) config.fail("line_bytes", "a multiple of 8");
  const uint64_t words = uint64_t{sets_} * line_bytes_ / kWordBytes;
  tags_ = memory_of(config, "tags", sets_, uint64_t{ways_} * (tag_bits_ + state_bits_), signals);
  data_ = memory_of(config, "data", words, uint64_t{ways_} * 64, signals);
  config.finish();
}

void DirtyLines::lay_over(uint64_t physical, std::span<uint8_t> bytes) const {
  const uint64_t end = physical + bytes.size();
  for (uint64_t line = physical / line_bytes_; line * line_bytes_ < end; ++line) {
    const uint64_t set = line % sets_;
    const Words tags = value_of(tags_, static_cast<uint32_t>(set));
    for (uint32_t way = 0; way < ways_; ++way) {
      const uint32_t low = way * (tag_bits_ + state_bits_);
      const uint64_t state = bits_at(tags, low + tag_bits_, state_bits_);
      if (bits_at(tags, low, tag_bits_) != line / sets_) continue;
      if (std::find(newer_.begin(), newer_.end(), state) == newer_.end()) continue;
      const uint64_t first = std::max(line * line_bytes_, physical);
      const uint64_t last = std::min((line + 1) * line_bytes_, end);
      for (uint64_t at = first; at < last; ++at) {
        const uint64_t row = (set * line_bytes_ + at % line_bytes_) / kWordBytes;
        const uint64_t word = bits_at(value_of(data_, static_cast<uint32_t>(row)), way * 64, 64);
        bytes[at - physical] = static_cast<uint8_t>(word >> 8 * (at % kWordBytes));
      }
    }
  }
}

}  // namespace firesim::bridges
