// SPDX-License-Identifier: BSD-3-Clause
//
// The result of a run from the parts of its processes; see processes.h.
#include <algorithm>
#include <map>
#include <stdexcept>

#include "core/processes.h"
#include "core/token_hash.h"

namespace firesim {

namespace {

std::optional<ChannelTotals> totals_of(const nlohmann::json &json) {
  if (json.is_null()) return std::nullopt;
  const std::optional<uint64_t> hash = hash_from_hex(json.at("hash").get<std::string>());
  if (!hash) throw std::runtime_error("the hash of a link is " + json.at("hash").dump());
  return ChannelTotals{json.at("flits"), json.at("packets"), *hash};
}

// Each direction comes from the process that has put its tokens in.
void merge_links(nlohmann::json &first, const nlohmann::json &other) {
  std::map<std::string, size_t> places;
  for (size_t i = 0; i < first.size(); ++i) places.emplace(first[i].at("name"), i);
  for (const nlohmann::json &link : other) {
    const auto found = places.find(link.at("name").get_ref<const std::string &>());
    if (found == places.end()) {
      first.push_back(link);
      continue;
    }
    for (const char *direction : {"a_to_b", "b_to_a"}) {
      if (!link.at(direction).is_null()) first[found->second][direction] = link.at(direction);
    }
  }
}

// As the description has them.
void sort_models(nlohmann::json &list, const std::vector<std::string> &order) {
  std::map<std::string, size_t> place;
  for (const std::string &name : order) place.emplace(name, place.size());
  std::sort(list.begin(), list.end(), [&](const nlohmann::json &a, const nlohmann::json &b) {
    return place.at(a.at("name")) < place.at(b.at("name"));
  });
}

}  // namespace

void merge_results(nlohmann::json &first, const std::vector<nlohmann::json> &others,
                   const std::vector<std::string> &models) {
  for (const nlohmann::json &other : others) {
    for (const char *list : {"nodes", "switches"}) {
      for (const nlohmann::json &model : other.at(list)) first[list].push_back(model);
    }
    merge_links(first["links"], other.at("links"));
    first["deterministic"] = first.at("deterministic") && other.at("deterministic");
    first["cpu_s"] = first.at("cpu_s").get<double>() + other.at("cpu_s").get<double>();
    for (auto &[key, total] : first["transport"].items()) {
      total = total.get<uint64_t>() + other.at("transport").at(key).get<uint64_t>();
    }
    first["end_cycle"] =
        std::min(first.at("end_cycle").get<uint64_t>(),  // all equal, unless one failed
                 other.at("end_cycle").get<uint64_t>());
  }
  for (const char *list : {"nodes", "switches"}) sort_models(first[list], models);
  nlohmann::json &links = first["links"];
  std::sort(links.begin(), links.end(), [](const nlohmann::json &a, const nlohmann::json &b) {
    return a.at("name").get_ref<const std::string &>() <
           b.at("name").get_ref<const std::string &>();
  });
  if (first.at("network").at("mode") != "exact") return;
  std::vector<LinkResult> results;
  for (const nlohmann::json &link : links) {
    results.push_back(
        {link.at("name"), totals_of(link.at("a_to_b")), totals_of(link.at("b_to_a")), {}, {}});
  }
  const uint64_t hash = cluster_hash(first.at("end_cycle"), results);
  first["token_hash"] = hash == 0 ? nlohmann::json(nullptr) : nlohmann::json(hash_to_hex(hash));
}

}  // namespace firesim
