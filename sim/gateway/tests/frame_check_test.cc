// SPDX-License-Identifier: BSD-3-Clause
//
// Which frames of guests get as far as libslirp.
#include "gateway/frame_check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <vector>

namespace firesim {
namespace {

using Bytes = std::vector<uint8_t>;

// A frame of these 16-bit words, padded as the shortest frames are.
Bytes words(std::initializer_list<uint16_t> values) {
  Bytes bytes;
  for (const uint16_t value : values) {
    bytes.push_back(static_cast<uint8_t>(value >> 8));
    bytes.push_back(static_cast<uint8_t>(value));
  }
  bytes.resize(std::max<size_t>(bytes.size(), 62));
  return bytes;
}

// libslirp 4.7 reads where nothing is when it puts such fragments together.
TEST(FrameCheck, OnlySoundFramesReachLibslirp) {
  const auto ip = [](uint16_t first, uint16_t bytes, uint16_t fragment, uint16_t protocol,
                     std::initializer_list<uint16_t> content) {
    Bytes frame =
        words({0x0012, 0x6dff, 0xfffe, 0x0012, 0x6d00, 0x0002, 0x0800, first, bytes, 7, fragment,
               static_cast<uint16_t>(0x4000 | protocol), 0, 0xac10, 2, 0xac10, 0xfffe});
    const Bytes tail = words(content);
    std::copy(tail.begin(), tail.begin() + 20, frame.begin() + 34);
    return frame;
  };
  const auto arp = [](uint16_t hardware, uint16_t lengths, uint16_t operation) {
    return words({0xffff, 0xffff, 0xffff, 0x0012, 0x6d00, 0x0002, 0x0806, hardware, 0x0800, lengths,
                  operation});
  };
  const std::initializer_list<uint16_t> tcp = {5000, 22, 0, 1, 0, 0, 0x5002, 8192},
                                        udp = {5000, 53, 8, 0};
  EXPECT_TRUE(is_sound(arp(1, 0x0604, 1)));
  EXPECT_TRUE(is_sound(ip(0x4500, 40, 0x4000, 6, tcp)));
  EXPECT_TRUE(is_sound(ip(0x4500, 28, 0, 17, udp)));
  EXPECT_TRUE(is_sound(ip(0x4500, 28, 0, 1, {0x0800})));
  const Bytes broken[] = {{},
                          Bytes(13),
                          words({0, 0, 0, 0, 0, 0, 0x86dd, 0x6000}),  // IPv6
                          arp(2, 0x0604, 1),
                          arp(1, 0xff04, 1),
                          arp(1, 0x0604, 9),
                          ip(0x6500, 40, 0, 6, tcp),
                          ip(0x4400, 40, 0, 6, tcp),  // a header of 16 bytes
                          ip(0x4f00, 40, 0, 6, tcp),  // beyond its packet
                          ip(0x4500, 19, 0, 6, tcp),
                          ip(0x4500, 9000, 0, 6, tcp),     // beyond its frame
                          ip(0x4500, 40, 0x2000, 6, tcp),  // the first fragment
                          ip(0x4500, 40, 0x0008, 6, tcp),  // another one
                          ip(0x4500, 39, 0, 6, tcp),
                          ip(0x4500, 40, 0, 6, {5000, 22, 0, 1, 0, 0, 0x4002}),
                          ip(0x4500, 40, 0, 6, {5000, 22, 0, 1, 0, 0, 0xf002}),
                          ip(0x4500, 27, 0, 17, udp),
                          ip(0x4500, 28, 0, 17, {5000, 53, 7}),
                          ip(0x4500, 28, 0, 17, {5000, 53, 9}),
                          ip(0x4500, 27, 0, 1, {0x0800}),
                          ip(0x4500, 28, 0, 2, {0x1100})};  // IGMP
  for (const Bytes &frame : broken) EXPECT_FALSE(is_sound(frame)) << frame.size();
}

}  // namespace
}  // namespace firesim
