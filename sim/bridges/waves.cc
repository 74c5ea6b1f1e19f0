// SPDX-License-Identifier: BSD-3-Clause
// Waves; see waves.h.
#include "bridges/waves.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/check.h"
#include "devices/config.h"

namespace firesim::bridges {

using namespace devices;
namespace {

bool is_below(const std::string &name, const std::string &scope) {
  return name.starts_with(scope) && (name.size() == scope.size() || name[scope.size()] == '.');
}

// Every signal and every scope around one.
std::vector<std::string> known_names(const std::vector<FiresimSignal> &wires) {
  std::vector<std::string> names;
  for (const FiresimSignal &wire : wires) {
    const std::string name = wire.name;
    names.push_back(name);
    for (size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1)) {
      names.push_back(name.substr(0, dot));
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::vector<FiresimSignal> chosen(const std::vector<FiresimSignal> &wires,
                                  const std::vector<std::string> &scopes) {
  if (scopes.empty()) return wires;
  std::vector<FiresimSignal> found;
  for (const FiresimSignal &wire : wires) {
    const std::string name = wire.name;
    const auto within = [&](const std::string &scope) { return is_below(name, scope); };
    if (std::any_of(scopes.begin(), scopes.end(), within)) found.push_back(wire);
  }
  return found;
}

uint32_t width_of(const std::vector<FiresimSignal> &words) {
  uint32_t width = 0;
  for (const FiresimSignal &word : words) width += word.width_bits;
  return width;
}

}  // namespace

WaveWriter::WaveWriter(const nlohmann::json &json, const std::string &where,
                       const std::string &node, const SimulationContext &simulation,
                       const ModelInstance &model) {
  Config config(json, where);
  name_ = config.required_text("file");
  start_cycle_ = config.integer("start_cycle", 0, 0, UINT64_MAX);
  end_cycle_ = config.required_integer("end_cycle", start_cycle_ + 1, UINT64_MAX);
  const std::vector<std::string> scopes = config.text_list("scopes");
  config.finish();
  std::vector<FiresimSignal> wires = model.signals();
  std::erase_if(wires, [](const FiresimSignal &signal) { return signal.kind != FIRESIM_WIRE; });
  if (wires.empty()) {
    throw ConfigError(
        fmt::format("{}: the model shows no wires, expected one built for waves", where));
  }
  const std::vector<std::string> known = known_names(wires);
  for (const std::string &scope : scopes) {
    if (std::binary_search(known.begin(), known.end(), scope)) continue;
    throw ConfigError(
        fmt::format("{}.scopes: the model has no scope or signal '{}', nearest is '{}'", where,
                    scope, nearest_name(scope, known)));
  }
  file_ = std::make_unique<WaveFile>(simulation.output_path(name_), node, simulation.clock_hz);
  add_signals(chosen(wires, scopes));
}

WaveWriter::~WaveWriter() = default;

void WaveWriter::add_signals(const std::vector<FiresimSignal> &wires) {
  std::map<std::vector<std::string>, std::vector<FiresimSignal>> by_path;
  for (const FiresimSignal &wire : wires) by_path[path_of(wire.name)].push_back(wire);
  std::map<std::vector<const void *>, uint32_t> handles;
  for (const auto &[path, words] : by_path) {
    std::vector<const void *> places;
    for (const FiresimSignal &word : words) {
      FIRESIM_CHECK(word.low_bit == 64 * places.size(), "words of a wire are whole and in order");
      places.push_back(word.storage);
    }
    const auto [found, is_new] = handles.try_emplace(places, 0);
    found->second = file_->add(path, width_of(words), found->second);
    if (!is_new) continue;
    Signal &signal =
        signals_.emplace_back(Signal{found->second, static_cast<uint32_t>(values_.size()), {}});
    for (const FiresimSignal &word : words) {
      signal.words.emplace_back(FiresimPort{word.name, word.width_bits, 0, word.storage});
    }
    values_.resize(values_.size() + words.size());
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
