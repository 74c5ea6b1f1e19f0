// SPDX-License-Identifier: BSD-3-Clause
// The near side of a socket that stands for a board on PCIe: accesses of one host at a time.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "hostlib/pci_messages.h"

namespace firesim {

class PciServer {
 public:
  // Makes the socket, in the place of one that a process left that ended. Throws
  // std::runtime_error.
  explicit PciServer(const std::string &path);
  ~PciServer();
  PciServer(const PciServer &) = delete;
  PciServer &operator=(const PciServer &) = delete;

  // Waits up to `most_ms` for the host, or one if there is none yet. Sets `is_new` when a host
  // came. Another one that comes meanwhile is sent away.
  std::optional<hostlib::PciRequest> next(int most_ms, bool &is_new);
  void answer(std::span<const uint64_t> words);
  // Sends the host away.
  void hang_up();

 private:
  const std::string path_;
  int listener_ = -1;
  int host_ = -1;
};

}  // namespace firesim
