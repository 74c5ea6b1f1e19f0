// SPDX-License-Identifier: BSD-3-Clause
//
// Mode "tap": a network interface of the host is the gateway's place in the target's network.
//
// With the privileges for it, the interface is made, gets the gateway's MAC and IP address and is
// brought up. Without them it must be there, owned by the user, and set up like that already:
//
//     ip tuntap add dev tap0 mode tap user NAME
//     ip link set tap0 address 00:12:6D:FF:FF:FE up && ip address add 172.16.255.254/16 dev tap0
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "core/fields.h"
#include "gateway/host_side.h"

namespace firesim {

namespace {

constexpr size_t kMaxFrameBytes = 65536;
constexpr int kMostFramesPerLook = 256;

class File {
 public:
  explicit File(int file) : file_(file) {}
  File(const File &) = delete;
  File &operator=(const File &) = delete;
  ~File() {
    if (file_ >= 0) close(file_);
  }
  int get() const { return file_; }

 private:
  const int file_;
};

class TapHost final : public HostSide {
 public:
  TapHost(const GatewayConfig &config, FrameSink to_target);

  void deliver(FrameBytes frame, uint64_t now_ns) override;
  void look(uint64_t now_ns) override;
  // Who is behind the interface cannot be told: the first frame counts as a connection.
  bool is_connected() const override { return frames_from_host_ > 0; }
  bool is_deterministic() const override { return frames_from_host_ == 0; }
  nlohmann::json status() const override;
  nlohmann::json statistics() const override;

 private:
  [[noreturn]] void fail(const std::string &what, const std::string &expected) const;
  ifreq request() const;
  void attach();
  void set_up();
  void set_address(int control);

  const GatewayConfig config_;
  const FrameSink to_target_;
  const File device_;
  std::vector<uint8_t> buffer_;
  uint64_t frames_from_host_ = 0;
  uint64_t refused_by_host_ = 0;
};

TapHost::TapHost(const GatewayConfig &config, FrameSink to_target)
    : config_(config),
      to_target_(std::move(to_target)),
      device_(open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC)),
      buffer_(kMaxFrameBytes) {
  attach();
  set_up();
}

void TapHost::fail(const std::string &what, const std::string &expected) const {
  throw DescriptionError(config_.where + ": device " + config_.device + ": " + what + " (" +
                         std::strerror(errno) + "), expected " + expected);
}

ifreq TapHost::request() const {
  ifreq request{};
  config_.device.copy(request.ifr_name, IFNAMSIZ - 1);
  return request;
}

void TapHost::attach() {
  if (device_.get() < 0) fail("cannot open /dev/net/tun", "access to it; mode \"user\" needs none");
  ifreq ask = request();
  ask.ifr_flags = IFF_TAP | IFF_NO_PI;
  if (ioctl(device_.get(), TUNSETIFF, &ask) != 0) {
    fail("cannot attach to it",
         "a tap interface of the user, or the right to make one; mode \"user\" needs neither");
  }
}

// Gives the interface the gateway's addresses, if it does not have them.
void TapHost::set_up() {
  const File control(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq ask = request();
  if (ioctl(control.get(), SIOCGIFHWADDR, &ask) != 0)
    fail("cannot read its address", "a tap interface");
  if (std::memcmp(ask.ifr_hwaddr.sa_data, &config_.mac, 6) != 0) {
    ask.ifr_hwaddr.sa_family = ARPHRD_ETHER;
    std::memcpy(ask.ifr_hwaddr.sa_data, &config_.mac, 6);
    if (ioctl(control.get(), SIOCSIFHWADDR, &ask) != 0) {
      fail("cannot set its address", "the address " + format_mac(config_.mac));
    }
  }
  ask = request();
  if (ioctl(control.get(), SIOCGIFFLAGS, &ask) != 0)
    fail("cannot read its state", "a tap interface");
  if ((ask.ifr_flags & IFF_UP) == 0) set_address(control.get());
}

void TapHost::set_address(int control) {
  const auto set = [&](unsigned long what, in_addr value) {
    ifreq ask = request();
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr = value;
    std::memcpy(&ask.ifr_addr, &address, sizeof address);
    if (ioctl(control, what, &ask) != 0) fail("cannot set its IP address", "it up, or the right");
  };
  set(SIOCSIFADDR, config_.address);
  set(SIOCSIFNETMASK, config_.netmask);
  ifreq ask = request();
  ask.ifr_flags = IFF_UP | IFF_RUNNING;
  if (ioctl(control, SIOCSIFFLAGS, &ask) != 0) fail("cannot bring it up", "it up, or the right");
}

void TapHost::deliver(FrameBytes frame, uint64_t) {
  if (write(device_.get(), frame.data(), frame.size()) < 0) ++refused_by_host_;
}

void TapHost::look(uint64_t) {
  for (int i = 0; i < kMostFramesPerLook; ++i) {
    const ssize_t bytes = read(device_.get(), buffer_.data(), buffer_.size());
    if (bytes <= 0) return;
    ++frames_from_host_;
    to_target_({buffer_.data(), static_cast<size_t>(bytes)});
  }
}

nlohmann::json TapHost::status() const {
  return {{"version", 1},
          {"mode", "tap"},
          {"device", config_.device},
          {"ip", config_.ip},
          {"mac", format_mac(config_.mac)},
          {"forwards", nlohmann::json::array()}};
}

nlohmann::json TapHost::statistics() const {
  return {{"mode", "tap"},
          {"frames_from_host", frames_from_host_},
          {"refused_by_host", refused_by_host_}};
}

}  // namespace

std::unique_ptr<HostSide> open_tap_host(const GatewayConfig &config, FrameSink to_target) {
  return std::make_unique<TapHost>(config, std::move(to_target));
}

}  // namespace firesim
