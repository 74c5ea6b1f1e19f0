// SPDX-License-Identifier: BSD-3-Clause
//
// Writes status.jsonl (docs/reference/interfaces/results.md): text, with no tree of values, as
// lines of many models come while the simulator has something better to do.
#include "core/status_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <utility>

#include "core/host_load.h"
#include "core/json_text.h"

namespace firesim {

namespace {

constexpr double kHostIntervalS = 2;  // between two looks at the host
constexpr size_t kLeastRoomBytes = 4096;
constexpr size_t kBytesOfModel = 192;          // about, in a line
constexpr uint64_t kLargestPageBytes = 65536;  // the largest pages that Linux has

// Microseconds are enough, and shorter.
double rounded_s(double seconds) { return std::round(seconds * 1e6) / 1e6; }

void append_host(std::string &to, const HostLoad &host) {
  to += R"({"available_bytes":)";
  append_json(to, host.available_bytes);
  to += R"(,"cores":)";
  append_json(to, host.cores);
  to += R"(,"cpu_s":)";
  append_json(to, rounded_s(host.cpu_s));
  to += R"(,"load":)";
  append_json(to, host.load);
  to += R"(,"memory_bytes":)";
  append_json(to, host.memory_bytes);
  to += R"(,"received_bytes":)";
  append_json(to, host.received_bytes);
  to += R"(,"resident_bytes":)";
  append_json(to, host.resident_bytes);
  to += R"(,"sent_bytes":)";
  append_json(to, host.sent_bytes);
  to += '}';
}

void append_count(std::string &to, const std::optional<TrafficCount> &count) {
  if (!count) {
    to += "null";
    return;
  }
  to += R"({"flits":)";
  append_json(to, count->flits);
  to += R"(,"packets":)";
  append_json(to, count->packets);
  to += '}';
}

void append_queue(std::string &to, const QueueStatus &queue) {
  to += R"(,"queue":{"bytes":)";
  append_json(to, queue.bytes);
  to += R"(,"fullest":)";
  append_json(to, std::round(queue.fullest * 1e4) / 1e4);
  to += '}';
}

void append_model(std::string &to, const ModelStatus &model) {
  to += R"({"busy_s":)";
  append_json(to, rounded_s(model.busy_s));
  to += R"(,"cycle":)";
  append_json(to, model.cycle);
  if (model.exit_code) {
    to += R"(,"exit_code":)";
    append_json(to, *model.exit_code);
  }
  to += R"(,"name":)";
  append_json(to, model.name);
  to += R"(,"packets_in":)";
  append_json(to, model.packets_in);
  to += R"(,"packets_out":)";
  append_json(to, model.packets_out);
  if (model.queue) append_queue(to, *model.queue);
  to += R"(,"state":)";
  append_json(to, model.state);
  to += R"(,"waiting_for":)";
  if (model.waiting_for) {
    append_json(to, *model.waiting_for);
  } else {
    to += "null";
  }
  to += R"(,"waiting_s":)";
  append_json(to, rounded_s(model.waiting_s));
  to += '}';
}

}  // namespace

std::string models_text(const std::vector<ModelStatus> &models) {
  std::string text = "[";
  text.reserve(models.size() * kBytesOfModel);
  for (const ModelStatus &model : models) {
    if (text.size() > 1) text += ',';
    append_model(text, model);
  }
  text += ']';
  return text;
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
  std::string text = "{";
  const bool with_host = wall_s >= next_host_s_;
  if (with_host) {
    text += R"("host":)";
    append_host(text, host_load());
    text += ',';
  }
  std::vector<LinkStatus> links = scheduler_.link_status();
  append_changed_links(text, links);
  text += R"("models":)";
  text += models_text(models);
  text += R"(,"threads":)";
  append_json(text, threads_);
  text += R"(,"wall_s":)";
  append_json(text, wall_s);
  text += "}\n";
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
  const uint64_t end =
      (size_ + bytes + kLargestPageBytes - 1) / kLargestPageBytes * kLargestPageBytes;
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
void StatusWriter::append_changed_links(std::string &to, const std::vector<LinkStatus> &now) const {
  bool is_first = true;
  for (size_t i = 0; i < now.size(); ++i) {
    if (now[i] == written_links_[i]) continue;
    to += is_first ? R"("links":[{"a_to_b":)" : R"(,{"a_to_b":)";
    is_first = false;
    append_count(to, now[i].a_to_b);
    to += R"(,"b_to_a":)";
    append_count(to, now[i].b_to_a);
    to += R"(,"name":)";
    append_json(to, link_names_[i]);
    to += '}';
  }
  if (!is_first) to += "],";
}

}  // namespace firesim
