// SPDX-License-Identifier: BSD-3-Clause
// An RTL blade under a debugger; see debug_view.h.
#include "bridges/debug_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "bridges/signal_words.h"
#include "core/names.h"
#include "devices/config.h"

namespace firesim::bridges {

using devices::Config;
using devices::ConfigError;
namespace {

constexpr uint32_t kCyclesBetweenLooks = 256;

uint64_t lowest(uint64_t value, uint32_t bits) {
  return bits >= 64 ? value : value & ((uint64_t{1} << bits) - 1);
}

// The word of a signal of at most 64 bits, and the row.
std::pair<FiresimSignal, uint32_t> word_of(const std::string &text, const std::string &where,
                                           const SignalsByName &signals) {
  const auto [name, row] = split_row(text, where);
  const auto found = signals.find(name);
  if (found == signals.end()) {
    std::vector<std::string> known;
    for (const auto &[each, words] : signals) known.push_back(each);
    throw ConfigError(fmt::format("{}: the model has no signal '{}', nearest is '{}'", where, name,
                                  nearest_name(name, known)));
  }
  const FiresimSignal &word = found->second[0];
  if (found->second.size() != 1 || word.kind == FIRESIM_WIRE) {
    throw ConfigError(
        fmt::format("{}: found '{}', expected a register or a row of a memory of at most 64 bits",
                    where, text));
  }
  const uint32_t which = row == UINT32_MAX ? 0 : row;
  if (which >= word.rows || (row == UINT32_MAX && word.rows != 1)) {
    throw ConfigError(
        fmt::format("{}: found '{}', expected a row from 0 to {}", where, text, word.rows - 1));
  }
  return {word, which};
}

}  // namespace

RtlDebugView::RtlDebugView(const nlohmann::json &map, const std::string &where,
                           const ModelInstance &model, std::vector<HartPort> ports,
                           devices::GuestMemory *memory, const uint64_t &cycle)
    : ports_(std::move(ports)), memory_(memory), cycle_(cycle) {
  const SignalsByName signals = signals_by_name(model);
  uint32_t harts = 0;
  for (const HartPort &one : ports_) harts = std::max(harts, one.hart + 1);
  if (!map.is_array() || map.size() != harts) {
    throw ConfigError(
        fmt::format("{}: found a map for {} harts, expected {}", where, map.size(), harts));
  }
  for (size_t hart = 0; hart < harts; ++hart) {
    Config entry(map[hart], fmt::format("{} of hart {}", where, hart));
    HartMap &made = harts_.emplace_back();
    for (const auto &[name, pieces] : entry.child("registers").items()) {
      for (const nlohmann::json &each : pieces) {
        Config piece(each, fmt::format("{}: {}", entry.where(), name));
        const auto at = static_cast<uint32_t>(piece.integer("at", 0, 0, 63));
        const auto bits = static_cast<uint32_t>(piece.integer("bits", 64, 1, 64));
        const bool is_signed = piece.boolean("signed", false);
        const auto signal = piece.text("signal");
        const uint64_t value = piece.integer("value", 0, 0, UINT64_MAX);
        piece.finish();
        if (!signal) {
          made.registers[name].push_back({{}, 0, 64, at, false, value});
          continue;
        }
        const auto [word, row] = word_of(*signal, piece.where(), signals);
        made.registers[name].push_back(
            {word, row, std::min(bits, word.width_bits), at, is_signed, 0});
      }
    }
    if (const nlohmann::json &cache = entry.child("cache"); !cache.is_null()) {
      made.cache = std::make_unique<DirtyLines>(cache, entry.where() + ": cache", signals);
    }
    entry.finish();
  }
  before_settle();
}

void RtlDebugView::before_settle() {
  for (HartMap &hart : harts_) {
    for (auto &[name, pieces] : hart.registers) {
      for (Piece &piece : pieces) {
        if (piece.word.storage != nullptr) piece.kept = value_of(piece.word, piece.row);
      }
    }
  }
}

std::map<std::string, uint64_t> RtlDebugView::registers(uint32_t hart) const {
  const HartMap &map = harts_[hart];
  std::map<std::string, uint64_t> all{{"x0", 0}, {"pc", map.pc}};
  for (const auto &[name, pieces] : map.registers) {
    uint64_t value = 0;
    for (const Piece &piece : pieces) {
      uint64_t part = lowest(piece.kept, piece.bits);
      const bool is_negative = piece.is_signed && (part >> (piece.bits - 1) & 1) != 0;
      if (is_negative && piece.bits < 64) part |= UINT64_MAX << piece.bits;
      value |= part << piece.at;
    }
    all[name] = value;
  }
  return all;
}

bool RtlDebugView::read(uint64_t physical, std::span<uint8_t> bytes) const {
  if (memory_ == nullptr || !memory_->contains(physical, bytes.size())) return false;
  std::memcpy(bytes.data(), memory_->at(physical), bytes.size());
  for (const HartMap &hart : harts_) {
    if (hart.cache) hart.cache->lay_over(physical, bytes);
  }
  return true;
}

void RtlDebugView::settled(uint64_t cycle) {
  if (--cycles_to_look_ == 0) {
    cycles_to_look_ = kCyclesBetweenLooks;
    listener_->between(last_position_, last_position_);
  }
  for (const HartPort &one : ports_) {
    // What an interrupt stops is not what comes next.
    if (!one.port.anything() || one.port.is_interrupt()) continue;
    harts_[one.hart].pc = one.port.pc();
    last_position_ = cycle;
    listener_->stepped({one.hart, cycle, cycle, harts_[one.hart].pc});
  }
}

}  // namespace firesim::bridges
