// SPDX-License-Identifier: BSD-3-Clause
// A pseudo-terminal in packet mode, which tells when the far side flushes; see terminal.h.
#include "simulator/board/terminal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace firesim {
namespace {

[[noreturn]] void fail(const std::string &what) {
  throw std::runtime_error(fmt::format("{}: {}", what, std::strerror(errno)));
}

}  // namespace

Terminal::Terminal(const std::string &link) : link_(link) {
  near_ = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  int packets = 1;
  if (near_ < 0 || grantpt(near_) != 0 || unlockpt(near_) != 0 ||
      ioctl(near_, TIOCPKT, &packets) != 0) {
    fail("a pseudo-terminal cannot be made");
  }
  std::array<char, 64> name{};
  if (ptsname_r(near_, name.data(), name.size()) != 0) fail("a pseudo-terminal has no name");
  device_ = name.data();
  far_ = open(device_.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC);
  termios raw{};
  if (far_ < 0 || tcgetattr(far_, &raw) != 0) fail(device_ + " cannot be opened");
  cfmakeraw(&raw);  // nothing that is said before the far side sets it up is echoed
  tcsetattr(far_, TCSANOW, &raw);
  if (link_.empty()) return;
  unlink(link_.c_str());
  if (symlink(device_.c_str(), link_.c_str()) != 0) fail(link_ + " cannot be made");
}

Terminal::~Terminal() {
  if (!link_.empty()) unlink(link_.c_str());
  close(far_);
  close(near_);
}

bool Terminal::read(std::vector<uint8_t> &bytes, size_t most, int most_ms) {
  pollfd waits{near_, POLLIN | POLLPRI, 0};
  if (poll(&waits, 1, most_ms) <= 0) return false;
  std::array<uint8_t, 1 + 256> packet;
  const ssize_t found = ::read(near_, packet.data(), 1 + std::min<size_t>(most, 256));
  if (found < 0 && errno != EAGAIN && errno != EINTR) fail(device_ + " cannot be read");
  if (found <= 0) return false;
  if (packet[0] != TIOCPKT_DATA) return (packet[0] & (TIOCPKT_FLUSHREAD | TIOCPKT_FLUSHWRITE)) != 0;
  bytes.insert(bytes.end(), packet.begin() + 1, packet.begin() + found);
  return false;
}

void Terminal::write(std::deque<uint8_t> &bytes) {
  while (!bytes.empty()) {
    std::array<uint8_t, 256> piece;
    const size_t count = std::min(bytes.size(), piece.size());
    std::copy_n(bytes.begin(), count, piece.begin());
    const ssize_t written = ::write(near_, piece.data(), count);
    if (written <= 0) return;  // the far side does not read
    bytes.erase(bytes.begin(), bytes.begin() + written);
  }
}

}  // namespace firesim
