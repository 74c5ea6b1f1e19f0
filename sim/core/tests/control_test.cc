// SPDX-License-Identifier: BSD-3-Clause
//
// Clients of the control socket that do nothing, or nothing good.
#include "core/control.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>
#include <vector>

namespace firesim {
namespace {

class ControlTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/firesim-control-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder_ = name;
  }
  void TearDown() override {
    for (const int client : clients_) close(client);
    std::filesystem::remove_all(folder_);
  }

  ControlSocket::Handlers handlers() {
    return {[] {
              return nlohmann::json{{"ok", true}};
            },
            [](const std::string &name) -> nlohmann::json {
              throw std::runtime_error("no snapshot " + name);
            },
            [] {}};
  }

  int connect_client() {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::snprintf(address.sun_path, sizeof address.sun_path, "%s", path().c_str());
    const int client = socket(AF_UNIX, SOCK_STREAM, 0);
    EXPECT_EQ(connect(client, reinterpret_cast<sockaddr *>(&address), sizeof address), 0);
    clients_.push_back(client);
    return client;
  }

  // What a client is told, up to the end of a line or of the connection.
  static std::string read_line(int client) {
    std::string line;
    char byte = 0;
    while (recv(client, &byte, 1, 0) == 1 && byte != '\n') line += byte;
    return line;
  }

  static std::string ask(int client, const std::string &command) {
    const std::string line = command + "\n";
    EXPECT_EQ(send(client, line.data(), line.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(line.size()));
    return read_line(client);
  }

  std::string path() const { return (folder_ / "control").string(); }

  std::filesystem::path folder_;
  std::vector<int> clients_;
};

constexpr char kStatus[] = "{\"command\": \"status\"}";

TEST_F(ControlTest, IdleClientsMakeRoomForOthers) {
  const ControlSocket control(path(), handlers(), std::chrono::milliseconds(200));
  std::vector<int> idle;
  for (int i = 0; i < 16; ++i) idle.push_back(connect_client());
  send(idle[0], "{\"comm", 7, MSG_NOSIGNAL);  // half a command is none
  EXPECT_EQ(ask(connect_client(), kStatus), "{\"ok\":true}");
  for (const int client : idle) {
    EXPECT_EQ(read_line(client), "{\"error\":\"no command within 200 ms\",\"ok\":false}");
    char byte = 0;
    EXPECT_EQ(recv(client, &byte, 1, 0), 0);
  }
}

TEST_F(ControlTest, ABadCommandIsAnsweredAndTheNextOneIsTaken) {
  const ControlSocket control(path(), handlers());
  const int client = connect_client();
  for (const std::string command :
       {"", "x", "[]", "{}", "[[[[[[[[[[1]]]]]]]]]]", "{\"command\": \"snap\"}",
        "{\"command\": \"status\", \"name\": 1}", "{\"command\": \"snapshot\", \"name\": 7}"}) {
    const auto answer = nlohmann::json::parse(ask(client, command));
    EXPECT_EQ(answer.at("ok"), false) << command;
    EXPECT_FALSE(answer.at("error").get<std::string>().empty());
  }
  EXPECT_EQ(ask(client, kStatus), "{\"ok\":true}");
}

}  // namespace
}  // namespace firesim
