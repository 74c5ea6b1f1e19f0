// SPDX-License-Identifier: BSD-3-Clause
//
// A simulator's connection to its debugger: a Unix stream socket, one JSON object a line each way.
// Copies of the process are the debugger's checkpoints: each has a connection of its own, and the
// process ends when the debugger closes it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace firesim {

class DebugLink {
 public:
  // Throws DescriptionError when nobody listens there.
  explicit DebugLink(const std::filesystem::path &socket);
  ~DebugLink();
  DebugLink(const DebugLink &) = delete;
  DebugLink &operator=(const DebugLink &) = delete;

  void send(const nlohmann::json &message);
  // Waits for the next command. Throws JsonError for what is none.
  nlohmann::json receive();
  // Whether a command waits.
  bool has_command() const;

  // Copies this process, which must have one thread; true in the copy, which has connected anew.
  // Whichever of the two goes on writes its files on from where they were when the one that stays
  // as it is was made: `copy_goes_on` says which one goes on. False also when there can be no copy.
  bool copy(bool copy_goes_on);

 private:
  using FilePlace = std::pair<int, int64_t>;  // descriptor and offset

  void connect_to_debugger();
  static std::vector<FilePlace> file_places();

  const std::filesystem::path socket_;
  int descriptor_ = -1;
  std::string received_;
  std::vector<FilePlace> places_;  // of open files, when this copy was made
};

}  // namespace firesim
