// SPDX-License-Identifier: BSD-3-Clause
//
// The connection to a debugger, and copies of the process. See the header.
#include "core/debug_link.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>

#include "core/json_reader.h"
#include "core/model.h"

namespace firesim {

namespace {

// A debugger that is gone leaves nothing to do: this process is there for it alone.
[[noreturn]] void leave() { _exit(0); }

}  // namespace

DebugLink::DebugLink(const std::filesystem::path &socket) : socket_(socket) {
  std::signal(SIGCHLD, SIG_IGN);  // nobody waits for copies
  connect_to_debugger();
}

DebugLink::~DebugLink() { close(descriptor_); }

void DebugLink::connect_to_debugger() {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = socket_.string();
  if (name.size() >= sizeof address.sun_path) {
    throw DescriptionError("\"debug\": found a socket of " + std::to_string(name.size()) +
                           " characters, expected at most 107");
  }
  std::memcpy(address.sun_path, name.c_str(), name.size() + 1);
  descriptor_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor_ >= 0 &&
      connect(descriptor_, reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0) {
    return;
  }
  throw DescriptionError("\"debug\": found nobody at the socket " + name + " (" +
                         std::strerror(errno) + "), expected a debugger");
}

void DebugLink::send(const nlohmann::json &message) {
  const std::string text = dump_any(message) + "\n";
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t count = ::send(descriptor_, text.data() + done, text.size() - done, MSG_NOSIGNAL);
    if (count < 0 && errno != EINTR) leave();
    if (count > 0) done += static_cast<size_t>(count);
  }
}

nlohmann::json DebugLink::receive() {
  for (;;) {
    const size_t end = received_.find('\n');
    if (end != std::string::npos) {
      const std::string line = received_.substr(0, end);
      received_.erase(0, end + 1);
      return parse_json(line, kControlLimits);
    }
    if (received_.size() > kControlLimits.bytes) leave();
    char buffer[4096];
    const ssize_t count = recv(descriptor_, buffer, sizeof buffer, 0);
    if (count == 0 || (count < 0 && errno != EINTR)) leave();
    if (count > 0) received_.append(buffer, static_cast<size_t>(count));
  }
}

bool DebugLink::has_command() const {
  if (received_.find('\n') != std::string::npos) return true;
  pollfd ready{descriptor_, POLLIN, 0};
  return poll(&ready, 1, 0) > 0;
}

// Both processes share the offsets of files that were open before.
std::vector<DebugLink::FilePlace> DebugLink::file_places() {
  std::vector<FilePlace> places;
  std::error_code error;
  for (const auto &entry : std::filesystem::directory_iterator("/proc/self/fd", error)) {
    const int descriptor = std::stoi(entry.path().filename());
    struct stat facts {};
    if (fstat(descriptor, &facts) != 0 || !S_ISREG(facts.st_mode)) continue;
    places.emplace_back(descriptor, lseek(descriptor, 0, SEEK_CUR));
  }
  return places;
}

bool DebugLink::copy(bool copy_goes_on) {
  std::vector<FilePlace> places = copy_goes_on ? places_ : file_places();
  const pid_t child = fork();
  if (child < 0) {
    send({{"ok", false}, {"error", std::string("cannot fork: ") + std::strerror(errno)}});
    return false;
  }
  if (child > 0) {
    send({{"ok", true}});
    return false;
  }
  close(descriptor_);
  received_.clear();
  try {
    connect_to_debugger();
  } catch (const DescriptionError &) {
    leave();
  }
  places_ = std::move(places);
  if (copy_goes_on) {
    for (const auto &[descriptor, offset] : places_) lseek(descriptor, offset, SEEK_SET);
  }
  return true;
}

}  // namespace firesim
