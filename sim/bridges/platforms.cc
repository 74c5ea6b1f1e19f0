// SPDX-License-Identifier: BSD-3-Clause
// Makes platforms; see platforms.h.
#include "bridges/platforms.h"

#include "bridges/metasim_platform.h"
#include "hostlib/etherbone_function.h"
#include "hostlib/scan_chain.h"
#include "hostlib/uart_platform.h"
#include "hostlib/udp_line.h"
#include "hostlib/window_platform.h"
#include "hostlib/xdma_platform.h"

namespace firesim::bridges {

using namespace devices;

namespace {

constexpr uint64_t kLeastBitsPerS = 300, kMostBitsPerS = 100'000'000;

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

MakePlatform serial_line_of(Config &node, const Twin &twin) {
  Config line(node.child("serial_line"), node.child_where("serial_line"));
  const std::string device = line.required_text("device");
  const auto bits_per_s =
      static_cast<uint32_t>(line.required_integer("bits_per_s", kLeastBitsPerS, kMostBitsPerS));
  line.finish();
  return [device, bits_per_s, twin, where = node.where()](const HostInfo &host) {
    return on_board(std::make_unique<hostlib::UartPlatform>(device, bits_per_s, where), host, twin,
                    where);
  };
}

// A board behind a device of the host's that is opened with the target; what is wrong with it is
// said of the node.
MakePlatform opened(const std::string &where, const Twin &twin,
                    std::function<std::unique_ptr<hostlib::HostPlatform>()> open) {
  return [where, twin, open = std::move(open)](const HostInfo &host) {
    std::unique_ptr<hostlib::HostPlatform> platform;
    try {
      platform = open();
    } catch (const std::runtime_error &error) {
      throw ConfigError(where + ": " + error.what());
    }
    return on_board(std::move(platform), host, twin, where);
  };
}

MakePlatform pci_function_of(Config &node, const Twin &twin) {
  Config function(node.child("pci_function"), node.child_where("pci_function"));
  const std::string device = function.required_text("device");
  const std::string id = function.required_text("id");
  const auto slot =
      static_cast<uint32_t>(function.integer("slot", 0, 0, hostlib::kMostWindows - 1));
  const hostlib::PciNeeds needs = hostlib::window_needs(id, slot);
  function.finish();
  return opened(node.where(), twin, [device, needs] {
    return std::make_unique<hostlib::WindowPlatform>(hostlib::open_pci_function(device, needs));
  });
}

MakePlatform xdma_card_of(Config &node, const Twin &twin) {
  Config card(node.child("xdma_card"), node.child_where("xdma_card"));
  const std::string device = card.required_text("device");
  const auto slot = static_cast<uint32_t>(card.integer("slot", 0, 0, hostlib::kMostXdmaBlades - 1));
  card.finish();
  return opened(node.where(), twin, [device, slot] {
    return std::make_unique<hostlib::XdmaPlatform>(hostlib::open_xdma_card(device, slot));
  });
}

MakePlatform ethernet_of(Config &node, const Twin &twin) {
  Config board(node.child("ethernet"), node.child_where("ethernet"));
  const std::string address = board.required_text("address");
  const auto port = static_cast<uint16_t>(board.required_integer("port", 1, UINT16_MAX));
  board.finish();
  return opened(node.where(), twin, [address, port] {
    auto line = std::make_unique<hostlib::UdpLine>(address, port);
    return std::make_unique<hostlib::WindowPlatform>(
        std::make_unique<hostlib::EtherboneFunction>(std::move(line)));
  });
}

// A node says in exactly one way how its board is reached.
MakePlatform board_of(Config &node, const Twin &twin) {
  std::string first;
  for (const char *key : {"pci_function", "xdma_card", "ethernet", "serial_line"}) {
    if (!node.has(key)) continue;
    if (!first.empty()) node.fail(key, "nothing beside \"" + first + "\"");
    first = key;
  }
  if (first == "pci_function") return pci_function_of(node, twin);
  if (first == "ethernet") return ethernet_of(node, twin);
  return first == "xdma_card" ? xdma_card_of(node, twin) : serial_line_of(node, twin);
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
