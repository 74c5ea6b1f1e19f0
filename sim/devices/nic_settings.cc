// SPDX-License-Identifier: BSD-3-Clause
// Settings of a NIC and the identity frame; see nic_settings.h.
#include "devices/nic_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "core/fields.h"

namespace firesim::devices {
namespace {

constexpr uint64_t kIdentityType = 0xb588;  // 0x88b5 in wire order
constexpr uint64_t kSource = 0x02;          // 02:00:00:00:00:00, of nobody
constexpr uint64_t kBroadcast = 0xffff'ffff'ffff;
constexpr size_t kHeaderBytes = 16;        // two pad bytes, two addresses, type
constexpr size_t kLeastPayloadBytes = 48;  // that of the shortest Ethernet frame, whole flits
constexpr size_t kSeedDigits = 32;
constexpr size_t kMostCommandBytes = 1000;  // the frame is to fit an MTU of 1,500

// The line of the command that a clone is to run; empty without one.
std::string command_line(Config &config) {
  if (!config.has("run")) return "";
  const std::string command = config.required_text("run");
  const bool plain = std::all_of(command.begin(), command.end(),
                                 [](unsigned char c) { return c >= ' ' && c != '"' && c < 0x7f; });
  if (!plain || command.empty() || command.size() > kMostCommandBytes) {
    config.fail("run", "1 to 1000 printable characters without quotation marks");
  }
  return fmt::format("run=\"{}\"\n", command);
}

std::vector<uint64_t> identity_frame(const nlohmann::json &settings, const std::string &where,
                                     uint64_t mac) {
  Config config(settings, where);
  const std::string seed = config.required_text("seed");
  const bool is_hex = std::all_of(seed.begin(), seed.end(),
                                  [](unsigned char digit) { return std::isxdigit(digit) != 0; });
  if (seed.size() != kSeedDigits || !is_hex) config.fail("seed", "32 hexadecimal digits");
  const std::string text =
      fmt::format("firesim-identity 1\nmac={}\nip={}\nname={}\nindex={}\nnodes={}\nseed={}\n{}",
                  format_mac(mac), config.required_text("ip"), config.required_text("name"),
                  config.required_integer("index", 0, UINT32_MAX),
                  config.required_integer("nodes", 1, UINT32_MAX), seed, command_line(config));
  config.finish();
  const size_t bytes = kHeaderBytes + std::max(text.size(), kLeastPayloadBytes);
  std::vector<uint64_t> flits((bytes + 7) / 8);
  flits[0] = kBroadcast << 16;
  flits[1] = kSource | kIdentityType << 48;
  std::memcpy(flits.data() + 2, text.data(), text.size());
  return flits;
}

}  // namespace

NicSettings::NicSettings(const nlohmann::json &settings, const std::string &where) {
  Config config(settings, where);
  config.integer("port", 0, 0, 0);  // of a lone link
  const auto address = parse_mac(config.required_text("mac"));
  if (!address) config.fail("mac", "six hexadecimal bytes as in 00:12:6D:00:00:02");
  if ((*address & 1) != 0) config.fail("mac", "an address without the multicast bit");
  mac = *address;
  rate_period = static_cast<uint16_t>(config.integer("rate_period", 1, 1, UINT16_MAX));
  rate_increment = static_cast<uint16_t>(config.integer("rate_increment", 1, 1, rate_period));
  if (config.has("announce")) {
    identity_frame =
        devices::identity_frame(config.child("announce"), config.child_where("announce"), mac);
  }
  config.finish();
}

void NicSettings::rate_on_clock(uint32_t edges, uint32_t of) {
  const uint64_t flits = uint64_t{rate_increment} * of, cycles = uint64_t{rate_period} * edges;
  const uint64_t common = std::gcd(flits, cycles);
  uint64_t increment = flits / common, period = cycles / common;
  if (increment >= period) increment = period = 1;
  if (period > UINT16_MAX) {  // a little slower, and no faster unless 16 bits hold nothing slower
    const uint64_t most = std::max<uint64_t>(increment * UINT16_MAX / period, 1);
    period = std::min<uint64_t>((most * period + increment - 1) / increment, UINT16_MAX);
    increment = most;
  }
  rate_increment = static_cast<uint16_t>(increment);
  rate_period = static_cast<uint16_t>(period);
}

void Announcer::announce() {
  for (size_t i = 0; i < frame_.size(); ++i) {
    waiting_.push_back({frame_[i], i + 1 == frame_.size()});
  }
  frame_.clear();
}

const Batch &Announcer::delay(const Batch &input, uint64_t first_cycle) {
  output_.reset(input.start_cycle(), input.cycles());
  FlitCursor cursor(input);
  size_t next = 0;
  for (uint32_t offset = 0; offset < input.cycles(); ++offset) {
    if (!within_packet_ && !frame_.empty() && input.start_cycle() + offset >= first_cycle) {
      announce();
    }
    Flit arrived;
    if (cursor.read(offset, arrived)) {
      if (!discarding_) waiting_.push_back(arrived);
      within_packet_ = !arrived.last;
      discarding_ = discarding_ && !arrived.last;
    }
    if (next == waiting_.size()) continue;
    output_.append_flit(offset, waiting_[next].data, waiting_[next].last);
    ++next;
  }
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<ptrdiff_t>(next));
  return output_;
}

}  // namespace firesim::devices
