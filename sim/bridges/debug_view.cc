// SPDX-License-Identifier: BSD-3-Clause
// An RTL blade under a debugger; see debug_view.h.
#include "bridges/debug_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "bridges/signal_words.h"
#include "devices/config.h"

namespace firesim::bridges {

using devices::Config;
using devices::ConfigError;
namespace {

constexpr uint32_t kCyclesBetweenLooks = 256;

uint64_t lowest(uint64_t value, uint32_t bits) {
  return bits >= 64 ? value : value & ((uint64_t{1} << bits) - 1);
}

}  // namespace

RtlDebugView::RtlDebugView(const nlohmann::json &map, const std::string &where,
                           const ModelInstance &model, std::vector<HartPort> ports,
                           devices::GuestMemory *memory, const uint64_t &cycle)
    : ports_(std::move(ports)), memory_(memory), cycle_(cycle) {
  const SignalsByName signals = signals_by_name(model);
  size_t harts = 0;
  for (const HartPort &one : ports_) harts = std::max<size_t>(harts, one.hart + 1);
  Config whole(map, where);
  const nlohmann::json &maps = whole.child("harts");
  if (!maps.is_array() || maps.size() != harts) {
    throw ConfigError(
        fmt::format("{}: found a map for {} harts, expected {}", where, maps.size(), harts));
  }
  for (size_t hart = 0; hart < harts; ++hart) {
    add_hart(maps[hart], fmt::format("{} of hart {}", where, hart), signals);
  }
  for (const nlohmann::json &cache : whole.child("memory_side")) {
    memory_.add_memory_side(cache, where + ": memory_side", signals);
  }
  whole.finish();
  before_settle();
}

void RtlDebugView::add_hart(const nlohmann::json &map, const std::string &where,
                            const SignalsByName &signals) {
  Config entry(map, where);
  HartMap &made = harts_.emplace_back();
  for (const auto &[name, pieces] : entry.child("registers").items()) {
    for (const nlohmann::json &each : pieces) {
      Config piece(each, fmt::format("{}: {}", where, name));
      const auto at = static_cast<uint32_t>(piece.integer("at", 0, 0, 63));
      const auto bits = static_cast<uint32_t>(piece.integer("bits", 64, 1, 64));
      const bool is_signed = piece.boolean("signed", false);
      const auto signal = piece.text("signal");
      const uint64_t value = piece.integer("value", 0, 0, UINT64_MAX);
      piece.finish();
      if (!signal) {
        made.registers[name].push_back({std::nullopt, 64, at, false, value});
        continue;
      }
      MappedRegister source(*signal, piece.where(), signals);
      const uint32_t width = std::min(bits, source.width_bits());
      made.registers[name].push_back({std::move(source), width, at, is_signed, 0});
    }
  }
  if (const nlohmann::json &cache = entry.child("cache"); !cache.is_null()) {
    memory_.add_data_cache(cache, where + ": cache", signals);
  }
  entry.finish();
}

void RtlDebugView::before_settle() {
  for (HartMap &hart : harts_) {
    for (auto &[name, pieces] : hart.registers) {
      for (Piece &piece : pieces) {
        if (piece.source) piece.kept = piece.source->value();
      }
    }
  }
  memory_.before_settle();
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
  return memory_.read(physical, bytes);
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
