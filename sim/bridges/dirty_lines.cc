// SPDX-License-Identifier: BSD-3-Clause
// Dirty lines of a cache; see dirty_lines.h.
#include "bridges/dirty_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "bridges/data_word.h"

namespace firesim::bridges {

using devices::Config;
namespace {

std::vector<uint64_t> numbers_of(Config &config, const char *key) {
  const nlohmann::json &numbers = config.child(key);
  const bool fits =
      numbers.is_array() && std::all_of(numbers.begin(), numbers.end(),
                                        [](auto &one) { return one.is_number_unsigned(); });
  if (!fits) config.fail(key, "a list of numbers");
  return numbers.get<std::vector<uint64_t>>();
}

bool contains(const std::vector<uint64_t> &numbers, uint64_t number) {
  return std::find(numbers.begin(), numbers.end(), number) != numbers.end();
}

// All bits of the bytes in a mask of bytes.
uint64_t bits_of_bytes(uint64_t mask) {
  uint64_t bits = 0;
  for (uint32_t byte = 0; byte < kDataWordBytes; ++byte) {
    if ((mask >> byte & 1) != 0) bits |= uint64_t{0xff} << 8 * byte;
  }
  return bits;
}

}  // namespace

DirtyLines::DirtyLines(const nlohmann::json &json, const std::string &where,
                       const SignalsByName &signals)
    : DirtyLines(Config(json, where), signals) {}

DirtyLines::DirtyLines(Config config, const SignalsByName &signals)
    : tags_(config, "tags", signals), data_(config, "data", signals) {
  sets_ = static_cast<uint32_t>(config.required_integer("sets", 1, 1 << 20));
  ways_ = static_cast<uint32_t>(config.required_integer("ways", 1, 64));
  line_bytes_ = static_cast<uint32_t>(config.required_integer("line_bytes", kDataWordBytes, 4096));
  state_bits_ = static_cast<uint32_t>(config.required_integer("state_bits", 1, 4));
  newer_ = numbers_of(config, "newer");
  if (line_bytes_ % kDataWordBytes != 0) config.fail("line_bytes", "a multiple of 8");
  // How wide tags are depends on how much memory a node has: a row says it.
  tag_bits_ =
      std::clamp(tags_.width_bits() / ways_, state_bits_ + 1, state_bits_ + 60) - state_bits_;
  tags_.expect(config, "tags", sets_, uint64_t{ways_} * (tag_bits_ + state_bits_));
  data_.expect(config, "data", uint64_t{sets_} * line_bytes_ / kDataWordBytes,
               uint64_t{ways_} * 64);
  for (const nlohmann::json &store : config.child("stores")) {
    add_store(store, config.where() + ": stores", signals);
  }
  if (const nlohmann::json &leaves = config.child("leaves"); !leaves.is_null()) {
    add_leaves(leaves, config.where() + ": leaves", signals);
  }
  config.finish();
}

void DirtyLines::add_store(const nlohmann::json &json, const std::string &where,
                           const SignalsByName &signals) {
  Config config(json, where);
  Store store{{config, "valid", signals},
              {config, "address", signals},
              {config, "mask", signals},
              std::nullopt,
              {}};
  if (ways_ > 1 || config.has("way")) store.way.emplace(config, "way", signals);
  uint32_t bits = 0;
  for (const std::string &name : config.text_list("data")) {
    bits += store.data.emplace_back(name, where + ": data", signals).width_bits();
  }
  if (bits != 8 * kDataWordBytes) config.fail("data", "registers of 64 bits together");
  config.finish();
  stores_.push_back(std::move(store));
}

void DirtyLines::add_leaves(const nlohmann::json &json, const std::string &where,
                            const SignalsByName &signals) {
  Config config(json, where);
  leaves_.emplace(Leaves{{config, "address", signals}, {config, "state", signals}, {}});
  leaves_->states = numbers_of(config, "states");
  config.finish();
}

void DirtyLines::before_settle(LeavingLines &leaving) {
  kept_.clear();
  for (const Store &store : stores_) keep(store);
  if (!leaves_ || !contains(leaves_->states, leaves_->state.value())) return;
  const uint64_t address = leaves_->address.value() / line_bytes_ * line_bytes_;
  if (!newer_way(address / line_bytes_)) return;
  std::vector<uint8_t> data(line_bytes_);
  lay_over(address, data);
  leaving.add(address, std::move(data));
}

void DirtyLines::keep(const Store &store) {
  const uint64_t ways = store.way ? store.way->value() : 1;
  if (!std::has_single_bit(ways)) return;  // It hits no line.
  const auto way = static_cast<uint32_t>(std::countr_zero(ways));
  const uint64_t row = store.address.value() / kDataWordBytes % data_.rows();
  if (way >= ways_) return;
  const uint64_t line = line_of(row * kDataWordBytes / line_bytes_, way);
  uint64_t word = word_at(line, row, way);
  if (store.valid.value() != 0) {
    uint64_t value = 0;
    uint32_t low = 0;
    for (const MappedRegister &part : store.data) {
      value |= part.value() << low;
      low += part.width_bits();
    }
    const uint64_t changed = bits_of_bytes(store.mask.value());
    word = (word & ~changed) | (value & changed);
  }
  kept_.push_back({line, row, way, word});
}

std::optional<uint32_t> DirtyLines::newer_way(uint64_t line) const {
  for (uint32_t way = 0; way < ways_; ++way) {
    const uint64_t set = line % sets_;
    if (line_of(set, way) != line) continue;
    const uint32_t low = way * (tag_bits_ + state_bits_) + tag_bits_;
    if (contains(newer_, tags_.bits(set, low, state_bits_))) return way;
  }
  return std::nullopt;
}

uint64_t DirtyLines::line_of(uint64_t set, uint32_t way) const {
  return tags_.bits(set, way * (tag_bits_ + state_bits_), tag_bits_) * sets_ + set;
}

uint64_t DirtyLines::word_at(uint64_t line, uint64_t row, uint32_t way) const {
  for (auto kept = kept_.rbegin(); kept != kept_.rend(); ++kept) {
    if (kept->line == line && kept->row == row && kept->way == way) return kept->word;
  }
  return data_.bits(row, way * 8 * kDataWordBytes, 8 * kDataWordBytes);
}

void DirtyLines::lay_over(uint64_t physical, std::span<uint8_t> bytes) const {
  const uint64_t end = physical + bytes.size();
  for (uint64_t line = physical / line_bytes_; line * line_bytes_ < end; ++line) {
    const std::optional<uint32_t> way = newer_way(line);
    if (!way) continue;
    const uint64_t first_row = line % sets_ * line_bytes_ / kDataWordBytes;
    for (uint32_t word = 0; word < line_bytes_ / kDataWordBytes; ++word) {
      lay_word_over(line * line_bytes_ + uint64_t{word} * kDataWordBytes,
                    word_at(line, first_row + word, *way), kAllBytes, physical, bytes);
    }
  }
}

}  // namespace firesim::bridges
