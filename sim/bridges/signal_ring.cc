// SPDX-License-Identifier: BSD-3-Clause
// Keeps signals of a model; see signal_ring.h.
#include "bridges/signal_ring.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "devices/config.h"

namespace firesim::bridges {

using devices::ConfigError;

SignalRing::SignalRing(const ModelInstance &model, const std::vector<std::string> &names,
                       uint32_t depth_cycles, const std::string &where) {
  std::map<std::string, std::vector<FiresimSignal>> wires;
  for (const FiresimSignal &signal : model.signals()) {
    if (signal.kind == FIRESIM_WIRE) wires[signal.name].push_back(signal);
  }
  if (wires.empty()) {
    throw ConfigError(
        fmt::format("{}: the model shows no wires, expected one built for waves", where));
  }
  for (const std::string &name : names) {
    const auto found = wires.find(name);
    if (found == wires.end()) {
      std::vector<std::string> known;
      for (const auto &[wire, words] : wires) known.push_back(wire);
      throw ConfigError(fmt::format("{}.signals: the model has no signal '{}', nearest is '{}'",
                                    where, name, nearest_name(name, known)));
    }
    const auto low_bit = static_cast<uint32_t>(64 * words_.size());
    uint32_t width_bits = 0;
    for (const FiresimSignal &word : found->second) {
      width_bits += word.width_bits;
      words_.emplace_back(FiresimPort{word.name, word.width_bits, 0, word.storage});
    }
    layout_.signals.push_back({name, low_bit, width_bits});
  }
  layout_.depth_cycles = depth_cycles;
  rows_.resize(words_.size() * depth_cycles);
}

void SignalRing::sample() {
  if (progress_.trigger_cycle &&
      progress_.cycles > *progress_.trigger_cycle + trigger_.after_cycles) {
    return;
  }
  uint64_t *row = &rows_[progress_.cycles % layout_.depth_cycles * words_.size()];
  for (size_t i = 0; i < words_.size(); ++i) row[i] = words_[i]();
  if (!progress_.trigger_cycle && progress_.cycles >= trigger_.from_cycle && is_trigger(row)) {
    progress_.trigger_cycle = progress_.cycles;
  }
  ++progress_.cycles;
}

bool SignalRing::is_trigger(const uint64_t *row) const {
  for (size_t i = 0; i < words_.size(); ++i) {
    if (((row[i] ^ trigger_.match[i]) & trigger_.mask[i]) != 0) return false;
  }
  return true;
}

void SignalRing::read(uint64_t cycle, hostlib::Words &row) {
  const auto first =
      rows_.begin() + static_cast<ptrdiff_t>(cycle % layout_.depth_cycles * words_.size());
  row.assign(first, first + static_cast<ptrdiff_t>(words_.size()));
}

}  // namespace firesim::bridges
