// SPDX-License-Identifier: BSD-3-Clause
// Reading and checking a functional node's entry; see settings.h.
#include "functional/blade/settings.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <bit>

#include "devices/config.h"
#include "devices/instrument_names.h"
#include "functional/core/csr_bits.h"
#include "functional/core/memory_map.h"
#include "functional/core/shared_state.h"
#include "functional/devices/clint.h"

namespace firesim::functional {
namespace {

constexpr uint64_t kMostHarts = 8;
constexpr uint64_t kMostCycles = 1 << 20;
constexpr size_t kFewestCodeBytes = 1 << 20;
constexpr uint64_t kCodeShare = 32;  // of the host's memory, all decoded code takes one such part

// The memory for decoded code of one hart of so many, in whole pages.
size_t code_bytes_of(uint64_t harts) {
  const uint64_t page_bytes = sysconf(_SC_PAGESIZE);
  const uint64_t host_pages = sysconf(_SC_PHYS_PAGES);
  const uint64_t share = host_pages / kCodeShare / harts * page_bytes;
  return std::clamp<uint64_t>(share, kFewestCodeBytes, kMostCodeBytes);
}

}  // namespace

Settings::Settings(const nlohmann::json &node, const SimulationContext &context)
    : name(node.at("name").get<std::string>()) {
  devices::Config config(node, name);
  for (const char *known : {"name", "kind", "library", "restore_from"}) config.has(known);
  harts = static_cast<uint32_t>(config.integer("cores", 1, 1, kMostHarts));
  features.floats = config.boolean("floating_point", true);
  features.supervisor = config.boolean("supervisor_mode", true);
  cycles_per_instruction =
      static_cast<uint32_t>(config.integer("cycles_per_instruction", 1, 1, kMostCycles));
  quantum_cycles = static_cast<uint32_t>(config.integer("quantum_cycles", 1024, 1, kMostCycles));
  check_fence_i = config.boolean("check_fence_i", false);
  translate_after =
      static_cast<int32_t>(config.integer("translate_after", kTranslateAfter, 0, kNeverTranslated));
  keeps_calls = config.boolean("keeps_calls", false);
  if (config.has("basic_blocks") && (harts != 1 || keeps_calls)) {
    config.fail("basic_blocks", "none in a blade with several harts, or with keeps_calls");
  }
  if (config.has("l1_caches")) read_l1(config.child("l1_caches"), config.child_where("l1_caches"));
  block_vectors = BlockVectors::make(config.child("basic_blocks"),
                                     config.child_where("basic_blocks"), context, kResetCycles);
  address_bits =
      static_cast<uint32_t>(config.integer("address_bits", 32, 32, csr_bits::kMostAddressBits));
  const uint64_t all_harts = context.node_count * harts;
  code_bytes = code_bytes_of(all_harts);
  shares_code = all_harts > 1;
  parts = read_parts(config.child("parts"), config.child_where("parts"), context);
  read_bridges(config.child("bridges"), context);
  if (l1 && traces) config.fail("l1_caches", "none in a blade with tracerv");
  config.finish();
}

void Settings::read_l1(const nlohmann::json &json, const std::string &where) {
  devices::Config config(json, where);
  const auto shape = [&](const char *name) {
    devices::Config cache(config.child(name), config.child_where(name));
    const auto power = [&](const char *key, uint32_t most) {
      const auto value = static_cast<uint32_t>(cache.integer(key, 1, 1, most));
      if (!std::has_single_bit(value)) cache.fail(key, "a power of two");
      return value;
    };
    const uint32_t sets = power("sets", kMostCacheSets);
    const CacheShape found{sets, power("ways", kMostCacheWays)};
    cache.finish();
    return found;
  };
  l1 = L1Shape{shape("instructions"), shape("data")};
  config.finish();
}

void Settings::read_bridges(const nlohmann::json &json, const SimulationContext &context) {
  devices::Config config(json, name + ": bridges");
  const auto where = [&](const char *key) { return config.child_where(key); };
  read_nics(config.child("nic"), where("nic"));
  devices::Config memory_config(config.child("memory"), where("memory"));
  // The timing of the RTL's memory means nothing here, so that one configuration serves both.
  for (const char *ignored : {"timing", "llc", "statistics", "histograms"})
    memory_config.has(ignored);
  memory = devices::GuestMemory::make(memory_config, context);
  if (memory->base() != kDramBase) memory_config.fail("base", "2147483648, where DRAM is");
  const uint64_t most_bytes = (uint64_t{1} << address_bits) - kDramBase;
  if (memory->size_bytes() > most_bytes) {
    memory_config.fail("size_bytes", "at most " + std::to_string(most_bytes));
  }
  memory_config.finish();
  traces = HartTraces::make(config.child("tracerv"), where("tracerv"), context, harts,
                            cycles_per_instruction);
  host = devices::HostInterface::make(config.child("htif"), where("htif"));
  // Of the RTL, which may go on with these settings.
  config.has("termination");
  for (const char *instrument : devices::kInstruments) config.has(instrument);
  disk =
      std::make_unique<devices::Disk>(config.child("block_device"), where("block_device"), context);
  console = std::make_unique<devices::Console>(config.child("uart"), where("uart"), name, context);
  config.finish();
}

// A blade with several has a list of what they are told, in the order of its parts.
void Settings::read_nics(const nlohmann::json &json, const std::string &where) {
  const size_t wanted = count("nic");
  const bool lone = json.is_object() || (json.is_null() && wanted == 1);
  if (lone ? wanted != 1 : json.size() != wanted) {
    throw DescriptionError(fmt::format("{}: found settings of {} NICs, expected {} as in the parts",
                                       where, lone ? 1 : json.size(), wanted));
  }
  if (wanted == 0) nics.emplace_back(nlohmann::json{{"mac", "00:00:00:00:00:00"}}, where);
  if (lone) nics.emplace_back(json, where);
  for (size_t port = 0; json.is_array() && port < wanted; ++port) {
    nics.emplace_back(json[port], fmt::format("{}[{}]", where, port));
  }
}

size_t Settings::count(const std::string &kind) const {
  return static_cast<size_t>(std::count_if(parts.begin(), parts.end(),
                                           [&](const auto &part) { return part.kind == kind; }));
}

}  // namespace firesim::functional
