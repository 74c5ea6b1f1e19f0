// SPDX-License-Identifier: BSD-3-Clause
//
// Reads a switch's entry in the simulation description.
#include "switch/switch_config.h"

#include <set>

#include "core/fields.h"

namespace firesim {

namespace {

SwitchPortConfig read_port(const nlohmann::json &entry, const std::string &where) {
  Fields fields(entry, where);
  SwitchPortConfig port;
  port.buffer_bytes = fields.integer("buffer_bytes", kFlitBytes, uint64_t{1} << 40, 512 * 1024);
  port.rate_increment = static_cast<uint32_t>(fields.integer("rate_increment", 1, 65535, 1));
  port.rate_period = static_cast<uint32_t>(fields.integer("rate_period", 1, 65535, 1));
  fields.finish();
  return port;
}

MacEntry read_mac_entry(const nlohmann::json &entry, const std::string &where, size_t ports) {
  Fields fields(entry, where);
  MacEntry result;
  const std::optional<uint64_t> mac = parse_mac(fields.text("mac"));
  if (!mac) fields.fail("mac", "six two-digit hexadecimal numbers with colons between");
  if ((*mac & 1) != 0) fields.fail("mac", "the address of one station, not a group address");
  result.mac = *mac;
  result.port = static_cast<uint32_t>(fields.integer("port", 0, ports - 1));
  fields.finish();
  return result;
}

std::string output_file(Fields &fields, const char *key, const SimulationContext &context) {
  const std::optional<std::string> path = fields.optional_text(key);
  return path ? context.output_path(*path).string() : "";
}

CaptureSide read_capture_side(Fields &fields) {
  const std::string side = fields.optional_text("capture_side").value_or("both");
  if (side == "inbound") return CaptureSide::kInbound;
  if (side == "outbound") return CaptureSide::kOutbound;
  if (side != "both") fields.fail("capture_side", "inbound, outbound or both");
  return CaptureSide::kBoth;
}

std::vector<uint32_t> read_flood_ports(Fields &fields, size_t port_count) {
  std::set<uint32_t> ports;
  for (const nlohmann::json &port : fields.array("flood_ports", false)) {
    if (!port.is_number_unsigned() || port >= port_count ||
        !ports.insert(port.get<uint32_t>()).second) {
      fields.fail("flood_ports", "different port numbers below " + std::to_string(port_count));
    }
  }
  return {ports.begin(), ports.end()};
}

}  // namespace

SwitchConfig read_switch_config(const nlohmann::json &entry, const SimulationContext &context) {
  SwitchConfig config;
  config.name = entry.at("name").get<std::string>();
  config.clock_hz = context.clock_hz;
  Fields fields(entry, "switch " + config.name, {"name", "kind", "library"});
  config.switching_latency_cycles =
      static_cast<uint32_t>(fields.integer("switching_latency_cycles", 0, UINT32_MAX));
  config.min_packet_flits = static_cast<uint32_t>(fields.integer("min_packet_flits", 1, 64, 1));
  config.max_packet_bytes =
      static_cast<uint32_t>(fields.integer("max_packet_bytes", 64, kMaxFrameBytes, kMaxFrameBytes));

  const nlohmann::json &ports = fields.array("ports");
  if (ports.empty() || ports.size() > kMaxSwitchPorts) {
    fields.fail("ports", "1 to " + std::to_string(kMaxSwitchPorts) + " ports");
  }
  for (size_t i = 0; i < ports.size(); ++i) {
    config.ports.push_back(
        read_port(ports[i], fields.where() + ": ports[" + std::to_string(i) + "]"));
  }
  std::set<uint64_t> macs;
  const nlohmann::json &table = fields.array("mac_table", false);
  for (size_t i = 0; i < table.size(); ++i) {
    const std::string where = fields.where() + ": mac_table[" + std::to_string(i) + "]";
    config.mac_table.push_back(read_mac_entry(table[i], where, ports.size()));
    if (!macs.insert(config.mac_table.back().mac).second) {
      throw DescriptionError(where + ": address " + format_mac(config.mac_table.back().mac) +
                             " is in the table already, expected each address once");
    }
  }
  if (const auto port = fields.optional_integer("default_port", 0, ports.size() - 1)) {
    config.default_port = static_cast<uint32_t>(*port);
  }
  config.flood_ports = read_flood_ports(fields, ports.size());
  config.capture_file = output_file(fields, "capture", context);
  config.capture_side = read_capture_side(fields);
  config.statistics_file = output_file(fields, "statistics", context);
  config.throughput_file = output_file(fields, "throughput", context);
  config.histograms_file = output_file(fields, "histograms", context);
  config.throughput_interval_cycles =
      fields.optional_integer("throughput_interval_cycles", 1, UINT32_MAX).value_or(1000);
  fields.finish();
  return config;
}

}  // namespace firesim
