// SPDX-License-Identifier: BSD-3-Clause
// The near side of a socket that stands for a board on PCIe: accesses of as many hosts at a time as
// the board has blades.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hostlib/pci_messages.h"

namespace firesim {

class PciServer {
 public:
  // Makes the socket, in the place of one that a process left that ended. Throws
  // std::runtime_error.
  PciServer(const std::string &path, size_t most_hosts);
  ~PciServer();
  PciServer(const PciServer &) = delete;
  PciServer &operator=(const PciServer &) = delete;

  // Waits up to `most_ms` for an access, or for hosts if there is room. Sets `is_new` when one came
  // and there was none. One that comes when there is no room is sent away.
  std::optional<hostlib::PciRequest> next(int most_ms, bool &is_new);
  // To the host of the last access.
  void answer(std::span<const uint64_t> words);
  // Sends the host of the last access away.
  void hang_up();

 private:
  bool welcome();

  const std::string path_;
  const size_t most_hosts_;
  int listener_ = -1;
  std::vector<int> hosts_;  // the one heard last is the last one
};

}  // namespace firesim
