// SPDX-License-Identifier: BSD-3-Clause
//
// Writes status.jsonl (docs/reference/interfaces.md, section 5).
#include "core/status_writer.h"

#include <cmath>

#include "core/host_load.h"
#include "core/json_reader.h"

namespace firesim {

namespace {

constexpr double kHostIntervalS = 2;  // between two looks at the host

// Microseconds are enough, and shorter.
double rounded_s(double seconds) { return std::round(seconds * 1e6) / 1e6; }

nlohmann::json host_to_json(const HostLoad &host) {
  return {{"cores", host.cores},
          {"load", host.load},
          {"memory_bytes", host.memory_bytes},
          {"available_bytes", host.available_bytes},
          {"resident_bytes", host.resident_bytes},
          {"cpu_s", rounded_s(host.cpu_s)},
          {"sent_bytes", host.sent_bytes},
          {"received_bytes", host.received_bytes}};
}

nlohmann::json count_to_json(const std::optional<TrafficCount> &count) {
  if (!count) return nullptr;
  return {{"flits", count->flits}, {"packets", count->packets}};
}

}  // namespace

nlohmann::json models_to_json(const std::vector<ModelStatus> &models) {
  nlohmann::json entries = nlohmann::json::array();
  for (const ModelStatus &model : models) {
    nlohmann::json waiting_for = nullptr;
    if (model.waiting_for) waiting_for = *model.waiting_for;
    entries.push_back({{"name", model.name},
                       {"cycle", model.cycle},
                       {"state", model.state},
                       {"waiting_for", waiting_for},
                       {"packets_in", model.packets_in},
                       {"packets_out", model.packets_out},
                       {"busy_s", rounded_s(model.busy_s)},
                       {"waiting_s", rounded_s(model.waiting_s)}});
    if (model.exit_code) entries.back()["exit_code"] = *model.exit_code;
  }
  return entries;
}

StatusWriter::StatusWriter(const std::filesystem::path &path, const Scheduler &scheduler,
                           uint32_t threads)
    : file_(path),
      scheduler_(scheduler),
      threads_(threads),
      link_names_(scheduler.link_names()),
      written_links_(link_names_.size()) {}

void StatusWriter::write(double wall_s, const std::vector<ModelStatus> &models) {
  nlohmann::json line = {
      {"wall_s", wall_s}, {"threads", threads_}, {"models", models_to_json(models)}};
  if (nlohmann::json links = changed_links(); !links.empty()) line["links"] = std::move(links);
  if (wall_s >= next_host_s_) {
    line["host"] = host_to_json(host_load());
    next_host_s_ = wall_s + kHostIntervalS;
  }
  file_ << dump_any(line) << '\n' << std::flush;
  file_.clear();
}

// Most links of a large target carry nothing most of the time.
nlohmann::json StatusWriter::changed_links() {
  nlohmann::json entries = nlohmann::json::array();
  const std::vector<LinkStatus> now = scheduler_.link_status();
  for (size_t i = 0; i < now.size(); ++i) {
    if (now[i] == written_links_[i]) continue;
    entries.push_back({{"name", link_names_[i]},
                       {"a_to_b", count_to_json(now[i].a_to_b)},
                       {"b_to_a", count_to_json(now[i].b_to_a)}});
    written_links_[i] = now[i];
  }
  return entries;
}

}  // namespace firesim
