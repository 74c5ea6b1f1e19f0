// SPDX-License-Identifier: BSD-3-Clause
//
// Reads and checks a gateway's entry.
#include "gateway/gateway_config.h"

#include <arpa/inet.h>
#include <net/if.h>

#include <charconv>
#include <optional>

#include "core/fields.h"
#include "core/scheduler.h"

namespace firesim {

namespace {

constexpr uint64_t kDefaultPollCycles = 32000;
constexpr uint64_t kMostPollCycles = 1'000'000'000;
constexpr double kMostRatio = 1e6;
constexpr size_t kMostForwards = 4096;

std::optional<in_addr> parse_ip(const std::string &text) {
  in_addr address{};
  if (inet_pton(AF_INET, text.c_str(), &address) != 1) return std::nullopt;
  return address;
}

// "172.16.255.254/16"
void read_network(Fields &fields, GatewayConfig &config) {
  constexpr char kExpected[] = "an address with the length of its network, as 172.16.255.254/16";
  const std::string text = fields.text("ip");
  const size_t slash = text.find('/');
  config.ip = text.substr(0, slash);
  const std::optional<in_addr> address = parse_ip(config.ip);
  unsigned bits = 0;
  const char *end = text.data() + text.size();
  if (!address || slash == std::string::npos) fields.fail("ip", kExpected);
  const auto [stop, error] = std::from_chars(text.data() + slash + 1, end, bits);
  if (error != std::errc() || stop != end || bits < 8 || bits > 30) fields.fail("ip", kExpected);
  config.address = *address;
  config.netmask.s_addr = htonl(UINT32_MAX << (32 - bits));
}

ForwardConfig read_forward(const nlohmann::json &entry, const std::string &where,
                           const GatewayConfig &config) {
  Fields fields(entry, where);
  ForwardConfig forward;
  forward.name = fields.optional_text("name").value_or("");
  forward.node = fields.optional_text("node").value_or("");
  forward.host = fields.optional_text("host").value_or("127.0.0.1");
  const std::optional<in_addr> host = parse_ip(forward.host);
  if (!host) fields.fail("host", "an IPv4 address of this machine, as 127.0.0.1");
  forward.host_address = *host;
  forward.host_port = static_cast<uint16_t>(fields.integer("host_port", 0, 65535, 0));
  forward.ip = fields.text("ip");
  const std::optional<in_addr> guest = parse_ip(forward.ip);
  const bool inside = guest &&
                      ((guest->s_addr ^ config.address.s_addr) & config.netmask.s_addr) == 0 &&
                      guest->s_addr != config.address.s_addr;
  if (!inside) fields.fail("ip", "the address of a node in the gateway's network");
  forward.guest_address = *guest;
  forward.port = static_cast<uint16_t>(fields.integer("port", 1, 65535));
  fields.finish();
  return forward;
}

void read_mode(Fields &fields, GatewayConfig &config) {
  config.is_tap = fields.choice("mode", {"user", "tap"}) == "tap";
  config.device = fields.optional_text("device").value_or("");
  config.outgoing = fields.boolean("outgoing", false);
  if (!config.is_tap && !config.device.empty()) {
    fields.fail("device", "none in mode \"user\"; it belongs to mode \"tap\"");
  }
  if (!config.is_tap) return;
  if (config.device.empty() || config.device.size() >= IFNAMSIZ) {
    fields.fail("device", "the name of a tap interface, of at most 15 characters");
  }
  if (config.outgoing) {
    fields.fail("outgoing", "false in mode \"tap\", where the host's own routes decide");
  }
  if (!config.forwards.empty()) {
    fields.fail("forwards", "none in mode \"tap\", where the nodes are reached by their addresses");
  }
}

void read_times(Fields &fields, GatewayConfig &config) {
  config.poll_cycles = fields.integer("poll_cycles", 1, kMostPollCycles, kDefaultPollCycles);
  config.real_time_ratio = fields.number("real_time_ratio", 0, kMostRatio, 0);
  if (config.real_time_ratio == 0) return;
  // Slower than this, the sleep of an advance would be longer than a stop may have to wait.
  const double longest_advance_s = double{kMaxGridCycles} / static_cast<double>(config.clock_hz);
  const double least = longest_advance_s / kMostSleepS;
  if (config.real_time_ratio < least) {
    fields.fail("real_time_ratio", "0, or at least " + std::to_string(least) + " at this clock");
  }
}

}  // namespace

GatewayConfig read_gateway_config(const nlohmann::json &entry, const SimulationContext &context) {
  GatewayConfig config;
  config.name = entry.at("name").get<std::string>();
  config.where = "node " + config.name;
  config.clock_hz = context.clock_hz;
  Fields fields(entry, config.where, {"name", "kind", "library"});
  const std::optional<uint64_t> mac = parse_mac(fields.text("mac"));
  if (!mac || (*mac & 1) != 0) fields.fail("mac", "the address of one station, not of a group");
  config.mac = *mac;
  read_network(fields, config);
  const nlohmann::json &forwards = fields.array("forwards", false);
  if (forwards.size() > kMostForwards) {
    fields.fail("forwards", "at most " + std::to_string(kMostForwards));
  }
  for (size_t i = 0; i < forwards.size(); ++i) {
    const std::string where = config.where + ": forwards[" + std::to_string(i) + "]";
    config.forwards.push_back(read_forward(forwards[i], where, config));
  }
  read_mode(fields, config);
  read_times(fields, config);
  if (const auto status = fields.optional_text("status")) {
    config.status = context.output_path(*status);
  }
  fields.finish();
  return config;
}

}  // namespace firesim
