// SPDX-License-Identifier: BSD-3-Clause
// The invariant CRC of RoCEv2: CRC-32 of Ethernet over what no router changes, eight bytes a step.
#pragma once

#include <array>
#include <cstdint>

namespace firesim::functional::rdma {

class Icrc {
 public:
  // At the first byte of the IP header: eight bytes of ones stand before it.
  Icrc() { add64(~uint64_t{0}); }

  // Flit 2 to 6 of a frame, whose changing fields count as ones.
  void add_header(uint32_t flit, uint64_t data) { add64(data | variant(flit)); }
  // Eight bytes, or four, the first one lowest.
  void add64(uint64_t data) {
    const uint64_t sum = data ^ register_;
    register_ = 0;
    for (uint32_t i = 0; i < 8; ++i) register_ ^= kTables[7 - i][sum >> (8 * i) & 0xff];
  }
  void add32(uint32_t data) {
    const uint32_t sum = data ^ register_;
    register_ = 0;
    for (uint32_t i = 0; i < 4; ++i) register_ ^= kTables[3 - i][sum >> (8 * i) & 0xff];
  }

  // As it is on the wire, its first byte lowest.
  uint32_t value() const { return ~register_; }

 private:
  using Table = std::array<uint32_t, 256>;

  // Type of service, lifetime, checksums and the reserved byte of the BTH.
  static constexpr uint64_t variant(uint32_t flit) {
    constexpr uint64_t kOnes[] = {0xff00, 0xffff'00ff, 0, 0xffff'0000, 0xff};
    return kOnes[flit - 2];
  }

  // Table n: the register after a byte and n bytes of zeros behind it.
  static constexpr std::array<Table, 8> tables() {
    std::array<Table, 8> made{};
    for (uint32_t byte = 0; byte < 256; ++byte) {
      uint32_t value = byte;
      for (int bit = 0; bit < 8; ++bit) value = value >> 1 ^ ((value & 1) != 0 ? 0xedb8'8320 : 0);
      made[0][byte] = value;
    }
    for (uint32_t n = 1; n < 8; ++n) {
      for (uint32_t byte = 0; byte < 256; ++byte) {
        const uint32_t before = made[n - 1][byte];
        made[n][byte] = before >> 8 ^ made[0][before & 0xff];
      }
    }
    return made;
  }

  static const std::array<Table, 8> kTables;

  uint32_t register_ = ~uint32_t{0};
};

inline constexpr std::array<Icrc::Table, 8> Icrc::kTables = Icrc::tables();

}  // namespace firesim::functional::rdma
