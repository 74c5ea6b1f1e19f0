// SPDX-License-Identifier: BSD-3-Clause
//
// Frames that guests send to the gateway: Ethernet, ARP, IPv4, ICMP, UDP and TCP, broken in every
// field. The gateway must stay, and stay within what it may send.
#include <cstring>
#include <memory>

#include "core/batch.h"
#include "gateway/gateway.h"
#include "simulator/hostile/targets.h"

namespace firesim::hostile {

namespace {

using nlohmann::json;

constexpr uint32_t kStepCycles = 4096;
constexpr size_t kPadBytes = 2, kFlitBytes = 8, kMostFlits = 1300;
const std::string kGatewayMac("\x00\x12\x6D\xFF\xFF\xFE", 6),
    kGuestMac("\x00\x12\x6D\x00\x00\x02", 6);
const std::string kBroadcast(6, '\xff');
const std::string kGateway("\xac\x10\xff\xfe", 4), kGuest("\xac\x10\x00\x02", 4);

std::string big(uint64_t value, size_t bytes) {
  std::string text;
  for (size_t i = bytes; i > 0; --i) text += static_cast<char>(value >> (8 * (i - 1)));
  return text;
}

uint16_t internet_sum(const std::string &bytes) {
  uint64_t sum = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    sum += uint64_t{static_cast<uint8_t>(bytes[i])} << (i % 2 == 0 ? 8 : 0);
  }
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<uint16_t>(~sum);
}

std::string ethernet(const std::string &to, uint16_t type, const std::string &payload) {
  return to + kGuestMac + big(type, 2) + payload;
}

std::string ip(uint8_t protocol, const std::string &to, const std::string &payload,
               uint16_t fragment = 0) {
  std::string header = std::string("\x45\x00", 2) + big(20 + payload.size(), 2) + big(7, 2) +
                       big(fragment, 2) + "\x40" + static_cast<char>(protocol) + big(0, 2) +
                       kGuest + to;
  const std::string sum = big(internet_sum(header), 2);
  return ethernet(kGatewayMac, 0x0800, header.replace(10, 2, sum) + payload);
}

// With the checksum over the addresses.
std::string tcp(uint16_t from, uint16_t to, uint8_t flags, const std::string &data) {
  std::string segment = big(from, 2) + big(to, 2) + big(1000, 4) + big(0, 4) + big(0x50, 1) +
                        static_cast<char>(flags) + big(8192, 2) + big(0, 4) + data;
  const std::string pseudo = kGuest + kGateway + big(6, 2) + big(segment.size(), 2);
  return ip(6, kGateway, segment.replace(16, 2, big(internet_sum(pseudo + segment), 2)));
}

std::string udp(uint16_t to, const std::string &address, const std::string &data) {
  return ip(17, address, big(4000, 2) + big(to, 2) + big(8 + data.size(), 2) + big(0, 2) + data);
}

std::string arp(const std::string &asked) {
  return ethernet(kBroadcast, 0x0806,
                  big(1, 2) + big(0x0800, 2) + big(6, 1) + big(4, 1) + big(1, 2) + kGuestMac +
                      kGuest + std::string(6, '\0') + asked);
}

std::string echo(const std::string &data) {
  std::string message = big(8, 1) + big(0, 3) + big(1, 4) + data;
  return ip(1, kGateway, message.replace(2, 2, big(internet_sum(message), 2)));
}

// Frames one after another, each after its length.
std::string listed(const std::vector<std::string> &frames) {
  std::string text;
  for (const std::string &frame : frames) text += big(frame.size(), 2) + frame;
  return text;
}

const std::string kName("\x01x\x00\x00\x01\x00\x01", 7);

std::vector<std::string> good_inputs() {
  const std::string query = big(1, 2) + big(0x0100, 2) + big(1, 2) + big(0, 6) + kName;
  return {
      listed({arp(kGateway), echo("hello")}),
      listed({arp(kGuest), arp(kGateway), tcp(5000, 22, 2, ""), tcp(5000, 22, 16, "data")}),
      listed(
          {udp(53, std::string("\xac\x10\xff\xfd", 4), query), udp(67, kBroadcast.substr(2), "")}),
      listed({udp(69, kGateway, big(1, 2) + std::string("file\0octet\0", 11))}),
      listed({ip(17, kGateway, std::string(64, 'x'), 0x2000), ip(17, kGateway, "tail", 8)}),
      listed({ip(6, std::string("\x7f\x00\x00\x01", 4), std::string(20, '\0')),
              ip(2, std::string("\xe0\x00\x00\x01", 4), std::string(8, '\x11'))}),
      listed({ethernet(kGatewayMac, 0x86dd,
                       std::string("\x60\0\0\0\0\x08\x3a\xff", 8) + std::string(40, 'v'))}),
  };
}

// A gateway that lets nothing out, and its link.
class GatewayBench {
 public:
  explicit GatewayBench(const Bench &bench) : folder_(bench.folder()) {}

  Verdict take(const std::string &input) const {
    return judged([&] {
      SimulationContext context;
      context.results_directory = folder_;
      const std::unique_ptr<Model> gateway = make_gateway(entry(), context);
      uint64_t cycle = 0;
      for (size_t at = 0; at + 2 <= input.size();) {
        const size_t bytes =
            static_cast<uint8_t>(input[at]) * size_t{256} + static_cast<uint8_t>(input[at + 1]);
        send(*gateway, input.substr(at + 2, bytes), cycle);
        at += 2 + bytes;
      }
      for (int i = 0; i < 4; ++i) send(*gateway, "", cycle);
    });
  }

 private:
  static json entry() {
    const json ssh = {
        {"name", "ssh"}, {"node", "g"}, {"host_port", 0}, {"ip", "172.16.0.2"}, {"port", 22}};
    return json::parse(json{
        {"name", "gateway"},
        {"kind", "gateway"},
        {"mode", "user"},
        {"mac", "00:12:6D:FF:FF:FE"},
        {"ip", "172.16.255.254/16"},
        {"forwards", json::array({ssh})},
        {"poll_cycles",
         2000}}.dump());
  }

  static void send(Model &gateway, const std::string &frame, uint64_t &cycle) {
    Batch inputs[1], outputs[1];
    inputs[0].reset(cycle, kStepCycles);
    outputs[0].reset(cycle, kStepCycles);
    const size_t flits =
        std::min((kPadBytes + frame.size() + kFlitBytes - 1) / kFlitBytes, kMostFlits);
    if (!frame.empty()) {
      std::vector<uint64_t> words(flits);
      std::memcpy(reinterpret_cast<char *>(words.data()) + kPadBytes, frame.data(),
                  std::min(frame.size(), flits * kFlitBytes - kPadBytes));
      inputs[0].append_run(0, words.data(), static_cast<uint32_t>(flits), true);
    }
    gateway.advance(cycle, kStepCycles, inputs, outputs);
    cycle += kStepCycles;
  }

  const std::filesystem::path folder_;
};

}  // namespace

Target frames_target(const Bench &bench) {
  const auto gateway = std::make_shared<GatewayBench>(bench);
  return {"frames", good_inputs(),
          [](const std::string &bytes, Random &random) { return mutated_bytes(bytes, random); },
          [gateway](const std::string &input) { return gateway->take(input); }};
}

}  // namespace firesim::hostile
