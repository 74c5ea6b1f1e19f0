// SPDX-License-Identifier: BSD-3-Clause
// Unix sockets of packets by name; see pci_messages.h.
#include "hostlib/pci_messages.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>

namespace firesim::hostlib {
namespace {

[[noreturn]] void fail(const std::string &path, const std::string &what) {
  throw std::runtime_error(fmt::format("{}: {}: {}", path, what, std::strerror(errno)));
}

// An address has room for 107 bytes, so that the folder is named by its number.
sockaddr_un address_in(int folder, const std::string &path) {
  const std::string text =
      fmt::format("/proc/self/fd/{}/{}", folder, std::filesystem::path(path).filename().string());
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (text.size() >= sizeof(address.sun_path)) {
    throw std::runtime_error(path + ": found a longer name than a socket may have");
  }
  std::memcpy(address.sun_path, text.c_str(), text.size() + 1);
  return address;
}

int joined(int file, const sockaddr_un &address, bool listens) {
  const auto *name = reinterpret_cast<const sockaddr *>(&address);
  if (!listens) return connect(file, name, sizeof(address));
  const mode_t before = umask(0177);  // its owner's alone
  const int bound = bind(file, name, sizeof(address));
  umask(before);
  return bound != 0 ? -1 : listen(file, 1);
}

}  // namespace

int pci_socket(const std::string &path, bool listens) {
  const std::string parent = std::filesystem::absolute(path).parent_path().string();
  const int folder = open(parent.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) fail(path, "its folder cannot be opened");
  const int file = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  const bool done = file >= 0 && joined(file, address_in(folder, path), listens) == 0;
  const int error = errno;
  close(folder);
  if (done) return file;
  if (file >= 0) close(file);
  errno = error;
  fail(path, listens ? "cannot be made" : "found no simulated board");
}

}  // namespace firesim::hostlib
