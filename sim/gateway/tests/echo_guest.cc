// SPDX-License-Identifier: BSD-3-Clause
//
// Just enough of ARP, ICMP and TCP, byte by byte.
#include "echo_guest.h"

#include <algorithm>
#include <cstring>

namespace firesim::testing_guest {

namespace {

constexpr size_t kIp = 14;       // offsets in a frame
constexpr size_t kPayload = 34;  // behind an IP header without options
constexpr uint8_t kFin = 1, kSyn = 2, kPush = 8, kAck = 16;
constexpr uint8_t kIcmp = 1, kTcp = 6;

uint16_t get16(const Bytes &data, size_t at) {
  return static_cast<uint16_t>(data.at(at) << 8 | data.at(at + 1));
}
uint32_t get32(const Bytes &data, size_t at) {
  return static_cast<uint32_t>(get16(data, at)) << 16 | get16(data, at + 2);
}
void put16(Bytes &data, uint32_t value) {
  data.push_back(static_cast<uint8_t>(value >> 8));
  data.push_back(static_cast<uint8_t>(value));
}
void put32(Bytes &data, uint32_t value) {
  put16(data, value >> 16);
  put16(data, value & 0xffff);
}
template <typename Range>
void put(Bytes &data, const Range &range) {
  for (const uint8_t byte : range) data.push_back(byte);
}

uint16_t checksum(const Bytes &data, uint32_t sum = 0) {
  for (size_t i = 0; i < data.size(); ++i) sum += i % 2 == 0 ? data[i] << 8 : data[i];
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<uint16_t>(~sum);
}

}  // namespace

EchoGuest::EchoGuest(GuestConfig config) : Model(config.name), config_(std::move(config)) {}

void EchoGuest::advance(uint64_t start_cycle, uint32_t cycles, std::span<Batch> inputs,
                        std::span<Batch> outputs) {
  // Answers leave in the order of the questions, from the cycle on in which a question was whole.
  uint64_t free_cycle = start_cycle;
  const auto flush = [&](uint64_t cycle) {
    free_cycle = std::max(free_cycle, cycle);
    while (!queue_.empty() && free_cycle < start_cycle + cycles) {
      std::vector<uint64_t> &frame = queue_.front();
      const uint64_t room = start_cycle + cycles - free_cycle;
      const auto flits = static_cast<uint32_t>(std::min<uint64_t>(room, frame.size()));
      outputs[0].append_run(static_cast<uint32_t>(free_cycle - start_cycle), frame.data(), flits,
                            flits == frame.size());
      free_cycle += flits;
      frame.erase(frame.begin(), frame.begin() + flits);
      if (frame.empty()) queue_.erase(queue_.begin());
    }
  };
  flush(start_cycle);
  for (const Run &run : inputs[0].runs()) {
    const auto *bytes = reinterpret_cast<const uint8_t *>(run.data);
    arriving_.insert(arriving_.end(), bytes, bytes + run.length * 8);
    if (!run.last) continue;
    received_.emplace_back(arriving_.begin() + 2, arriving_.end());
    arriving_.clear();
    if (!end()) take(received_.back());
    flush(start_cycle + run.end() - 1);
  }
  while (next_ping_ < config_.ping_cycles.size() &&
         config_.ping_cycles[next_ping_] < start_cycle + cycles) {
    if (gateway_mac_ == std::array<uint8_t, 6>{}) {
      ask_for_gateway();
    } else {
      ping();
    }
    flush(config_.ping_cycles[next_ping_++]);
  }
  if (end()) return;
  const uint64_t last = start_cycle + cycles - 1;
  if (config_.end_after_connection && closed_ && queue_.empty()) set_end({last, 0, false, ""});
  if (config_.end_cycle != 0 && config_.end_cycle <= last) {
    set_end({std::max(config_.end_cycle, start_cycle), 0, false, ""});
  }
}

void EchoGuest::take(const Bytes &frame) {
  const uint16_t type = get16(frame, 12);
  if (type == 0x0806) return take_arp(frame);
  if (type != 0x0800 || !std::equal(config_.ip.begin(), config_.ip.end(), &frame.at(kIp + 16))) {
    return;
  }
  if (frame.at(kIp + 9) == kTcp) take_tcp(frame);
  if (frame.at(kIp + 9) == kIcmp && frame.at(kPayload) == 0) ++echo_replies_;
}

void EchoGuest::take_arp(const Bytes &frame) {
  const bool for_us = std::equal(config_.ip.begin(), config_.ip.end(), &frame.at(38));
  if (!for_us) return;
  if (get16(frame, 20) == 2) {
    std::copy_n(&frame.at(22), 6, gateway_mac_.begin());
    return;
  }
  Bytes reply(frame.begin() + 6, frame.begin() + 12);
  put(reply, config_.mac);
  put(reply, Bytes{0x08, 0x06, 0, 1, 8, 0, 6, 4, 0, 2});
  put(reply, config_.mac);
  put(reply, config_.ip);
  reply.insert(reply.end(), frame.begin() + 22, frame.begin() + 32);
  send_frame(reply);
}

void EchoGuest::ask_for_gateway() {
  Bytes frame(6, 0xff);
  put(frame, config_.mac);
  put(frame, Bytes{0x08, 0x06, 0, 1, 8, 0, 6, 4, 0, 1});
  put(frame, config_.mac);
  put(frame, config_.ip);
  put(frame, Bytes(6, 0));
  put(frame, config_.gateway);
  send_frame(frame);
}

void EchoGuest::ping() {
  Bytes body{8, 0, 0, 0};
  put16(body, 0x1234);
  put16(body, static_cast<uint32_t>(next_ping_));
  for (uint8_t i = 0; i < 48; ++i) body.push_back(i);
  const uint16_t sum = checksum(body);
  body[2] = static_cast<uint8_t>(sum >> 8);
  body[3] = static_cast<uint8_t>(sum);
  send_ip(kIcmp, gateway_mac_.data(), config_.gateway.data(), std::move(body));
}

// SYN is answered with SYN, data with the same data, FIN with FIN.
void EchoGuest::take_tcp(const Bytes &frame) {
  const uint8_t flags = frame.at(kPayload + 13);
  const size_t header = static_cast<size_t>(frame.at(kPayload + 12) >> 4) * 4;
  const size_t ip_bytes = get16(frame, kIp + 2);
  const Bytes data(frame.begin() + static_cast<ptrdiff_t>(kPayload + header),
                   frame.begin() + static_cast<ptrdiff_t>(kIp + ip_bytes));
  uint32_t acknowledge = get32(frame, kPayload + 4) + static_cast<uint32_t>(data.size());
  if ((flags & (kSyn | kFin)) != 0) ++acknowledge;
  if ((flags & (kSyn | kFin)) == 0 && data.empty()) return;
  if ((flags & kSyn) != 0) send_sequence_ = 1000;
  Bytes segment(frame.begin() + kPayload + 2, frame.begin() + kPayload + 4);
  segment.insert(segment.end(), frame.begin() + kPayload, frame.begin() + kPayload + 2);
  put32(segment, send_sequence_);
  put32(segment, acknowledge);
  const uint8_t push = data.empty() ? 0 : kPush;
  put(segment, Bytes{0x50, static_cast<uint8_t>(kAck | push | (flags & (kSyn | kFin)))});
  put(segment, Bytes{0xff, 0xff, 0, 0, 0, 0});
  put(segment, data);
  uint32_t sum = kTcp + static_cast<uint32_t>(segment.size());
  for (size_t i = 0; i < 8; i += 2) sum += get16(frame, kIp + 12 + i);
  const uint16_t check = checksum(segment, sum);
  segment[16] = static_cast<uint8_t>(check >> 8);
  segment[17] = static_cast<uint8_t>(check);
  send_sequence_ += static_cast<uint32_t>(data.size());
  if ((flags & (kSyn | kFin)) != 0) ++send_sequence_;
  if ((flags & kFin) != 0) closed_ = true;
  send_ip(kTcp, &frame[6], &frame[kIp + 12], std::move(segment));
}

void EchoGuest::send_ip(uint8_t protocol, const uint8_t *to_mac, const uint8_t *to_ip,
                        Bytes payload) {
  Bytes header{0x45, 0};
  put16(header, static_cast<uint32_t>(20 + payload.size()));
  put(header, Bytes{0, 0, 0, 0, 64, protocol, 0, 0});
  put(header, config_.ip);
  header.insert(header.end(), to_ip, to_ip + 4);
  const uint16_t sum = checksum(header);
  header[10] = static_cast<uint8_t>(sum >> 8);
  header[11] = static_cast<uint8_t>(sum);
  Bytes frame(to_mac, to_mac + 6);
  put(frame, config_.mac);
  put(frame, Bytes{0x08, 0x00});
  put(frame, header);
  put(frame, payload);
  send_frame(frame);
}

void EchoGuest::send_frame(const Bytes &frame) {
  std::vector<uint64_t> flits((frame.size() + 2 + 7) / 8);
  std::memcpy(reinterpret_cast<uint8_t *>(flits.data()) + 2, frame.data(), frame.size());
  queue_.push_back(std::move(flits));
}

}  // namespace firesim::testing_guest
