// SPDX-License-Identifier: BSD-3-Clause
//
// Mode "user": libslirp speaks TCP with the target and uses ordinary sockets of the host, so that
// no privileges are needed.
//
// libslirp's clock is target time. Its frames carry a MAC address of its own making, which is
// replaced by the gateway's. The sockets are asked for news at most every kAskInterval of wall
// time: a target that idles through many looks in a moment does not need a system call in each.
#include <arpa/inet.h>
#include <poll.h>
#include <slirp/libslirp.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <set>
#include <vector>

#include "core/check.h"
#include "core/fields.h"
#include "gateway/frame_check.h"
#include "gateway/host_side.h"

namespace firesim {

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kAskInterval = std::chrono::microseconds(20);

constexpr size_t kHeaderBytes = 14;
constexpr size_t kSourceAt = 6;
constexpr size_t kArpSenderAt = kHeaderBytes + 8;
constexpr size_t kIpDestinationAt = kHeaderBytes + 16;

uint16_t type_of(FrameBytes frame) {
  return static_cast<uint16_t>(frame[kHeaderBytes - 2] << 8 | frame[kHeaderBytes - 1]);
}

// libslirp keeps its time in a variable of the process.
std::atomic<bool> in_use{false};

struct OnlyOne {
  explicit OnlyOne(const std::string &where) {
    if (in_use.exchange(true)) {
      throw DescriptionError(
          where +
          ": found a second gateway in mode \"user\", expected one, which serves "
          "all nodes");
    }
  }
  ~OnlyOne() { in_use = false; }
};

struct PortPair {
  short host;
  int slirp;
};
constexpr PortPair kEvents[] = {{POLLIN, SLIRP_POLL_IN},
                                {POLLOUT, SLIRP_POLL_OUT},
                                {POLLPRI, SLIRP_POLL_PRI},
                                {POLLERR, SLIRP_POLL_ERR},
                                {POLLHUP, SLIRP_POLL_HUP}};

class SlirpHost final : public HostSide {
 public:
  SlirpHost(const GatewayConfig &config, FrameSink to_target);
  ~SlirpHost() override { slirp_cleanup(slirp_); }

  void deliver(FrameBytes frame, uint64_t now_ns) override;
  void look(uint64_t now_ns) override;
  bool is_connected() const override { return !connections_.empty(); }
  bool is_deterministic() const override { return deterministic_; }
  nlohmann::json status() const override;
  nlohmann::json statistics() const override;

 private:
  Slirp *open_slirp();
  void open_forward(const ForwardConfig &forward);
  void list_sockets();
  void ask_sockets();
  void send(const uint8_t *frame, size_t bytes);
  void note_socket(int socket);

  static SlirpHost &self(void *opaque) { return *static_cast<SlirpHost *>(opaque); }
  static const SlirpCb &callbacks();

  const GatewayConfig config_;
  const OnlyOne only_one_;
  const FrameSink to_target_;
  uint64_t now_ns_ = 0;
  Slirp *slirp_ = nullptr;
  std::vector<pollfd> sockets_;  // those libslirp wants to know about
  Clock::time_point last_asked_;
  std::set<int> listeners_;
  std::set<int> connections_;
  std::vector<uint16_t> ports_;  // of the forwards, those in use
  bool deterministic_ = true;
  uint64_t connections_opened_ = 0;
  uint64_t guest_errors_ = 0;
};

SlirpHost::SlirpHost(const GatewayConfig &config, FrameSink to_target)
    : config_(config), only_one_(config.where), to_target_(std::move(to_target)) {
  slirp_ = open_slirp();
  try {
    for (const ForwardConfig &forward : config_.forwards) open_forward(forward);
  } catch (...) {
    slirp_cleanup(slirp_);
    throw;
  }
}

// IPv4 only: neither timers nor router advertisements are needed.
const SlirpCb &SlirpHost::callbacks() {
  static const SlirpCb table = [] {
    SlirpCb calls{};
    calls.send_packet = [](const void *frame, size_t bytes, void *opaque) -> ssize_t {
      self(opaque).send(static_cast<const uint8_t *>(frame), bytes);
      return static_cast<ssize_t>(bytes);
    };
    calls.guest_error = [](const char *, void *opaque) { ++self(opaque).guest_errors_; };
    calls.clock_get_ns = [](void *opaque) { return static_cast<int64_t>(self(opaque).now_ns_); };
    calls.register_poll_fd = [](int socket, void *opaque) { self(opaque).note_socket(socket); };
    calls.unregister_poll_fd = [](int socket, void *opaque) {
      self(opaque).connections_.erase(socket);
    };
    calls.notify = [](void *) {};  // the next look is never far
    return calls;
  }();
  return table;
}

Slirp *SlirpHost::open_slirp() {
  SlirpConfig slirp{};
  slirp.version = SLIRP_CONFIG_VERSION_MAX;
  slirp.restricted = config_.outgoing ? 0 : 1;
  slirp.in_enabled = true;
  slirp.vnetwork.s_addr = config_.address.s_addr & config_.netmask.s_addr;
  slirp.vnetmask = config_.netmask;
  slirp.vhost = config_.address;
  // The name server is the address below the gateway's; addresses of nodes are given, not leased.
  slirp.vnameserver.s_addr = htonl(ntohl(config_.address.s_addr) - 1);
  slirp.vdhcp_start = slirp.vnameserver;
  slirp.disable_dhcp = true;
  slirp.disable_dns = !config_.outgoing;
  slirp.disable_host_loopback = true;
  Slirp *made = slirp_new(&slirp, &callbacks(), this);
  FIRESIM_CHECK(made != nullptr, "libslirp refused its configuration");
  return made;
}

void SlirpHost::open_forward(const ForwardConfig &forward) {
  if (slirp_add_hostfwd(slirp_, 0, forward.host_address, forward.host_port, forward.guest_address,
                        forward.port) != 0) {
    throw DescriptionError(config_.where + ": forwards: cannot listen on " + forward.host + ":" +
                           std::to_string(forward.host_port) + " for " + forward.ip + ":" +
                           std::to_string(forward.port) + ": " + std::strerror(errno));
  }
  list_sockets();
  for (const pollfd &socket : sockets_) {
    if (!listeners_.insert(socket.fd).second) continue;
    sockaddr_in address{};
    socklen_t length = sizeof address;
    getsockname(socket.fd, reinterpret_cast<sockaddr *>(&address), &length);
    ports_.push_back(ntohs(address.sin_port));
  }
  FIRESIM_CHECK(ports_.size() == listeners_.size(), "a forward is one socket");
}

void SlirpHost::note_socket(int socket) {
  int type = 0;
  socklen_t length = sizeof type;
  getsockopt(socket, SOL_SOCKET, SO_TYPE, &type, &length);
  if (type != SOCK_STREAM) return;
  ++connections_opened_;
  connections_.insert(socket);
}

void SlirpHost::deliver(FrameBytes frame, uint64_t now_ns) {
  now_ns_ = now_ns;
  if (!is_sound(frame)) {
    ++guest_errors_;
    return;
  }
  if (config_.outgoing && type_of(frame) == kTypeIp &&
      std::memcmp(&frame[kIpDestinationAt], &config_.address, 4) != 0) {
    deterministic_ = false;  // the world may answer
  }
  slirp_input(slirp_, frame.data(), static_cast<int>(frame.size()));
}

void SlirpHost::look(uint64_t now_ns) {
  now_ns_ = now_ns;
  list_sockets();
  ask_sockets();
  slirp_pollfds_poll(
      slirp_, 0,
      [](int index, void *opaque) {
        const short found = self(opaque).sockets_.at(static_cast<size_t>(index)).revents;
        int events = 0;
        for (const PortPair &pair : kEvents) events |= (found & pair.host) != 0 ? pair.slirp : 0;
        return events;
      },
      this);
}

void SlirpHost::list_sockets() {
  sockets_.clear();
  uint32_t timeout_ms = 0;
  slirp_pollfds_fill(
      slirp_, &timeout_ms,
      [](int socket, int events, void *opaque) {
        short wanted = 0;
        for (const PortPair &pair : kEvents) {
          // The host reports errors and hang-ups unasked.
          if ((events & pair.slirp) != 0) wanted = static_cast<short>(wanted | pair.host);
        }
        std::vector<pollfd> &sockets = self(opaque).sockets_;
        sockets.push_back({socket, wanted, 0});
        return static_cast<int>(sockets.size() - 1);
      },
      this);
}

void SlirpHost::ask_sockets() {
  const Clock::time_point now = Clock::now();
  if (sockets_.empty() || now - last_asked_ < kAskInterval) return;
  last_asked_ = now;
  if (poll(sockets_.data(), sockets_.size(), 0) > 0) deterministic_ = false;
}

// Called by libslirp with a frame for the target.
void SlirpHost::send(const uint8_t *frame, size_t bytes) {
  FIRESIM_CHECK(bytes >= kHeaderBytes, "libslirp sent a frame without a header");
  std::vector<uint8_t> own(frame, frame + bytes);
  std::memcpy(&own[kSourceAt], &config_.mac, 6);
  if (type_of(own) == kTypeArp && bytes >= kArpSenderAt + 6) {
    std::memcpy(&own[kArpSenderAt], &config_.mac, 6);
  }
  to_target_(own);
}

nlohmann::json SlirpHost::status() const {
  nlohmann::json forwards = nlohmann::json::array();
  for (size_t i = 0; i < config_.forwards.size(); ++i) {
    const ForwardConfig &forward = config_.forwards[i];
    forwards.push_back({{"name", forward.name},
                        {"node", forward.node},
                        {"host", forward.host},
                        {"host_port", ports_[i]},
                        {"ip", forward.ip},
                        {"port", forward.port}});
  }
  return {{"version", 1},
          {"mode", "user"},
          {"ip", config_.ip},
          {"mac", format_mac(config_.mac)},
          {"outgoing", config_.outgoing},
          {"forwards", forwards}};
}

nlohmann::json SlirpHost::statistics() const {
  return {{"mode", "user"},
          {"connections", connections_opened_},
          {"connections_open", connections_.size()},
          {"guest_errors", guest_errors_}};
}

}  // namespace

std::unique_ptr<HostSide> open_slirp_host(const GatewayConfig &config, FrameSink to_target) {
  return std::make_unique<SlirpHost>(config, std::move(to_target));
}

}  // namespace firesim
