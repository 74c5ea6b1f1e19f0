// SPDX-License-Identifier: BSD-3-Clause
// Waves; see waves.h.
#include "bridges/waves.h"

#include <fmt/format.h>

#include "core/check.h"
#include "devices/config.h"

namespace firesim::bridges {

using namespace devices;
WaveWriter::WaveWriter(const nlohmann::json &json, const std::string &where,
                       const std::string &node, const SimulationContext &simulation,
                       const ModelInstance &model) {
  Config config(json, where);
  name_ = config.required_text("file");
  start_cycle_ = config.integer("start_cycle", 0, 0, UINT64_MAX);
  end_cycle_ = config.required_integer("end_cycle", start_cycle_ + 1, UINT64_MAX);
  const std::vector<std::string> scopes = config.text_list("scopes");
  config.finish();
  const ShownWires shown = shown_wires(model, scopes, where);
  file_ = std::make_unique<WaveFile>(simulation.output_path(name_), node, simulation.clock_hz);
  add_signals(shown);
}

WaveWriter::~WaveWriter() = default;

void WaveWriter::add_signals(const ShownWires &shown) {
  std::vector<uint32_t> handles(shown.wires.size());
  for (const auto &[path, at] : shown.names) {
    const ShownWire &wire = shown.wires[at];
    const bool is_new = handles[at] == 0;
    handles[at] = file_->add(path, wire.width_bits, handles[at]);
    if (!is_new) continue;
    signals_.push_back({handles[at], static_cast<uint32_t>(values_.size()), wire.words});
    values_.resize(values_.size() + wire.words.size());
  }
}

void WaveWriter::sample(uint64_t cycle) {
  FIRESIM_CHECK(wants(cycle), "only cycles that were asked for");
  file_->begin(cycle);
  for (const Signal &signal : signals_) {
    bool changed = cycles_ == 0;
    uint64_t *value = &values_[signal.first_word];
    for (size_t i = 0; i < signal.words.size(); ++i) {
      const uint64_t now = signal.words[i]();
      changed |= now != value[i];
      value[i] = now;
    }
    if (changed) file_->change(signal.handle, value, signal.words.size());
  }
  file_->end(cycle);
  ++cycles_;
}

void WaveWriter::finish() { file_->close(); }

nlohmann::json WaveWriter::statistics() const {
  return {{"file", name_}, {"cycles", cycles_}, {"signals", signals_.size()}};
}

}  // namespace firesim::bridges
