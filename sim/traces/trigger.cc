// SPDX-License-Identifier: BSD-3-Clause
// Trigger configuration; see trigger.h.
#include "traces/trigger.h"

#include <fmt/format.h>

namespace firesim::traces {

using namespace devices;
namespace {

struct Pattern {
  uint32_t mask;
  uint32_t value;
};

Pattern parse_pattern(Config &config, const char *key, uint32_t stock) {
  Config item(config.child(key), config.child_where(key));
  const auto mask = static_cast<uint32_t>(item.integer("mask", UINT32_MAX, 1, UINT32_MAX));
  const auto value = static_cast<uint32_t>(item.integer("value", stock, 0, UINT32_MAX));
  item.finish();
  if ((value & ~mask) != 0) {
    item.fail("value", fmt::format("a word without bits outside the mask 0x{:08x}", mask));
  }
  return {mask, value};
}

}  // namespace

Trigger Trigger::of(Config &config, bool sees_commits) {
  const Trigger found = parse(config.child("trigger"), config.child_where("trigger"));
  if (found.needs_commits() && !sees_commits) {
    config.fail("trigger", "one that needs no TraceRV bridge, as the model has none");
  }
  return found;
}

Trigger Trigger::parse(const nlohmann::json &object, const std::string &where) {
  Trigger trigger;
  if (object.is_null()) return trigger;
  Config config(object, where);
  const std::string kind =
      config.choice("kind", {"always", "none", "cycle", "pc", "instruction", "counters"});
  if (kind == "none" || kind == "counters") {
    trigger.kind_ = kind == "none" ? Kind::kNone : Kind::kCounters;
  } else if (kind == "cycle") {
    trigger.kind_ = Kind::kCycle;
    trigger.start_ = config.integer("start", 0, 0, UINT64_MAX);
    trigger.end_ = config.integer("end", UINT64_MAX, 0, UINT64_MAX);
    if (trigger.end_ <= trigger.start_) {
      config.fail("end", fmt::format("a cycle after start, {}", trigger.start_));
    }
  } else if (kind == "pc") {
    trigger.kind_ = Kind::kPc;
    trigger.start_ = config.required_integer("start", 0, UINT64_MAX);
    trigger.end_ = config.required_integer("end", 0, UINT64_MAX);
  } else if (kind == "instruction") {
    trigger.kind_ = Kind::kInstruction;
    const Pattern start = parse_pattern(config, "start", 0x00008013);
    const Pattern end = parse_pattern(config, "end", 0x00010013);
    trigger.start_ = start.value;
    trigger.start_mask_ = start.mask;
    trigger.end_ = end.value;
    trigger.end_mask_ = end.mask;
  }
  config.finish();
  return trigger;
}

}  // namespace firesim::traces
