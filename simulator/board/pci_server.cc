// SPDX-License-Identifier: BSD-3-Clause
// Packets of a host, one by one; see pci_server.h.
#include "simulator/board/pci_server.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

namespace firesim {

PciServer::PciServer(const std::string &path) : path_(path) {
  std::error_code ignored;
  if (std::filesystem::is_socket(path, ignored)) unlink(path.c_str());
  listener_ = hostlib::pci_socket(path, true);
}

PciServer::~PciServer() {
  hang_up();
  close(listener_);
  unlink(path_.c_str());
}

void PciServer::hang_up() {
  if (host_ >= 0) close(host_);
  host_ = -1;
}

std::optional<hostlib::PciRequest> PciServer::next(int most_ms, bool &is_new) {
  is_new = false;
  std::array<pollfd, 2> waits{pollfd{host_, POLLIN, 0}, pollfd{listener_, POLLIN, 0}};
  if (poll(waits.data(), waits.size(), most_ms) <= 0) return std::nullopt;
  if (waits[0].revents != 0) {
    hostlib::PciRequest request{};
    // With MSG_TRUNC it says how long the packet was.
    const ssize_t bytes = recv(host_, &request, sizeof(request), MSG_DONTWAIT | MSG_TRUNC);
    if (bytes == sizeof(request)) return request;
    if (bytes < 0 && (errno == EAGAIN || errno == EINTR)) return std::nullopt;
    hang_up();
  }
  if (waits[1].revents != 0) {
    const int file = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    is_new = file >= 0 && host_ < 0;
    if (is_new) {
      host_ = file;
    } else if (file >= 0) {
      close(file);
    }
  }
  return std::nullopt;
}

void PciServer::answer(std::span<const uint64_t> words) {
  if (send(host_, words.data(), words.size_bytes(), MSG_NOSIGNAL) < 0) hang_up();
}

}  // namespace firesim
