// SPDX-License-Identifier: BSD-3-Clause
// Makes platforms; see platforms.h.
#include "bridges/platforms.h"

#include "bridges/metasim_platform.h"
#include "hostlib/scan_chain.h"
#include "hostlib/ways/way.h"

namespace firesim::bridges {

using namespace devices;

namespace {

HostStalls stalls_of(Config &node) {
  HostStalls stalls;
  if (!node.has("host_stalls")) return stalls;
  Config random(node.child("host_stalls"), node.child_where("host_stalls"));
  stalls.seed = static_cast<uint32_t>(random.required_integer("seed", 1, UINT32_MAX));
  stalls.rate = static_cast<uint32_t>(random.required_integer("rate", 0, 240));
  random.finish();
  return stalls;
}

std::optional<TargetTwin::Files> twin_of(Config &node, const SimulationContext &context) {
  if (!node.has("twin")) return std::nullopt;
  Config twin(node.child("twin"), node.child_where("twin"));
  const TargetTwin::Files files{context.input_path(twin.required_text("model")),
                                context.input_path(twin.required_text("manifest")),
                                context.input_path(twin.required_text("map"))};
  twin.finish();
  return files;
}

using Twin = std::optional<TargetTwin::Files>;

// A target on a board, whose state can be had if its form has a scan chain.
TargetPlatform on_board(std::unique_ptr<hostlib::HostPlatform> platform, const HostInfo &host,
                        const Twin &twin, const std::string &where) {
  std::unique_ptr<hostlib::TargetState> state;
  if (host.scan) state = std::make_unique<hostlib::ScanChain>(*platform, *host.scan, where);
  return {std::move(platform), std::move(state), twin, "this board"};
}

// A node says in exactly one way how its board is reached.
MakePlatform board_of(Config &node, const Twin &twin) {
  std::string key;
  hostlib::ReadWay read = nullptr;
  for (const auto &[name, way] : hostlib::stock_ways()) {
    if (!node.has(name.c_str())) continue;
    if (read) node.fail(name, "nothing beside \"" + key + "\"");
    key = name;
    read = way;
  }
  if (!read) throw ConfigError(node.where() + ": found no board, expected how it is reached");
  Config settings(node.child(key.c_str()), node.child_where(key.c_str()));
  const hostlib::OpenBoard open = read(settings);
  settings.finish();
  return [open, twin, where = node.where()](const HostInfo &host) {
    return on_board(open(where), host, twin, where);
  };
}

}  // namespace

MakePlatform platform_of(const std::string &kind, Config &node,
                         const std::filesystem::path &library, const SimulationContext &context) {
  if (kind == "fpga") return board_of(node, twin_of(node, context));
  if (kind != "metasim") return nullptr;
  return [library, stalls = stalls_of(node), twin = twin_of(node, context),
          where = node.where()](const HostInfo &host) {
    auto made = std::make_unique<MetasimPlatform>(library, host.design_hash, stalls, where);
    auto state = std::make_unique<ModelState>(made->model());
    return TargetPlatform{std::move(made), std::move(state), twin, "this metasimulation"};
  };
}

}  // namespace firesim::bridges
