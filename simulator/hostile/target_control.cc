// SPDX-License-Identifier: BSD-3-Clause
//
// Requests on the control socket: whatever comes, each line has one answer, and the next client is
// served.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <stdexcept>

#include "core/control.h"
#include "simulator/hostile/targets.h"

namespace firesim::hostile {

namespace {

using nlohmann::json;

constexpr char kGood[] = "{\"command\": \"status\"}\n";

class Client {
 public:
  explicit Client(const std::filesystem::path &path) : socket_(socket(AF_UNIX, SOCK_STREAM, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::snprintf(address.sun_path, sizeof address.sun_path, "%s", path.c_str());
    if (connect(socket_, reinterpret_cast<sockaddr *>(&address), sizeof address) != 0) {
      close(socket_);
      throw std::runtime_error("cannot connect to the control socket");
    }
  }
  ~Client() { close(socket_); }
  Client(const Client &) = delete;
  Client &operator=(const Client &) = delete;

  // Sends everything and returns all that is answered.
  std::string exchange(const std::string &text) const {
    // The server may cut us off in the middle, which is right for a line that is too long.
    while (send(socket_, text.data(), text.size(), MSG_NOSIGNAL) < 0 && errno == EINTR) {
    }
    shutdown(socket_, SHUT_WR);
    std::string answer;
    char buffer[4096];
    for (;;) {
      const ssize_t count = recv(socket_, buffer, sizeof buffer, 0);
      if (count < 0 && errno == EINTR) continue;  // libFuzzer's clock, every 31 s
      if (count <= 0) return answer;
      answer.append(buffer, static_cast<size_t>(count));
    }
  }

 private:
  const int socket_;
};

class ControlBench {
 public:
  explicit ControlBench(const Bench &bench)
      : path_(bench.folder() / "control"),
        control_(path_, {[] {
                           return json{{"ok", true}};
                         },
                         [](const std::string &name) -> json {
                           throw std::runtime_error("no snapshot " + name);
                         },
                         [] {}}) {}

  Verdict take(const std::string &input) const {
    Verdict verdict;
    verdict.defect = defect_in(input);
    if (verdict.defect.empty() && Client(path_).exchange(kGood) != "{\"ok\":true}\n") {
      verdict.defect = "the next client is not served";
    }
    verdict.accepted = verdict.said.empty();
    return verdict;
  }

 private:
  std::string defect_in(const std::string &input) const {
    const std::string answers = Client(path_).exchange(input);
    const auto lines = std::count(input.begin(), input.end(), '\n');
    const auto answered = std::count(answers.begin(), answers.end(), '\n');
    if (answered > lines + 1) return "more answers than lines";
    for (size_t at = 0; at < answers.size();) {
      const size_t end = answers.find('\n', at);
      if (end == std::string::npos) return "an answer without its end";
      const json answer = json::parse(answers.substr(at, end - at), nullptr, false);
      if (!answer.is_object() || !answer.contains("ok")) return "an answer that is none";
      at = end + 1;
    }
    return "";
  }

  const std::filesystem::path path_;
  const ControlSocket control_;
};

}  // namespace

Target control_target(const Bench &bench) {
  const auto control = std::make_shared<ControlBench>(bench);
  return {"control",
          {kGood, "{\"command\": \"snapshot\", \"name\": \"booted\"}\n",
           std::string(kGood) + "{\"command\": \"stop\"}\n" + kGood},
          [](const std::string &text, Random &random) {
            return random() % 2 == 0 ? mutated_bytes(text, random)
                                     : mutated_json(text, random) + "\n";
          },
          [control](const std::string &input) { return control->take(input); }};
}

}  // namespace firesim::hostile
