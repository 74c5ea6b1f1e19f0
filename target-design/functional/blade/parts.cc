// SPDX-License-Identifier: BSD-3-Clause
// Reading a blade's parts and loading their models; see parts.h.
#include "functional/blade/parts.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>

#include "devices/config.h"
#include "functional/core/address_map.h"

namespace firesim::functional {
namespace {

constexpr const char *kMaker = "firesim_make_part";
constexpr uint64_t kMostParts = 64;

bool is_ours(const std::string &kind) {
  const auto &ours = usual_parts();
  return std::any_of(ours.begin(), ours.end(), [&](const auto &part) { return part.kind == kind; });
}

// The NIC has an interrupt of each receive queue.
void check_queues(const PartEntry &part, const devices::Config &config) {
  const int64_t queues = part.option("queues", 1);
  if (queues != 1 && queues != 2 && queues != 4) config.fail("options", "1, 2 or 4 queues");
  if (part.more_interrupts.size() + 1 != static_cast<size_t>(queues)) {
    config.fail("more_interrupts", fmt::format("{} for {} queues", queues - 1, queues));
  }
}

// All sources of the PLIC that a part has.
std::vector<uint32_t> sources(const PartEntry &part) {
  std::vector<uint32_t> all = part.more_interrupts;
  if (part.interrupt != 0) all.push_back(part.interrupt);
  return all;
}

bool share_source(const PartEntry &one, const PartEntry &other) {
  const std::vector<uint32_t> taken = sources(other);
  const auto is_taken = [&](uint32_t source) {
    return std::find(taken.begin(), taken.end(), source) != taken.end();
  };
  const std::vector<uint32_t> own = sources(one);
  return std::any_of(own.begin(), own.end(), is_taken);
}

PartEntry read_part(const nlohmann::json &json, const std::string &where,
                    const SimulationContext &context) {
  devices::Config config(json, where);
  PartEntry part;
  part.kind = config.required_text("kind");
  part.name = config.text("name").value_or(part.kind);
  part.base = config.required_integer("at", kDevicesBase, kDevicesBase + kDevicesBytes - 1);
  part.bytes = config.integer("bytes", kPageBytes, kPageBytes, kDevicesBytes);
  part.interrupt = static_cast<uint32_t>(config.integer("interrupt", 0, 0, kPlicSources));
  if (config.has("more_interrupts")) {
    for (const auto &[index, value] : config.child("more_interrupts").items()) {
      const int64_t source = value.is_number_integer() ? value.get<int64_t>() : 0;
      if (source < 1 || source > int64_t{kPlicSources}) {
        config.fail("more_interrupts", fmt::format("numbers from 1 to {}", kPlicSources));
      }
      part.more_interrupts.push_back(static_cast<uint32_t>(source));
    }
  }
  if (config.has("options")) {
    for (const auto &[name, value] : config.child("options").items()) {
      if (!value.is_number_integer()) config.fail("options", "whole numbers");
      part.options[name] = value.get<int64_t>();
    }
  }
  part.port = static_cast<uint32_t>(config.integer("port", 0, 0, kMostParts - 1));
  if (const auto library = config.text("library")) {
    part.library = context.input_path(*library).string();
  }
  if (part.library.empty() != is_ours(part.kind)) {
    config.fail("library", is_ours(part.kind) ? "none: the kind is ours" : "a shared object");
  }
  if (part.kind == "finisher" && part.interrupt != 0) config.fail("interrupt", "none");
  if (part.kind == "nic") check_queues(part, config);
  config.finish();
  return part;
}

// Each part says a port that is there.
void check_ports(const std::vector<PartEntry> &parts, const std::string &where) {
  const auto nics = std::count_if(parts.begin(), parts.end(),
                                  [](const PartEntry &part) { return part.kind == "nic"; });
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].port < std::max<size_t>(nics, 1)) continue;
    throw DescriptionError(fmt::format("{}[{}]: \"port\" is {}, expected one of {} NICs", where, i,
                                       parts[i].port, nics));
  }
}

}  // namespace

std::vector<PartEntry> usual_parts() {
  return {{"uart", "uart", kUartBase, kUartBytes, kUartInterrupt, {}, {}, ""},
          {"block_device",
           "block_device",
           kBlockDeviceBase,
           kBlockDeviceBytes,
           kBlockDeviceInterrupt,
           {},
           {},
           ""},
          {"nic", "nic", kNicBase, kNicBytes, kNicInterrupt, {}, {}, ""},
          {"finisher", "finisher", kFinisherBase, kFinisherBytes, 0, {}, {}, ""}};
}

std::vector<PartEntry> read_parts(const nlohmann::json &parts, const std::string &where,
                                  const SimulationContext &context) {
  if (parts.is_null()) return usual_parts();
  if (!parts.is_array() || parts.size() > kMostParts) {
    throw DescriptionError(
        fmt::format("{}: expected a list of at most {} parts", where, kMostParts));
  }
  std::vector<PartEntry> found;
  for (const nlohmann::json &entry : parts) {
    const std::string place = fmt::format("{}[{}]", where, found.size());
    const PartEntry part = read_part(entry, place, context);
    for (const PartEntry &other : found) {
      if (other.name == part.name) {
        throw DescriptionError(fmt::format("{}: found \"{}\" twice", place, part.name));
      }
      if (part.base < other.base + other.bytes && other.base < part.base + part.bytes) {
        throw DescriptionError(
            fmt::format("{}: \"{}\" overlaps \"{}\"", place, part.name, other.name));
      }
      if (share_source(part, other)) {
        throw DescriptionError(
            fmt::format("{}: \"{}\" has the interrupt of \"{}\"", place, part.name, other.name));
      }
    }
    found.push_back(part);
  }
  check_ports(found, where);
  return found;
}

std::string unusual(const std::vector<PartEntry> &parts) {
  const auto shown = [](std::vector<PartEntry> of) {
    std::sort(of.begin(), of.end(), [](const auto &a, const auto &b) { return a.base < b.base; });
    std::string text;
    for (const PartEntry &part : of) {
      text += fmt::format("{}{} at 0x{:x}", text.empty() ? "" : ", ", part.name, part.base);
      for (const auto &[name, value] : part.options) {
        if (!is_ours(part.kind)) text += fmt::format(" {}={}", name, value);
      }
      if (part.port != 0) text += fmt::format(" in port {}", part.port);
    }
    return text;
  };
  const std::string found = shown(parts);
  return found == shown(usual_parts()) ? "" : found;
}

std::unique_ptr<RegisterDevice> make_part(const PartEntry &entry, DeviceMemory &memory) {
  // Never unloaded: the model's code lives in it until the process ends.
  void *library = dlopen(entry.library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw DescriptionError(
        fmt::format("cannot load the model of the part {}: {}", entry.name, dlerror()));
  }
  using Make = RegisterDevice *(*)(const PartContext &);
  const auto make = reinterpret_cast<Make>(dlsym(library, kMaker));
  if (make == nullptr) {
    throw DescriptionError(
        fmt::format("{}: found no function {}, expected it as functional/devices/part.h says",
                    entry.library, kMaker));
  }
  return std::unique_ptr<RegisterDevice>(make({entry.name, entry.options, memory}));
}

}  // namespace firesim::functional
