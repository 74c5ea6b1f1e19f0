// SPDX-License-Identifier: BSD-3-Clause
// Packets on the wire: a golden one, worked out elsewhere, byte for byte; what is built is
// taken apart again; what has changed on the way is found.
#include "parts/rdma/functional/packet.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "core/tests/random_seed.h"
#include "parts/rdma/functional/opcodes.h"

namespace firesim::functional::rdma {
namespace {

// The seven words of the mailbox, as far as packets need them.
QpConfig config(uint64_t mac, uint16_t port, uint32_t ip, uint32_t peer, uint16_t partition) {
  QpConfig made;
  made.words = {1 | uint64_t{partition} << 48, mac | uint64_t{port} << 48,
                ip | uint64_t{peer} << 32};
  return made;
}

std::string hex_of(const std::vector<uint64_t> &frame, size_t bytes) {
  std::string text;
  const auto *data = reinterpret_cast<const uint8_t *>(frame.data()) + 2;  // behind the pad
  char digits[3];
  for (size_t i = 0; i < bytes; ++i) {
    std::snprintf(digits, sizeof digits, "%02x", data[i]);
    text += digits;
  }
  return text;
}

TEST(RdmaPacket, TheGoldenReadIsBuiltByteForByte) {
  const QpConfig peer = config(0x6050'4030'2010, 17185, 0x0a0a'0000, 2, 4660);
  const Address own{0xf0e0'd0c0'b0a0, 0x0a14'0000};
  TxPacket read;
  read.opcode = kReadRequest;
  read.psn = 10;
  read.ack_request = true;
  read.extension = {0, 0x200, 22, 64};
  EXPECT_EQ(hex_of(build(read, peer, own, {}, {}), 74),
            "102030405060a0b0c0d0e0f00800"
            "4500003c00004000401126940a1400000a0a0000"
            "432112b700280000"
            "0c00123400000002"
            "8000000a"
            "00000000000002000000001600000040"
            "7b43fc04");
}

struct Random {
  uint64_t seed = random_seed();
  std::mt19937_64 engine{seed};
  uint64_t operator()(uint64_t below) { return engine() % below; }
};

constexpr uint8_t kOpcodes[] = {0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09,
                                0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f, 0x10, 0x11, 0x16, 0x17};

struct Built {
  TxPacket packet;
  QpConfig to;
  Address from;
  std::vector<uint8_t> payload;
  std::vector<uint64_t> frame;
};

Built random_packet(Random &random) {
  Built made;
  made.to = config(random(uint64_t{1} << 48), random(65536), random(uint64_t{1} << 32),
                   random(kQps), random(65536));
  made.from = {random(uint64_t{1} << 48), static_cast<uint32_t>(random(uint64_t{1} << 32))};
  made.packet.opcode = kOpcodes[random(std::size(kOpcodes))];
  made.packet.psn = random(1 << 24);
  made.packet.ack_request = random(2) != 0;
  made.packet.solicited = random(2) != 0;
  for (uint32_t &word : made.packet.extension) word = random(uint64_t{1} << 32);
  made.payload.resize(random(3) == 0 ? random(4097) : random(9));
  for (uint8_t &byte : made.payload) byte = random(256);
  made.packet.bytes = made.payload.size();
  made.frame = build(made.packet, made.to, made.from, {}, made.payload);
  return made;
}

TEST(RdmaPacket, WhatIsBuiltIsTakenApart) {
  Random random;
  SCOPED_TRACE("seed " + std::to_string(random.seed));
  for (int i = 0; i < 300; ++i) {
    const Built made = random_packet(random);
    const Address own{made.to.mac(), made.to.ip()};
    ASSERT_TRUE(is_ours(made.frame, own));
    EXPECT_EQ(made.frame.size(), (made.packet.frame_bytes() + 2 + 7) / 8);
    const RxPacket found = parse(made.frame, false);
    ASSERT_EQ(found.fault, RxPacket::Fault::kNone);
    EXPECT_EQ(found.opcode, made.packet.opcode);
    EXPECT_EQ(found.psn, made.packet.psn);
    EXPECT_EQ(found.qp, made.to.peer());
    EXPECT_EQ(found.partition, made.to.partition());
    EXPECT_EQ(found.source_ip, made.from.ip);
    EXPECT_EQ(found.ack_request, made.packet.ack_request);
    EXPECT_EQ(found.solicited, made.packet.solicited);
    for (uint32_t word = 0; word < extension_words(found.opcode); ++word) {
      EXPECT_EQ(found.extension[word], made.packet.extension[word]);
    }
    ASSERT_EQ(std::vector<uint8_t>(found.payload.begin(), found.payload.end()), made.payload);
  }
}

TEST(RdmaPacket, ABitThatHasChangedIsFound) {
  Random random;
  SCOPED_TRACE("seed " + std::to_string(random.seed));
  for (int i = 0; i < 2'000; ++i) {
    Built made = random_packet(random);
    // From the IP header's lengths to the ICRC, but for what routers may change.
    const uint64_t bytes = made.packet.frame_bytes() - 16;
    const uint64_t at = 16 + 2 + random(bytes - 2);
    constexpr uint64_t kLifetime = 24, kUdpChecksum = 42, kReserved = 48;
    if (at == kLifetime || at == kUdpChecksum || at == kUdpChecksum + 1 || at == kReserved)
      continue;
    reinterpret_cast<uint8_t *>(made.frame.data())[at] ^= 1 << random(8);
    EXPECT_NE(parse(made.frame, false).fault, RxPacket::Fault::kNone) << "byte " << at;
  }
}

TEST(RdmaPacket, ShortOnesAndOthersAreNotOurs) {
  Random random;
  SCOPED_TRACE("seed " + std::to_string(random.seed));
  const Built made = random_packet(random);
  const Address own{made.to.mac(), made.to.ip()};
  for (size_t flits = 0; flits < made.frame.size(); ++flits) {
    const std::span<const uint64_t> part(made.frame.data(), flits);
    EXPECT_EQ(is_ours(part, own), flits >= 5);
    EXPECT_NE(parse(part, false).fault, RxPacket::Fault::kNone);
  }
  EXPECT_FALSE(is_ours(made.frame, {own.mac ^ 1, own.ip}));
  EXPECT_FALSE(is_ours(made.frame, {own.mac, own.ip ^ 1}));
  std::vector<uint64_t> other = made.frame;
  other[4] ^= uint64_t{1} << 48;  // another port
  EXPECT_FALSE(is_ours(other, own));
}

}  // namespace
}  // namespace firesim::functional::rdma
