// SPDX-License-Identifier: BSD-3-Clause
// What each bridge of a blade is told; see bridge_settings.h.
#include "bridges/bridge_settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/names.h"

namespace firesim::bridges {
namespace {

constexpr const char *kPath = "bridge";

std::vector<std::string> paths_in_order(const std::string &kind,
                                        const std::vector<BridgeInfo> &bridges) {
  std::vector<std::string> paths;
  for (const BridgeInfo &one : bridges) {
    if (one.kind == kind) paths.push_back(one.path);
  }
  std::sort(paths.begin(), paths.end(), [](const std::string &a, const std::string &b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  });
  return paths;
}

size_t place_of(const std::string &path, const std::vector<std::string> &paths) {
  return static_cast<size_t>(std::find(paths.begin(), paths.end(), path) - paths.begin());
}

// The paths of the bridges by the entries of a list.
std::vector<std::string> listed_paths(const nlohmann::json &list,
                                      const std::vector<std::string> &paths,
                                      const std::string &where) {
  if (list.size() != paths.size()) {
    throw devices::ConfigError(fmt::format("{}: found {} entries, expected {}: the model has {}",
                                           where, list.size(), paths.size(), join_names(paths)));
  }
  std::vector<std::string> listed = paths;
  for (size_t i = 0; i < list.size(); ++i) {
    devices::Config entry(list[i], fmt::format("{}[{}]", where, i));
    if (!entry.has(kPath)) continue;
    listed[i] = entry.required_text(kPath);
    if (place_of(listed[i], paths) == paths.size()) {
      entry.fail(kPath, "one of the bridges " + join_names(paths));
    }
  }
  for (const std::string &path : paths) {
    if (place_of(path, listed) == listed.size()) {
      throw devices::ConfigError(
          fmt::format("{}: found no entry for the bridge {}, expected one "
                      "for each",
                      where, path));
    }
  }
  return listed;
}

}  // namespace

ToldBridge told_bridge(const BridgeInfo &bridge, const std::vector<BridgeInfo> &bridges,
                       devices::Config &settings) {
  const nlohmann::json &section = settings.child(bridge.kind.c_str());
  const std::string where = settings.child_where(bridge.kind.c_str());
  const std::vector<std::string> paths = paths_in_order(bridge.kind, bridges);
  if (!section.is_array()) return {section, where, place_of(bridge.path, paths), paths.size()};
  const size_t place = place_of(bridge.path, listed_paths(section, paths, where));
  nlohmann::json own = section[place];
  own.erase(kPath);
  return {std::move(own), fmt::format("{}[{}]", where, place), place, paths.size()};
}

}  // namespace firesim::bridges
