// SPDX-License-Identifier: BSD-3-Clause
//
// The control socket. See the header.
#include "core/control.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/fields.h"
#include "core/json_reader.h"
#include "core/model.h"

namespace firesim {

namespace {

constexpr size_t kMaxClients = 16;
constexpr size_t kMaxLineBytes = kControlLimits.bytes;
constexpr int kSendTimeoutMs = 2000;

nlohmann::json refusal(const std::string &error) { return {{"ok", false}, {"error", error}}; }

// The name is given relative to an open folder, since a socket's path may only be about 100 bytes
// long.
sockaddr_un address_in(int folder, const std::string &file) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = "/proc/self/fd/" + std::to_string(folder) + "/" + file;
  if (name.size() >= sizeof address.sun_path) {
    throw DescriptionError("\"control\": the name " + file + " is too long for a socket");
  }
  std::memcpy(address.sun_path, name.c_str(), name.size() + 1);
  return address;
}

bool send_all(int descriptor, const std::string &text) {
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t count =
        send(descriptor, text.data() + done, text.size() - done, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count > 0) {
      done += static_cast<size_t>(count);
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return false;
    pollfd ready{descriptor, POLLOUT, 0};
    if (poll(&ready, 1, kSendTimeoutMs) <= 0) return false;
  }
  return true;
}

}  // namespace

ControlSocket::ControlSocket(const std::filesystem::path &path, Handlers handlers,
                             std::chrono::milliseconds most_idle)
    : path_(path),
      handlers_(std::move(handlers)),
      most_idle_(most_idle),
      wake_(eventfd(0, EFD_CLOEXEC)) {
  try {
    listen_at(path);
    if (wake_ < 0) throw DescriptionError("\"control\": cannot make an eventfd");
  } catch (...) {
    if (listener_ >= 0) close(listener_);
    if (wake_ >= 0) close(wake_);
    throw;
  }
  thread_ = std::thread([this] { serve(); });
}

ControlSocket::~ControlSocket() {
  const uint64_t one = 1;
  static_cast<void>(!write(wake_, &one, sizeof one));
  thread_.join();
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
  for (const Client &client : clients_) close(client.descriptor);
  close(listener_);
  close(wake_);
}

void ControlSocket::listen_at(const std::filesystem::path &path) {
  const auto fail = [&](const char *what) {
    throw DescriptionError("\"control\": cannot " + std::string(what) + " the socket " +
                           path.string() + ": " + std::strerror(errno));
  };
  const std::filesystem::path folder_path = path.parent_path();
  const int folder = open(folder_path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) fail("find the folder of");
  const sockaddr_un address = address_in(folder, path.filename().string());
  listener_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listener_ < 0) fail("make");
  // Only what is a socket, and nobody listens on, is taken away.
  const auto *generic = reinterpret_cast<const sockaddr *>(&address);
  const int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (std::filesystem::is_socket(path) && connect(probe, generic, sizeof address) != 0) {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }
  close(probe);
  const mode_t before = umask(0177);
  const int bound = bind(listener_, generic, sizeof address);
  umask(before);
  const int error = errno;
  close(folder);
  errno = error;
  if (bound != 0) fail("make");
  if (listen(listener_, static_cast<int>(kMaxClients)) != 0) fail("listen on");
}

void ControlSocket::serve() {
  for (;;) {
    std::vector<pollfd> polled = {{wake_, POLLIN, 0}, {listener_, POLLIN, 0}};
    if (clients_.size() >= kMaxClients) polled[1].events = 0;
    for (const Client &client : clients_) polled.push_back({client.descriptor, POLLIN, 0});
    if (poll(polled.data(), polled.size(), wait_ms()) < 0) continue;
    if (polled[0].revents != 0) return;
    size_t index = 2;
    for (auto client = clients_.begin(); client != clients_.end(); ++index) {
      const bool has_said = polled[index].revents != 0;
      if (has_said ? read_from(*client) : !is_idle(*client)) {
        ++client;
        continue;
      }
      close(client->descriptor);
      client = clients_.erase(client);
    }
    if ((polled[1].revents & POLLIN) != 0) accept_client();
  }
}

// Until the next client has been idle for too long; -1 without clients.
int ControlSocket::wait_ms() const {
  if (clients_.empty()) return -1;
  Clock::time_point first = Clock::time_point::max();
  for (const Client &client : clients_) first = std::min(first, client.since);
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(first + most_idle_ - Clock::now());
  return static_cast<int>(std::max<int64_t>(left.count(), 0));
}

// Only asked when nothing of what it sent is unread: while a snapshot is made, commands wait.
bool ControlSocket::is_idle(const Client &client) const {
  if (Clock::now() < client.since + most_idle_) return false;
  const std::string words = "no command within " + std::to_string(most_idle_.count()) + " ms";
  send_all(client.descriptor, refusal(words).dump() + "\n");
  return true;
}

void ControlSocket::accept_client() {
  const int descriptor = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (descriptor >= 0) clients_.push_back({descriptor, "", Clock::now()});
}

// False when the client is gone or is to be cut off.
bool ControlSocket::read_from(Client &client) {
  char buffer[4096];
  const ssize_t count = recv(client.descriptor, buffer, sizeof buffer, 0);
  if (count < 0) return errno == EINTR || errno == EAGAIN;
  if (count == 0) return false;
  client.received.append(buffer, static_cast<size_t>(count));
  return answer_lines(client);
}

bool ControlSocket::answer_lines(Client &client) {
  for (;;) {
    const size_t end = client.received.find('\n');
    if (end == std::string::npos) break;
    const std::string line = client.received.substr(0, end);
    client.received.erase(0, end + 1);
    if (!send_all(client.descriptor, dump_any(answer(line)) + "\n")) return false;
    client.since = Clock::now();
  }
  if (client.received.size() <= kMaxLineBytes) return true;
  send_all(
      client.descriptor,
      refusal("the line is longer than " + std::to_string(kMaxLineBytes) + " bytes").dump() + "\n");
  return false;
}

nlohmann::json ControlSocket::answer(const std::string &line) {
  try {
    return obey(parse_json(line, kControlLimits));
  } catch (const JsonError &error) {
    return refusal(std::string("the line: ") + error.what());
  } catch (const std::exception &error) {
    return refusal(error.what());
  }
}

nlohmann::json ControlSocket::obey(const nlohmann::json &command) {
  Fields fields(command, "command");
  const std::string name = fields.choice("command", {"status", "snapshot", "stop"});
  if (name == "snapshot") {
    const std::string snapshot = fields.text("name");
    fields.finish();
    return handlers_.snapshot(snapshot);
  }
  fields.finish();
  if (name == "status") return handlers_.status();
  handlers_.stop();
  return {{"ok", true}};
}

}  // namespace firesim
