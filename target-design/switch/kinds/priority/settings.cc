// SPDX-License-Identifier: BSD-3-Clause
//
// Reads the settings of a switch with classes; see settings.h and switch.yaml.
#include "switch/kinds/priority/settings.h"

namespace firesim::priority {

namespace {

constexpr uint64_t kMostBytes = uint64_t{1} << 40;

std::vector<char> read_set(Fields &settings, const char *key, uint32_t count) {
  std::vector<char> set(count);
  for (const nlohmann::json &one : settings.array(key, false)) {
    if (!one.is_number_unsigned() || one >= count) {
      settings.fail(key, "whole numbers below " + std::to_string(count));
    }
    set[one.get<size_t>()] = 1;
  }
  return set;
}

}  // namespace

Probability PrioritySettings::mark_chance(uint64_t bytes) const {
  if (ecn_most_bytes == 0 || bytes <= ecn_least_bytes) return {0, 1};
  if (bytes > ecn_most_bytes) return {1, 1};
  return {(bytes - ecn_least_bytes) * ecn_most_percent, (ecn_most_bytes - ecn_least_bytes) * 100};
}

PrioritySettings read_settings(Fields &settings, uint32_t ports) {
  PrioritySettings read;
  const std::string by = settings.choice("class_by", {"none", "pcp", "dscp"});
  read.class_by = by == "pcp" ? ClassBy::kPcp : by == "dscp" ? ClassBy::kDscp : ClassBy::kNone;
  read.default_class = static_cast<uint32_t>(settings.integer("default_class", 0, kClasses - 1, 0));
  read.strict = settings.choice("order", {"strict", "in_turn"}) == "strict";
  read.ecn_least_bytes = settings.integer("ecn_least_bytes", 0, kMostBytes, 0);
  read.ecn_most_bytes = settings.integer("ecn_most_bytes", 0, kMostBytes, 0);
  read.ecn_most_percent = settings.integer("ecn_most_percent", 0, 100, 100);
  read.ecn_seed = settings.integer("ecn_seed", 0, UINT64_MAX, 0);
  if (read.ecn_most_bytes != 0 && read.ecn_least_bytes > read.ecn_most_bytes) {
    settings.fail("ecn_least_bytes", "at most ecn_most_bytes");
  }
  read.pauses_class = read_set(settings, "pause_classes", kClasses);
  read.pauses_port = read_set(settings, "pause_ports", ports);
  read.xoff_bytes = settings.integer("xoff_bytes", 8, kMostBytes, 65'536);
  read.xon_bytes = settings.integer("xon_bytes", 0, kMostBytes, 32'768);
  if (read.xon_bytes >= read.xoff_bytes) settings.fail("xon_bytes", "less than xoff_bytes");
  read.headroom_bytes = settings.integer("headroom_bytes", 0, kMostBytes, 163'840);
  read.watchdog_cycles = settings.integer("watchdog_cycles", 0, uint64_t{1} << 60, 3'200'000);
  return read;
}

}  // namespace firesim::priority
