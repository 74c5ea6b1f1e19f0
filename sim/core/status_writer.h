// SPDX-License-Identifier: BSD-3-Clause
//
// Writes status.jsonl: what everything does, line by line, for whoever watches a run.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/scheduler.h"

namespace firesim {

class StatusWriter {
 public:
  // Makes the file at `path` anew. The scheduler has `threads` workers and all its links.
  StatusWriter(const std::filesystem::path &path, const Scheduler &scheduler, uint32_t threads);
  ~StatusWriter();
  StatusWriter(const StatusWriter &) = delete;
  StatusWriter &operator=(const StatusWriter &) = delete;

  // Adds a line. A full disk does not end the run: there are no more lines then but the last one,
  // for which there is always room reserved, and it is added at the end.
  void write(double wall_s, const std::vector<ModelStatus> &models);

 private:
  // Adds the key "links" and a comma, nothing if no link has carried more.
  void append_changed_links(std::string &to, const std::vector<LinkStatus> &now) const;
  bool make_room(size_t bytes);
  bool append(const std::string &line);

  int file_ = -1;          // none if it cannot be opened: a run needs no status
  uint64_t size_ = 0;      // of whole lines
  uint64_t room_end_ = 0;  // of what is reserved
  std::string left_out_;   // the last line, if there was no room for it and another one
  const Scheduler &scheduler_;
  const uint32_t threads_;
  const std::vector<std::string> link_names_;
  std::vector<LinkStatus> written_links_;
  double next_host_s_ = 0;
};

// The list "models" of a line, as JSON.
std::string models_text(const std::vector<ModelStatus> &models);

}  // namespace firesim
