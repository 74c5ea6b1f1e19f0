// SPDX-License-Identifier: BSD-3-Clause
// A connected socket of UDP; see udp_line.h.
#include "hostlib/udp_line.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace firesim::hostlib {
namespace {

std::string reason() { return std::strerror(errno); }

// Nobody listens there: the board may yet come, and who waits for it has a bound.
bool is_loss() { return errno == ECONNREFUSED || errno == EAGAIN || errno == EINTR; }

}  // namespace

UdpLine::UdpLine(const std::string &address, uint16_t port) : address_(address) {
  try {
    lock(port);
    open(port);
  } catch (...) {
    if (file_ >= 0) close(file_);
    if (lock_ >= 0) close(lock_);
    throw;
  }
}

UdpLine::~UdpLine() {
  close(file_);
  close(lock_);
}

void UdpLine::fail(const std::string &what) const {
  throw std::runtime_error(fmt::format("{}: {}", address_, what));
}

// By a socket that has a name on this host and no file, and goes with its process.
void UdpLine::lock(uint16_t port) {
  const std::string name = fmt::format("firesim-board-{}:{}", address_, port);
  sockaddr_un place{};
  place.sun_family = AF_UNIX;
  const size_t length = std::min(name.size(), sizeof(place.sun_path) - 1);
  std::memcpy(place.sun_path + 1, name.data(), length);
  lock_ = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  const auto bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length);
  if (lock_ < 0 || bind(lock_, reinterpret_cast<const sockaddr *>(&place), bytes) != 0) {
    fail(errno == EADDRINUSE ? "found it in use by another run or another node" : reason());
  }
}

void UdpLine::open(uint16_t port) {
  sockaddr_in near{}, far{};
  near.sin_family = far.sin_family = AF_INET;
  near.sin_port = far.sin_port = htons(port);
  if (inet_pton(AF_INET, address_.c_str(), &far.sin_addr) != 1) {
    fail("found no IPv4 address, expected that of a board, such as 192.168.1.50");
  }
  file_ = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  // Sockets of several boards have the same port here. Each is connected, and hears its own board.
  const int yes = 1;
  setsockopt(file_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  if (file_ < 0 || bind(file_, reinterpret_cast<const sockaddr *>(&near), sizeof(near)) != 0) {
    fail(fmt::format("cannot have UDP port {} of this host, to which a board answers: {}", port,
                     reason()));
  }
  if (connect(file_, reinterpret_cast<const sockaddr *>(&far), sizeof(far)) != 0) {
    fail("cannot be reached: " + reason());
  }
}

void UdpLine::send(std::span<const uint8_t> bytes) {
  if (::send(file_, bytes.data(), bytes.size(), 0) < 0 && !is_loss()) {
    fail("cannot be reached: " + reason());
  }
}

size_t UdpLine::receive(std::span<uint8_t> bytes, std::chrono::microseconds most) {
  pollfd waits{file_, POLLIN, 0};
  const auto count = std::max<int64_t>(most.count(), 0);
  const timespec limit{count / 1'000'000, count % 1'000'000 * 1000};
  if (ppoll(&waits, 1, &limit, nullptr) <= 0) return 0;
  const ssize_t found = recv(file_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_TRUNC);
  if (found < 0 && !is_loss()) fail("cannot be reached: " + reason());
  return found < 0 ? 0 : static_cast<size_t>(found);
}

}  // namespace firesim::hostlib
