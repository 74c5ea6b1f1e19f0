// SPDX-License-Identifier: BSD-3-Clause
//
// The gateway in user mode, with guests of the test's own. What depends on the target alone is
// compared by token hash; what comes from outside, by its bytes.
#include "gateway/gateway.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "core/scheduler.h"
#include "echo_guest.h"

namespace firesim {
namespace {

using nlohmann::json;
using testing_guest::Bytes;
using testing_guest::EchoGuest;
using testing_guest::GuestConfig;

class Folder {
 public:
  Folder()
      : path_(std::filesystem::temp_directory_path() /
              ("firesim-gateway-" + std::to_string(getpid()) + "-" +
               testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  const std::filesystem::path &path() const { return path_; }

 private:
  std::filesystem::path path_;
};

json entry(json forwards = json::array(), json more = json::object()) {
  json made = {
      {"name", "gateway"},          {"kind", "gateway"},         {"mode", "user"},
      {"mac", "00:12:6D:FF:FF:FE"}, {"ip", "172.16.255.254/16"}, {"forwards", std::move(forwards)},
      {"status", "gateway.json"},   {"poll_cycles", 2000}};
  made.update(more);
  return made;
}

json ssh_forward(uint16_t host_port = 0) {
  return {{"name", "ssh"},
          {"node", "guest"},
          {"host_port", host_port},
          {"ip", "172.16.0.2"},
          {"port", 22}};
}

std::unique_ptr<Model> make(const json &description, const Folder &folder) {
  SimulationContext context;
  context.results_directory = folder.path();
  return make_gateway(json::parse(description.dump()), context);  // numbers as in a file
}

std::string refusal(const json &description) {
  const Folder folder;
  try {
    make(description, folder);
  } catch (const DescriptionError &error) {
    return error.what();
  }
  return "accepted";
}

// The guest on one link with the gateway, which need not know what lies between them.
struct Network {
  Network(const GuestConfig &guest_config, const json &description, const Folder &folder,
          const SchedulerOptions &options)
      : guest(guest_config), gateway(make(description, folder)), scheduler(options) {
    scheduler.add_model(guest, true);
    scheduler.add_model(*gateway, true);
    scheduler.connect("guest--gateway", 0, 0, 1, 0, 1200);
  }
  EchoGuest guest;
  std::unique_ptr<Model> gateway;
  Scheduler scheduler;
};

uint16_t port_in_use(const Folder &folder) {
  std::ifstream file(folder.path() / "gateway.json");
  return json::parse(file)["forwards"][0]["host_port"].get<uint16_t>();
}

// The listening addresses of this process's port, as in /proc/net/tcp.
std::vector<std::string> listening_on(uint16_t port) {
  std::ifstream table("/proc/net/tcp");
  char wanted[8];
  std::snprintf(wanted, sizeof wanted, ":%04X", port);
  std::vector<std::string> found;
  std::string line;
  while (std::getline(table, line)) {
    std::istringstream words(line);
    std::string slot, local, remote, state;
    words >> slot >> local >> remote >> state;
    if (state == "0A" && local.ends_with(wanted)) found.push_back(local);
  }
  return found;
}

class Client {
 public:
  explicit Client(uint16_t port) : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = connect(socket_, reinterpret_cast<sockaddr *>(&address), sizeof address) == 0;
  }
  ~Client() { close(socket_); }
  bool connected() const { return connected_; }
  void send_all(const std::string &text) {
    size_t done = 0;
    while (done < text.size()) {
      const ssize_t sent = send(socket_, text.data() + done, text.size() - done, MSG_NOSIGNAL);
      if (sent <= 0) return;
      done += static_cast<size_t>(sent);
    }
  }
  std::string receive(size_t bytes) {
    std::string text(bytes, '\0');
    const ssize_t got = recv(socket_, text.data(), bytes, MSG_WAITALL);
    text.resize(got > 0 ? static_cast<size_t>(got) : 0);
    return text;
  }

 private:
  int socket_;
  bool connected_ = false;
};

TEST(Gateway, AnswersArpAndPingTheSameForAnyCutOfTime) {
  GuestConfig guest;
  guest.ping_cycles = {1000, 20000, 20500, 30000};  // the first one asks for the address
  guest.end_cycle = 60000;
  uint64_t expected = 0;
  std::vector<SchedulerOptions> all{{.threads = 1}, {.threads = 2}, {.batch_cycles = 7}};
  for (const uint64_t seed : {1, 2, 3}) all.push_back({.threads = 2, .random_batch_seed = seed});
  for (const SchedulerOptions &options : all) {
    const Folder folder;
    Network network(guest, entry(json::array({ssh_forward()})), folder, options);
    const RunResult result = network.scheduler.run();
    ASSERT_EQ(result.reason, "ended") << result.message;
    ASSERT_EQ(result.end_cycle, 61200u);
    EXPECT_EQ(network.guest.gateway_mac(), (std::array<uint8_t, 6>{0, 0x12, 0x6d, 255, 255, 254}));
    EXPECT_EQ(network.guest.echo_replies(), 3u);
    EXPECT_EQ(network.gateway->statistics()["deterministic"], true);
    if (expected == 0) expected = result.token_hash;
    EXPECT_EQ(result.token_hash, expected);
  }
}

TEST(Gateway, PassesAConnectionToTheGuestAndSaysSo) {
  const Folder folder;
  GuestConfig guest;
  guest.end_after_connection = true;
  Network network(guest, entry(json::array({ssh_forward()})), folder,
                  {.threads = 2, .max_cycles = 400'000'000'000});
  const uint16_t port = port_in_use(folder);
  EXPECT_EQ(listening_on(port), std::vector<std::string>{[port] {
              char text[16];
              std::snprintf(text, sizeof text, "0100007F:%04X", port);
              return std::string(text);
            }()});
  std::string text(200'000, '\0');
  for (size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>(i * 7 + i / 251);
  std::string answer;
  std::thread user([&] {
    Client client(port);
    std::thread sender([&] { client.send_all(text); });
    answer = client.receive(text.size());
    sender.join();
  });
  const RunResult result = network.scheduler.run();
  user.join();
  EXPECT_EQ(result.reason, "ended") << result.message;
  EXPECT_TRUE(answer == text) << answer.size() << " bytes came back";
  const json facts = network.gateway->statistics();
  EXPECT_EQ(facts["deterministic"], false);
  EXPECT_EQ(facts["connections"], 1);
  EXPECT_EQ(facts["dropped_to_target"], 0);
}

TEST(Gateway, TheFirstFrameOfAConnectionIsASynFromTheGatewaysAddress) {
  const Folder folder;
  GuestConfig guest;
  guest.end_after_connection = true;
  Network network(guest, entry(json::array({ssh_forward()})), folder,
                  {.threads = 1, .max_cycles = 400'000'000'000});
  std::thread user([port = port_in_use(folder)] { Client client(port); });
  const RunResult result = network.scheduler.run();
  user.join();
  ASSERT_EQ(result.reason, "ended") << result.message;
  const std::vector<Bytes> &frames = network.guest.received();
  ASSERT_GE(frames.size(), 2u);
  const Bytes gateway_mac{0, 0x12, 0x6d, 255, 255, 254};
  EXPECT_EQ(Bytes(&frames[0][0], &frames[0][6]), Bytes(6, 255));  // who has 172.16.0.2?
  EXPECT_EQ(Bytes(&frames[0][6], &frames[0][12]), gateway_mac);
  EXPECT_EQ(Bytes(&frames[0][22], &frames[0][28]), gateway_mac);
  const Bytes &syn = frames[1];
  EXPECT_EQ(Bytes(&syn[0], &syn[6]), (Bytes{0, 0x12, 0x6d, 0, 0, 2}));
  EXPECT_EQ(Bytes(&syn[6], &syn[12]), gateway_mac);
  EXPECT_EQ(Bytes(&syn[26], &syn[34]), (Bytes{172, 16, 255, 254, 172, 16, 0, 2}));
  EXPECT_EQ(Bytes(&syn[36], &syn[38]), (Bytes{0, 22}));
  EXPECT_EQ(syn[47], 2);
}

TEST(Gateway, HoldsTargetTimeBackWhileSomebodyIsConnected) {
  const Folder folder;
  GuestConfig guest;
  Network network(guest, entry(json::array({ssh_forward()}), {{"real_time_ratio", 0.0001}}), folder,
                  {.threads = 2});
  const uint16_t port = port_in_use(folder);
  std::thread user([&] {
    Client client(port);
    client.send_all("x");
    EXPECT_EQ(client.receive(1), "x");
    network.scheduler.request_stop();
  });
  const RunResult result = network.scheduler.run();
  user.join();
  EXPECT_EQ(result.reason, "interrupted") << result.message;
  // There and back takes the link of 1,200 cycles twice, that is, 7 ms of wall time at this ratio.
  EXPECT_GT(network.gateway->statistics()["throttled_s"].get<double>(), 0.0);
}

// Frames half way through the queues go on; a frame cut in two by the snapshot arrives whole.
TEST(Gateway, KeepsTheFramesOnTheirWayInASnapshot) {
  const Folder folder;
  auto before = make(entry(), folder);
  std::vector<uint64_t> ask(6);
  const Bytes arp{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0x12, 0x6d, 0,    0,    2,  8,   6,
                  0,    1,    8,    0,    6,    4,    0, 1,    0,    0x12, 0x6d, 0,  0,   2,
                  172,  16,   0,    2,    0,    0,    0, 0,    0,    0,    172,  16, 255, 254};
  std::memcpy(reinterpret_cast<uint8_t *>(ask.data()) + 2, arp.data(), arp.size());
  // Two questions: at cycle 20 the first answer is being sent and the second question is half
  // there.
  const auto cut = [&](Model &model, uint64_t start, uint32_t cycles) {
    Batch input(start, cycles);
    Batch output(start, cycles);
    for (uint64_t at : {4, 17}) {
      for (uint64_t i = 0; i < ask.size(); ++i) {
        if (at + i < start || at + i >= start + cycles) continue;
        input.append_flit(static_cast<uint32_t>(at + i - start), ask[i], i + 1 == ask.size());
      }
    }
    model.advance(start, cycles, {&input, 1}, {&output, 1});
    return output.dense();
  };
  const std::vector<Token> whole = cut(*before, 0, 100);
  EXPECT_EQ(std::count_if(whole.begin(), whole.end(), [](const Token &t) { return t.valid; }), 18);
  before.reset();
  for (const uint32_t at : {1, 9, 11, 20, 25}) {
    auto first = make(entry(), folder);
    std::vector<Token> tokens = cut(*first, 0, at);
    StateWriter writer;
    first->save(writer);
    first.reset();
    auto second = make(entry(), folder);
    StateReader reader("test", writer);
    second->load(reader, at);
    reader.finish();
    const std::vector<Token> rest = cut(*second, at, 100 - at);
    tokens.insert(tokens.end(), rest.begin(), rest.end());
    EXPECT_EQ(tokens, whole) << at;
  }
}

TEST(Gateway, KeepsAnUnreachableNodesClientWaitingNotTheRun) {
  const Folder folder;
  GuestConfig guest;
  guest.ip = {172, 16, 0, 9};  // nobody has the forward's address
  guest.end_cycle = 3'200'000;
  Network network(guest, entry(json::array({ssh_forward()})), folder, {.threads = 2});
  Client client(port_in_use(folder));
  EXPECT_TRUE(client.connected());
  const RunResult result = network.scheduler.run();
  EXPECT_EQ(result.reason, "ended") << result.message;
  EXPECT_EQ(network.gateway->statistics()["deterministic"], false);
}

TEST(Gateway, NeedsNoPrivileges) {
  const Folder folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms::all);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    constexpr uid_t kNobody = 65534;
    if (getuid() == 0 && (setgid(kNobody) != 0 || setuid(kNobody) != 0)) _exit(2);
    GuestConfig guest;
    guest.ping_cycles = {1000, 20000};
    guest.end_cycle = 60000;
    Network network(guest, entry(json::array({ssh_forward()})), folder, {.threads = 1});
    network.scheduler.run();
    _exit(getuid() != 0 && network.guest.echo_replies() == 1 && port_in_use(folder) != 0 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST(Gateway, RefusesAPortInUse) {
  const Folder folder;
  auto first = make(entry(json::array({ssh_forward()})), folder);
  const uint16_t port = port_in_use(folder);
  EXPECT_EQ(refusal(entry()),
            "node gateway: found a second gateway in mode \"user\", expected one, which serves all "
            "nodes");
  const int taken = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  ASSERT_EQ(bind(taken, reinterpret_cast<sockaddr *>(&address), length), 0);
  ASSERT_EQ(listen(taken, 1), 0);
  ASSERT_EQ(getsockname(taken, reinterpret_cast<sockaddr *>(&address), &length), 0);
  EXPECT_NE(ntohs(address.sin_port), port);
  const std::string number = std::to_string(ntohs(address.sin_port));
  first.reset();
  EXPECT_EQ(refusal(entry(json::array({ssh_forward(ntohs(address.sin_port))}))),
            "node gateway: forwards: cannot listen on 127.0.0.1:" + number +
                " for 172.16.0.2:22: Address already in use");
  close(taken);
  EXPECT_EQ(refusal(entry(json::array({ssh_forward()}))), "accepted");  // nothing was left open
}

TEST(Gateway, RefusesMistakesInItsEntry) {
  EXPECT_EQ(
      refusal(entry(json::array(), {{"ip", "172.16.255.254"}})),
      "node gateway: \"ip\" is \"172.16.255.254\", expected an address with the length of its "
      "network, as 172.16.255.254/16");
  EXPECT_EQ(refusal(entry(json::array(), {{"mode", "bridge"}})),
            "node gateway: \"mode\" is \"bridge\", expected one of \"user\", \"tap\"");
  EXPECT_EQ(refusal(entry(json::array(), {{"device", "tap0"}})),
            "node gateway: \"device\" is \"tap0\", expected none in mode \"user\"; it belongs to "
            "mode \"tap\"");
  EXPECT_EQ(refusal(entry(json::array(), {{"pol_cycles", 1}})),
            "node gateway: unknown key \"pol_cycles\" (did you mean \"poll_cycles\"?)");
  json forward = ssh_forward();
  forward["ip"] = "10.0.0.1";
  EXPECT_EQ(refusal(entry(json::array({forward}))),
            "node gateway: forwards[0]: \"ip\" is \"10.0.0.1\", expected the address of a node in "
            "the gateway's network");
  EXPECT_EQ(refusal(entry(json::array(), {{"real_time_ratio", 1e-9}})),
            "node gateway: \"real_time_ratio\" is 1e-09, expected 0, or at least 0.000051 at this "
            "clock");
}

}  // namespace
}  // namespace firesim
