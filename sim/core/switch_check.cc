// SPDX-License-Identifier: BSD-3-Clause
//
// Makes switches one by one and says how that went.
#include "core/switch_check.h"

#include "core/fields.h"
#include "core/json_reader.h"

namespace firesim {

namespace {

nlohmann::json check_switch(const nlohmann::json &entry, const std::string &where,
                            ModelRegistry &registry, const SimulationContext &context) {
  nlohmann::json said = {{"name", entry.at("name")},
                         {"kinds", nlohmann::json::array()},
                         {"error", nullptr},
                         {"ports", nullptr},
                         {"cannot_save", nullptr}};
  try {
    const std::filesystem::path library = context.input_path(Fields(entry, where).text("library"));
    registry.load_library(library);
    said["kinds"] = registry.kinds(ModelRole::kSwitch, library);
    const std::unique_ptr<Model> model = registry.make(ModelRole::kSwitch, where, entry, context);
    said["ports"] = model->port_count();
    if (const auto reason = model->can_save()) said["cannot_save"] = *reason;
  } catch (const std::exception &error) {
    said["error"] = error.what();
  }
  return said;
}

}  // namespace

void check_switches(const std::filesystem::path &path, ModelRegistry &registry, std::ostream &out) {
  const nlohmann::json description = read_json_file(path, kDescriptionLimits);
  Fields fields(description, path.string());
  SimulationContext context;
  context.description_directory = std::filesystem::absolute(path).parent_path();
  context.results_directory = context.description_directory;
  context.clock_hz = fields.integer("clock_hz", 1, 1'000'000'000'000);
  const nlohmann::json &entries = fields.array("switches");
  fields.finish();
  for (size_t i = 0; i < entries.size(); ++i) {
    const std::string where = "switches[" + std::to_string(i) + "]";
    Fields(entries[i], where).text("name");
    out << check_switch(entries[i], where, registry, context).dump() << std::endl;
  }
}

}  // namespace firesim
