// SPDX-License-Identifier: BSD-3-Clause
// Packets of Etherbone as LiteEth's core takes and gives them: one record each, words of 32 bits.
//
// A record writes words at addresses in turn, or reads words at any addresses. (The core of 2024.12
// does not take both in one: it leaves a word of such a record for the next.) The answer to reads
// carries the number that the host has chosen for them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace firesim::hostlib {

using Datagram = std::vector<uint8_t>;

// Of a record, with the number before them; platforms/*/liteeth.yaml has room for it.
inline constexpr size_t kMostEtherboneWords = 120;

// Words from an address on; an answer to reads is one, too, with their number as its address.
struct EtherboneWrites {
  uint32_t address = 0;
  std::vector<uint32_t> words;
};

struct EtherboneReads {
  uint32_t number = 0;
  std::vector<uint32_t> addresses;
};

Datagram etherbone_packet(const EtherboneWrites &writes);
Datagram etherbone_packet(const EtherboneReads &reads);

// What a packet is, nothing when it is no whole one of the kind.
std::optional<EtherboneWrites> etherbone_writes(std::span<const uint8_t> bytes);
std::optional<EtherboneReads> etherbone_reads(std::span<const uint8_t> bytes);

}  // namespace firesim::hostlib
