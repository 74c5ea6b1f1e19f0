// SPDX-License-Identifier: BSD-3-Clause
// Wires of a model by name; see shown_wires.h.
#include "bridges/shown_wires.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "bridges/wave_file.h"
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

std::vector<FiresimSignal> wires_of(const ModelInstance &model,
                                    const std::vector<std::string> &scopes,
                                    const std::string &where) {
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
  return chosen(wires, scopes);
}

}  // namespace

ShownWires shown_wires(const ModelInstance &model, const std::vector<std::string> &scopes,
                       const std::string &where) {
  std::map<WirePath, std::vector<FiresimSignal>> by_path;
  for (const FiresimSignal &wire : wires_of(model, scopes, where)) {
    by_path[path_of(wire.name)].push_back(wire);
  }
  ShownWires found;
  std::map<std::vector<const void *>, size_t> at;
  for (const auto &[path, words] : by_path) {
    std::vector<const void *> places;
    for (const FiresimSignal &word : words) {
      FIRESIM_CHECK(word.low_bit == 64 * places.size(), "words of a wire are whole and in order");
      places.push_back(word.storage);
    }
    const auto [place, is_new] = at.try_emplace(places, found.wires.size());
    found.names.emplace_back(path, place->second);
    if (!is_new) continue;
    ShownWire &wire = found.wires.emplace_back();
    for (const FiresimSignal &word : words) {
      wire.width_bits += word.width_bits;
      wire.words.emplace_back(FiresimPort{word.name, word.width_bits, 0, word.storage});
    }
  }
  return found;
}

}  // namespace firesim::bridges
