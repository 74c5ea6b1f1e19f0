// SPDX-License-Identifier: BSD-3-Clause
//
// Makes a switch of a given class from its entry in the simulation description.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "core/fields.h"
#include "core/model.h"
#include "core/registry.h"
#include "switch/switch_config.h"

namespace firesim {

// A ModelFactory for `Switch`, whose constructor takes a SwitchConfig and, if the switch has
// settings of its own, the entry's "settings" as `Fields &`. Throws DescriptionError for keys that
// nobody asked for, among the settings too.
template <typename Switch>
std::unique_ptr<Model> make_switch(const nlohmann::json &entry, const SimulationContext &context) {
  if constexpr (std::is_constructible_v<Switch, SwitchConfig, Fields &>) {
    nlohmann::json rest = entry;
    rest.erase("settings");
    const nlohmann::json own = entry.value("settings", nlohmann::json::object());
    Fields settings(own, "switch " + entry.at("name").get<std::string>() + ": settings");
    auto made = std::make_unique<Switch>(read_switch_config(rest, context), settings);
    settings.finish();
    return made;
  } else {
    return std::make_unique<Switch>(read_switch_config(entry, context));
  }
}

}  // namespace firesim
