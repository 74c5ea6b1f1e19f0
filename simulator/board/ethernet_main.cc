// SPDX-License-Identifier: BSD-3-Clause
//
// firesim-ethernet: a board on Ethernet, simulated behind a socket of UDP.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "hostlib/etherbone_packet.h"
#include "simulator/board/board_options.h"
#include "simulator/board/ethernet_board.h"
#include "simulator/board/lossy_link.h"
#include "simulator/board/until_stopped.h"

namespace {

using firesim::Packet;

constexpr const char *kUsage =
    "usage: firesim-ethernet [OPTIONS] MODEL.so DESIGN-HASH BOARD-ADDRESS PORT LOSS-PERCENT SEED\n"
    "  ADDRESS\n"
    "Simulates a board on Ethernet (deploy/firesim/build/ethernet_model.py) whose own address is\n"
    "BOARD-ADDRESS behind a UDP socket at PORT of ADDRESS, such as 127.0.7.1. Each way\n"
    "LOSS-PERCENT of all datagrams are lost, as many come twice, and as many late, by SEED. The\n"
    "first host that asks finds the board as it is after its bitstream was loaded. Runs until\n"
    "SIGINT or SIGTERM.\n";

constexpr const char *kOptionUsage =
    "  --unlock-after=N  the board's clock loses its lock for a moment, after N datagrams\n";

constexpr int kLookMs = 1000;  // between two looks whether to stop
constexpr uint32_t kMostLossPercent = 90;

uint32_t address_of(const char *text) {
  in_addr found{};
  if (inet_pton(AF_INET, text, &found) != 1) {
    throw std::runtime_error(fmt::format("found {}, expected an IPv4 address", text));
  }
  return ntohl(found.s_addr);
}

sockaddr_in place_of(const firesim::Endpoint &end) {
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_port = htons(end.port);
  place.sin_addr.s_addr = htonl(end.address);
  return place;
}

class Socket {
 public:
  explicit Socket(const firesim::Endpoint &near)
      : file_(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    const sockaddr_in place = place_of(near);
    const int yes = 1;
    // Hosts on this computer have the same port, at no address of their own.
    setsockopt(file_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    if (bind(file_, reinterpret_cast<const sockaddr *>(&place), sizeof(place)) != 0) {
      throw std::runtime_error(fmt::format("found no UDP port {} that is free at the address: {}",
                                           near.port, std::strerror(errno)));
    }
  }
  Socket(const Socket &) = delete;
  Socket &operator=(const Socket &) = delete;
  ~Socket() { close(file_); }

  // False when nothing came.
  bool receive(Packet &packet, int most_ms) {
    pollfd waits{file_, POLLIN, 0};
    if (poll(&waits, 1, most_ms) <= 0) return false;
    packet.payload.resize(firesim::kMostPayload);
    sockaddr_in from{};
    socklen_t size = sizeof(from);
    const ssize_t count = recvfrom(file_, packet.payload.data(), packet.payload.size(), 0,
                                   reinterpret_cast<sockaddr *>(&from), &size);
    if (count < 0) return false;
    packet.payload.resize(static_cast<size_t>(count));
    packet.from = {ntohl(from.sin_addr.s_addr), ntohs(from.sin_port)};
    return true;
  }
  // To where the packet says. Whoever is gone does not get it.
  void send(const Packet &packet) {
    const sockaddr_in place = place_of(packet.to);
    sendto(file_, packet.payload.data(), packet.payload.size(), 0,
           reinterpret_cast<const sockaddr *>(&place), sizeof(place));
  }

 private:
  const int file_;
};

// A host that begins reads the identity.
bool is_first(const Packet &packet) {
  const auto reads = firesim::hostlib::etherbone_reads(packet.payload);
  return reads && reads->addresses[0] == 0;
}

void simulate(firesim::EthernetBoard &board, Socket &socket, uint32_t loss_percent, uint64_t seed,
              uint16_t port, const firesim::BoardOptions &options,
              const std::atomic<bool> &stopped) {
  bool is_loaded = false;
  uint64_t datagrams = 0;  // that came
  firesim::LossyLink<Packet> to_board(seed, loss_percent), from_board(seed + 1, loss_percent);
  while (!stopped) {
    Packet packet{};
    if (!socket.receive(packet, kLookMs)) continue;
    if (is_first(packet)) {
      if (options.loaded_once && is_loaded) {
        board.press_reset();
      } else {
        board.power_up();
      }
      is_loaded = true;
      to_board.forget();
      from_board.forget();
    }
    if (++datagrams == options.reset_after) board.press_reset();
    if (datagrams == options.unlock_after) board.lose_lock();
    packet.to = {board.address(), port};
    for (const Packet &arrived : to_board.pass(std::move(packet))) {
      for (Packet &answer : board.pass(arrived)) {
        for (const Packet &comes : from_board.pass(std::move(answer))) socket.send(comes);
      }
    }
  }
}

}  // namespace

int main(int argc, char **argv) {
  firesim::BoardOptions options;
  const bool are_options = firesim::take_options(argc, argv, options, {"--unlock-after"});
  const long port = argc == 8 ? std::atol(argv[4]) : 0, loss = argc == 8 ? std::atol(argv[5]) : 0;
  if (!are_options || port < 1 || port > UINT16_MAX || loss < 0 || loss > kMostLossPercent) {
    std::fputs(kUsage, stderr);
    std::fputs(firesim::kBoardOptionsUsage, stderr);
    std::fputs(kOptionUsage, stderr);
    return firesim::kBadArguments;
  }
  return firesim::until_stopped([&](const std::atomic<bool> &stopped) {
    firesim::EthernetBoard board(argv[1], argv[2], address_of(argv[3]), options.hostile_seed);
    const auto near = static_cast<uint16_t>(port);
    Socket socket({address_of(argv[7]), near});
    fmt::print("{}\n", argv[7]);
    std::fflush(stdout);
    simulate(board, socket, static_cast<uint32_t>(loss), std::strtoull(argv[6], nullptr, 10), near,
             options, stopped);
  });
}
