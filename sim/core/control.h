// SPDX-License-Identifier: BSD-3-Clause
//
// The control socket of a run: a Unix stream socket, one JSON object a line each way
// (docs/reference/interfaces/snapshots.md).
//
// One thread serves a bounded number of clients, one command at a time. Lines are bounded, too: a
// client that sends more without an end of line is told so and cut off, as is one that does not
// take its answer in time, or gives no command for a while: there is room for others then.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <list>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

namespace firesim {

class ControlSocket {
 public:
  // What the commands do, in the socket's thread. An exception's text is the answer's "error".
  struct Handlers {
    std::function<nlohmann::json()> status;
    std::function<nlohmann::json(const std::string &name)> snapshot;
    std::function<void()> stop;
  };

  // Makes the socket, which only the owner may use; one left behind by a process that is gone is
  // replaced. Throws DescriptionError.
  ControlSocket(const std::filesystem::path &path, Handlers handlers,
                std::chrono::milliseconds most_idle = std::chrono::seconds(10));
  // Answers what is being worked on and takes the socket away.
  ~ControlSocket();
  ControlSocket(const ControlSocket &) = delete;
  ControlSocket &operator=(const ControlSocket &) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  struct Client {
    int descriptor = -1;
    std::string received;
    Clock::time_point since;  // when it came, or gave its last command
  };

  void listen_at(const std::filesystem::path &path);
  void serve();
  int wait_ms() const;
  bool is_idle(const Client &client) const;
  void accept_client();
  bool read_from(Client &client);
  bool answer_lines(Client &client);
  nlohmann::json answer(const std::string &line);
  nlohmann::json obey(const nlohmann::json &command);

  const std::filesystem::path path_;
  const Handlers handlers_;
  const std::chrono::milliseconds most_idle_;
  int listener_ = -1;
  int wake_ = -1;  // eventfd: ends the thread
  std::list<Client> clients_;
  std::thread thread_;
};

}  // namespace firesim
