// SPDX-License-Identifier: BSD-3-Clause
// Packets of hosts, one by one; see pci_server.h.
#include "simulator/board/pci_server.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

namespace firesim {

PciServer::PciServer(const std::string &path, size_t most_hosts)
    : path_(path), most_hosts_(most_hosts) {
  std::error_code ignored;
  if (std::filesystem::is_socket(path, ignored)) unlink(path.c_str());
  listener_ = hostlib::pci_socket(path, true);
}

PciServer::~PciServer() {
  for (const int host : hosts_) close(host);
  close(listener_);
  unlink(path_.c_str());
}

void PciServer::hang_up() {
  close(hosts_.back());
  hosts_.pop_back();
}

std::optional<hostlib::PciRequest> PciServer::next(int most_ms, bool &is_new) {
  is_new = false;
  std::vector<pollfd> waits;
  for (const int host : hosts_) waits.push_back({host, POLLIN, 0});
  waits.push_back({listener_, POLLIN, 0});
  if (poll(waits.data(), waits.size(), most_ms) <= 0) return std::nullopt;
  // Who was not heard for longest comes first, so that none waits for good.
  for (size_t i = 0; i + 1 < waits.size(); ++i) {
    if (waits[i].revents == 0) continue;
    const auto place = std::find(hosts_.begin(), hosts_.end(), waits[i].fd);
    std::rotate(place, place + 1, hosts_.end());
    hostlib::PciRequest request{};
    // With MSG_TRUNC it says how long the packet was.
    const ssize_t bytes = recv(hosts_.back(), &request, sizeof(request), MSG_DONTWAIT | MSG_TRUNC);
    if (bytes == sizeof(request)) return request;
    if (bytes < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    hang_up();
  }
  // Hosts of before have left by now, if they are to.
  if (waits.back().revents != 0) is_new = welcome();
  return std::nullopt;
}

// True when a host came and there was none.
bool PciServer::welcome() {
  const int file = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  if (file < 0) return false;
  if (hosts_.size() == most_hosts_) {
    close(file);
    return false;
  }
  hosts_.push_back(file);
  return hosts_.size() == 1;
}

void PciServer::answer(std::span<const uint64_t> words) {
  if (send(hosts_.back(), words.data(), words.size_bytes(), MSG_NOSIGNAL) < 0) hang_up();
}

}  // namespace firesim
