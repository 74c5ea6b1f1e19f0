// SPDX-License-Identifier: BSD-3-Clause
// An L2 in front of memory; see memory_side_cache.h.
#include "bridges/memory_side_cache.h"

#include <fmt/format.h>

#include "bridges/data_word.h"

namespace firesim::bridges {

using devices::Config;
namespace {

constexpr uint32_t kBlockWords = MemorySideCache::kBlockBytes / kDataWordBytes;

}  // namespace

MemorySideCache::MemorySideCache(const nlohmann::json &json, const std::string &where,
                                 const SignalsByName &signals)
    : MemorySideCache(Config(json, where), signals) {}

MemorySideCache::MemorySideCache(Config config, const SignalsByName &signals)
    : directory_(config, "directory", signals),
      data_(config, "data", signals),
      sets_(directory_.rows()),
      ways_(static_cast<uint32_t>(data_.rows() / sets_ / kBlockWords)) {
  if (ways_ == 0 || directory_.width_bits() % ways_ != 0) {
    config.fail("data", fmt::format("a whole number of ways of {} blocks", sets_));
  }
  data_.expect(config, "data", ways_ * sets_ * kBlockWords, 8 * kDataWordBytes);
  entry_bits_ = directory_.width_bits() / ways_;
  for (const nlohmann::json &miss : config.child("misses")) {
    add_miss(miss, config.where() + ": misses", signals);
  }
  config.finish();
}

void MemorySideCache::add_miss(const nlohmann::json &json, const std::string &where,
                               const SignalsByName &signals) {
  Config config(json, where);
  Miss miss{{config, "filling", signals},  {config, "block", signals},  {config, "way", signals},
            {config, "evicting", signals}, {config, "victim", signals}, {}};
  for (const std::string &name : config.text_list("written")) {
    miss.written.emplace_back(name, where + ": written", signals);
  }
  if (miss.written.size() != kBlockWords) config.fail("written", "a register for each of 8 words");
  config.finish();
  misses_.push_back(std::move(miss));
}

void MemorySideCache::before_settle(LeavingLines &leaving) const {
  for (const Miss &miss : misses_) {
    if (miss.evicting.value() == 0) continue;
    const uint64_t victim = miss.victim.value();
    if (leaving.has(victim * kBlockBytes)) continue;  // Nobody changes it on its way out.
    const auto way = static_cast<uint32_t>(miss.way.value());
    std::vector<uint8_t> data(kBlockBytes);
    for (uint32_t word = 0; word < kBlockWords; ++word) {
      lay_word_over(uint64_t{word} * kDataWordBytes, word_at(victim, way, word), kAllBytes, 0,
                    data);
    }
    leaving.add(victim * kBlockBytes, std::move(data));
  }
}

std::optional<uint32_t> MemorySideCache::way_of(uint64_t block) const {
  const uint32_t tag_bits = entry_bits_ - 2;
  for (uint32_t way = 0; way < ways_; ++way) {
    const uint64_t entry = directory_.bits(block % sets_, way * entry_bits_, entry_bits_);
    const bool is_valid = (entry >> (tag_bits + 1) & 1) != 0;
    if (is_valid && (entry & ((uint64_t{1} << tag_bits) - 1)) == block / sets_) return way;
  }
  return std::nullopt;
}

const MemorySideCache::Miss *MemorySideCache::filling(uint64_t block, uint32_t way) const {
  for (const Miss &miss : misses_) {
    if (miss.filling.value() != 0 && miss.block.value() == block && miss.way.value() == way) {
      return &miss;
    }
  }
  return nullptr;
}

uint64_t MemorySideCache::word_at(uint64_t block, uint32_t way, uint32_t word) const {
  return data_.bits((way * sets_ + block % sets_) * kBlockWords + word, 0, 8 * kDataWordBytes);
}

void MemorySideCache::lay_over(uint64_t physical, std::span<uint8_t> bytes) const {
  const uint64_t end = physical + bytes.size();
  for (uint64_t block = physical / kBlockBytes; block * kBlockBytes < end; ++block) {
    const std::optional<uint32_t> way = way_of(block);
    if (!way) continue;
    const Miss *miss = filling(block, *way);
    for (uint32_t word = 0; word < kBlockWords; ++word) {
      const uint64_t there = miss == nullptr ? kAllBytes : miss->written[word].value();
      lay_word_over(block * kBlockBytes + uint64_t{word} * kDataWordBytes,
                    word_at(block, *way, word), there, physical, bytes);
    }
  }
}

}  // namespace firesim::bridges
