// SPDX-License-Identifier: BSD-3-Clause
//
// Writes status.jsonl (docs/reference/interfaces/results.md).
#include "core/status_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <utility>

#include "core/host_load.h"
#include "core/json_reader.h"

namespace firesim {

namespace {

constexpr double kHostIntervalS = 2;  // between two looks at the host
constexpr size_t kLeastRoomBytes = 4096;
constexpr uint64_t kPageBytes = 65536;  // the largest pages that Linux has

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
    if (model.queue) {
      entries.back()["queue"] = {{"bytes", model.queue->bytes},
                                 {"fullest", std::round(model.queue->fullest * 1e4) / 1e4}};
    }
  }
  return entries;
}

StatusWriter::StatusWriter(const std::filesystem::path &path, const Scheduler &scheduler,
                           uint32_t threads)
    : file_(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)),
      scheduler_(scheduler),
      threads_(threads),
      link_names_(scheduler.link_names()),
      written_links_(link_names_.size()) {
  if (file_ >= 0) static_cast<void>(make_room(kLeastRoomBytes));
}

StatusWriter::~StatusWriter() {
  if (file_ < 0) return;
  if (!left_out_.empty()) static_cast<void>(append(left_out_));
  static_cast<void>(!ftruncate(file_, static_cast<off_t>(size_)));  // gives back the room
  close(file_);
}

void StatusWriter::write(double wall_s, const std::vector<ModelStatus> &models) {
  if (file_ < 0) return;
  nlohmann::json line = {
      {"wall_s", wall_s}, {"threads", threads_}, {"models", models_to_json(models)}};
  std::vector<LinkStatus> links = scheduler_.link_status();
  if (nlohmann::json changed = changed_links(links); !changed.empty()) {
    line["links"] = std::move(changed);
  }
  const bool with_host = wall_s >= next_host_s_;
  if (with_host) line["host"] = host_to_json(host_load());
  std::string text = dump_any(line) + "\n";
  if (!make_room(2 * text.size() + kLeastRoomBytes) || !append(text)) {
    left_out_ = std::move(text);
    return;
  }
  left_out_.clear();
  written_links_ = std::move(links);
  if (with_host) next_host_s_ = wall_s + kHostIntervalS;
}

// Beyond the lines that there are, in whole pages: when tmpfs cannot reserve all of a range, it
// frees also what of it was reserved before. A file system that cannot reserve is one to just
// write to.
bool StatusWriter::make_room(size_t bytes) {
  const uint64_t end = (size_ + bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
  if (end <= room_end_) return true;
  int result = -1;
  do {
    result = fallocate(file_, FALLOC_FL_KEEP_SIZE, static_cast<off_t>(room_end_),
                       static_cast<off_t>(end - room_end_));
  } while (result != 0 && errno == EINTR);
  if (result != 0) return errno == EOPNOTSUPP || errno == ENOSYS;
  room_end_ = end;
  return true;
}

// A whole line or none of it.
bool StatusWriter::append(const std::string &line) {
  for (size_t done = 0; done < line.size();) {
    const ssize_t wrote =
        pwrite(file_, line.data() + done, line.size() - done, static_cast<off_t>(size_ + done));
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) {
      static_cast<void>(!ftruncate(file_, static_cast<off_t>(size_)));
      return false;
    }
    done += static_cast<size_t>(wrote);
  }
  size_ += line.size();
  return true;
}

// Most links of a large target carry nothing most of the time.
nlohmann::json StatusWriter::changed_links(const std::vector<LinkStatus> &now) const {
  nlohmann::json entries = nlohmann::json::array();
  for (size_t i = 0; i < now.size(); ++i) {
    if (now[i] == written_links_[i]) continue;
    entries.push_back({{"name", link_names_[i]},
                       {"a_to_b", count_to_json(now[i].a_to_b)},
                       {"b_to_a", count_to_json(now[i].b_to_a)}});
  }
  return entries;
}

}  // namespace firesim
