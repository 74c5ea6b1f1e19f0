// SPDX-License-Identifier: BSD-3-Clause
// Reads model.json; see manifest.h.
#include "manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <set>

#include "core/json_reader.h"
#include "devices/config.h"

namespace firesim::bridges {

using namespace devices;
namespace {

using nlohmann::json;

// "5/16", as Golden Gate writes it.
ClockRatio read_ratio(const std::string &text) {
  ClockRatio ratio;
  const char *const end = text.data() + text.size();
  const auto [slash, error] = std::from_chars(text.data(), end, ratio.edges);
  std::from_chars_result of{slash, std::errc::invalid_argument};
  if (error == std::errc{} && slash != end && *slash == '/') {
    of = std::from_chars(slash + 1, end, ratio.of);
  }
  if (of.ec != std::errc{} || of.ptr != end || ratio.edges == 0 || ratio.edges > ratio.of) {
    throw ConfigError(fmt::format("found the clock ratio \"{}\", expected one as \"5/16\"", text));
  }
  return ratio;
}

BridgeInfo read_bridge(const json &item) {
  BridgeInfo bridge;
  bridge.kind = item.at("kind").get<std::string>();
  bridge.module = item.at("module").get<std::string>();
  bridge.path = item.at("path").get<std::string>();
  bridge.several = item.at("several").get<bool>();
  for (const auto &[name, value] : item.at("parameters").items()) {
    if (value.is_number_unsigned()) bridge.parameters[name] = value.get<uint64_t>();
  }
  for (const auto &[name, port] : item.at("ports").items()) {
    bridge.ports[name] = port.get<std::string>();
  }
  for (const auto &[name, wake] : item.at("wakes").items()) {
    bridge.wakes[name] = wake == "notice" ? Wake::kNotice : Wake::kAnswer;
  }
  if (item.contains("clock_ratio")) {
    bridge.clock_ratio = read_ratio(item.at("clock_ratio").get<std::string>());
  }
  if (item.contains("gate")) {
    const json &gate = item.at("gate");
    bridge.gate = GateInfo{gate.at("when"), gate.at("match").get<std::vector<std::string>>()};
  }
  return bridge;
}

constexpr uint32_t kMostCharacters = 1 << 20;  // of an argument

PrintPiece read_piece(const json &item) {
  if (item.is_string()) return {item.get<std::string>(), std::nullopt};
  const auto character = [&item](const char *key) {
    return item.at(key).get_ref<const std::string &>().at(0);
  };
  PrintArgument argument{item.at("low_bit").get<uint32_t>(),
                         item.at("width_bits").get<uint32_t>(),
                         character("base"),
                         item.at("signed").get<bool>(),
                         character("justify"),
                         character("pad"),
                         item.at("least_width").get<uint32_t>(),
                         item.value("precision", -1),
                         {}};
  if (std::max<int64_t>(argument.least_width, argument.precision) > kMostCharacters) {
    throw ConfigError(fmt::format("prints: found {}, expected an argument of at most {} characters",
                                  item.dump(), kMostCharacters));
  }
  if (item.contains("names")) {
    for (const auto &[value, name] : item.at("names").items()) {
      argument.names[std::stoull(value)] = name.get<std::string>();
    }
  }
  return {"", std::move(argument)};
}

std::vector<PrintPiece> read_pieces(const json &items) {
  std::vector<PrintPiece> found;
  for (const json &item : items) found.push_back(read_piece(item));
  return found;
}

AssertInfo read_assert(const json &item) {
  const std::string ends = item.value("ends", "fail");
  AssertInfo found{item.at("bit").get<uint32_t>(),
                   item.value("message", ""),
                   item.value("source", "unknown place"),
                   item.value("port", ""),
                   {},
                   ends == "finish" ? AssertInfo::Ends::kFinish
                   : ends == "stop" ? AssertInfo::Ends::kStop
                                    : AssertInfo::Ends::kFail};
  if (item.contains("pieces")) found.pieces = read_pieces(item.at("pieces"));
  return found;
}

PrintInfo read_print(const json &item) {
  PrintInfo print;
  if (!item.at("port").is_null()) print.port = item.at("port").get<std::string>();
  print.pieces = read_pieces(item.at("pieces"));
  return print;
}

hostlib::ScanLayout read_scan(const json &item) {
  hostlib::ScanLayout layout;
  layout.chain_words = item.at("chain_words").get<uint32_t>();
  layout.bits = item.at("bits").get<uint32_t>();
  for (const json &memory : item.at("memories")) {
    layout.memories.push_back({memory.at("name"), memory.at("rows").get<uint32_t>(),
                               memory.at("width_bits").get<uint32_t>(),
                               memory.at("point").get<uint32_t>()});
  }
  for (const json &latch : item.at("latches")) {
    layout.latches.push_back(
        {latch.at("memory").get<uint32_t>(), latch.at("point").get<uint32_t>()});
  }
  return layout;
}

constexpr uint32_t kMostBits = 4096;  // of a row of a ring (rtl/firesim_capture.v)

hostlib::CaptureLayout read_capture(const json &item) {
  hostlib::CaptureLayout layout{item.at("depth_cycles").get<uint32_t>(), {}};
  for (const json &signal : item.at("signals")) {
    const uint32_t low_bit = layout.width_bits();
    layout.signals.push_back({signal.at("name"), low_bit, signal.at("width_bits").get<uint32_t>()});
    if (signal.at("low_bit") != low_bit || layout.signals.back().width_bits - 1 >= kMostBits) {
      throw ConfigError(fmt::format("capture: found {}, expected a signal at bit {} of a row",
                                    signal.dump(), low_bit));
    }
  }
  if (!std::has_single_bit(layout.depth_cycles) ||
      layout.depth_cycles > hostlib::CaptureLayout::kMostDepthCycles) {
    throw ConfigError(fmt::format("capture: depth_cycles is {}, expected a power of two up to {}",
                                  layout.depth_cycles, hostlib::CaptureLayout::kMostDepthCycles));
  }
  return layout;
}

HostInfo read_host(const json &document) {
  HostInfo host;
  const json &hash = document.at("host").at("design_hash");  // null where no model was made
  if (!hash.is_null()) host.design_hash = hash.get<std::string>();
  std::set<std::string> in_rtl;
  for (const json &item : document.at("host").at("parts")) {
    hostlib::BridgePartInfo part{item.at("bridge").get<std::string>(), {}, std::nullopt};
    for (const auto &[name, value] : item.at("parameters").items()) {
      part.parameters[name] = value.get<uint64_t>();
    }
    const json &port = item.at("memory_port");
    if (!port.is_null()) part.memory_port = port.get<uint32_t>();
    in_rtl.insert(part.bridge);
    host.parts.push_back(std::move(part));
  }
  for (const json &item : document.at("fame1").at("channels")) {
    ChannelInfo channel{item.at("name"),
                        item.at("direction") == "in",
                        item.at("width_bits").get<uint32_t>(),
                        item.at("bridge").is_null() ? "" : item.at("bridge").get<std::string>(),
                        {}};
    for (const json &field : item.at("fields")) {
      channel.fields.push_back({field.at("port"), field.at("low_bit").get<uint32_t>()});
    }
    if (in_rtl.count(channel.bridge) == 0) host.channels.push_back(std::move(channel));
  }
  if (document.contains("scan")) host.scan = read_scan(document.at("scan"));
  if (document.contains("capture")) host.capture = read_capture(document.at("capture"));
  return host;
}

Manifest parse(const json &document) {
  if (document.at("version") != 1) {
    throw ConfigError(fmt::format("version is {}, expected 1", document.at("version").dump()));
  }
  Manifest manifest;
  manifest.top = document.at("top").get<std::string>();
  manifest.design_hash = document.at("design_hash").get<std::string>();
  manifest.reset = document.at("reset").get<std::string>();
  for (const json &item : document.at("bridges")) manifest.bridges.push_back(read_bridge(item));
  for (const json &item : document.at("counters")) {
    manifest.counters.push_back(
        {item.at("name"), item.value("description", ""), item.at("port").get<std::string>()});
  }
  for (const json &item : document.at("asserts")) manifest.asserts.push_back(read_assert(item));
  const json &assert_port = document.at("assert_port");
  if (!assert_port.is_null()) manifest.assert_port = assert_port.get<std::string>();
  for (const json &item : document.at("prints")) manifest.prints.push_back(read_print(item));
  const json &prints_port = document.at("prints_port");
  if (!prints_port.is_null()) manifest.prints_port = prints_port.get<std::string>();
  for (const json &item : document.at("ports")) {
    manifest.ports.push_back(
        {item.at("name"), item.at("width_bits").get<uint32_t>(), item.at("direction") == "in"});
  }
  if (document.contains("host")) manifest.host = read_host(document);
  return manifest;
}

}  // namespace

Manifest Manifest::read(const std::filesystem::path &file) {
  const json document = read_json_file(file, kManifestLimits);
  try {
    return parse(document);
  } catch (const json::exception &error) {
    throw ConfigError(fmt::format("{}: not a model manifest: {}", file.string(), error.what()));
  } catch (const ConfigError &error) {
    throw ConfigError(fmt::format("{}: {}", file.string(), error.what()));
  }
}

}  // namespace firesim::bridges
