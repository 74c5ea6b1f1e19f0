// SPDX-License-Identifier: BSD-3-Clause
//
// Tap mode in a network namespace of the test's own; skipped where none may be made.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <net/if.h>
#include <netinet/ip_icmp.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "core/scheduler.h"
#include "echo_guest.h"
#include "gateway/gateway.h"

namespace firesim {
namespace {

using nlohmann::json;
using testing_guest::EchoGuest;
using testing_guest::GuestConfig;

json tap_entry() {
  return {{"name", "gateway"},  {"kind", "gateway"},          {"mode", "tap"},
          {"device", "fsgw0"},  {"mac", "00:12:6D:FF:FF:FE"}, {"ip", "172.16.255.254/16"},
          {"poll_cycles", 2000}};
}

void reach_a_guest() {
  SimulationContext context;
  const std::unique_ptr<Model> gateway = make_gateway(json::parse(tap_entry().dump()), context);
  GuestConfig config;
  config.end_after_connection = true;
  EchoGuest guest(config);
  Scheduler scheduler({.threads = 1, .max_cycles = 400'000'000'000});
  scheduler.add_model(guest, true);
  scheduler.add_model(*gateway, true);
  scheduler.connect("guest--gateway", 0, 0, 1, 0, 600);
  std::string answer(5, '\0');
  const int client = socket(AF_INET, SOCK_STREAM, 0);  // of this thread's namespace
  std::thread user([&] {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(7);
    inet_pton(AF_INET, "172.16.0.2", &address.sin_addr);
    EXPECT_EQ(connect(client, reinterpret_cast<sockaddr *>(&address), sizeof address), 0);
    EXPECT_EQ(send(client, "hello", 5, MSG_NOSIGNAL), 5);
    EXPECT_EQ(recv(client, answer.data(), 5, MSG_WAITALL), 5);
    close(client);
  });
  const RunResult result = scheduler.run();
  user.join();
  EXPECT_EQ(result.reason, "ended") << result.message;
  EXPECT_EQ(answer, "hello");
  EXPECT_EQ(gateway->statistics()["deterministic"], false);
}

// A namespace belongs to a thread, so this one ends with its own.
TEST(GatewayTap, TheHostReachesAGuestByItsAddress) {
  bool can_run = false;
  std::thread([&can_run] {
    can_run = unshare(CLONE_NEWNET) == 0 && access("/dev/net/tun", R_OK | W_OK) == 0;
    if (can_run) reach_a_guest();
  }).join();
  if (!can_run) GTEST_SKIP() << "needs the right to make a network namespace, and /dev/net/tun";
}

TEST(GatewayTap, RefusesWhatBelongsToUserMode) {
  json entry = tap_entry();
  entry["outgoing"] = true;
  try {
    make_gateway(entry, SimulationContext{});
    FAIL() << "accepted";
  } catch (const DescriptionError &error) {
    EXPECT_STREQ(error.what(),
                 "node gateway: \"outgoing\" is true, expected false in mode \"tap\", where the "
                 "host's own routes decide");
  }
}

}  // namespace
}  // namespace firesim
