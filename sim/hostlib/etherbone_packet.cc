// SPDX-License-Identifier: BSD-3-Clause
// Bytes of packets, the highest of a number first; see etherbone_packet.h.
#include "hostlib/etherbone_packet.h"

#include <algorithm>
#include <array>

#include "core/check.h"

namespace firesim::hostlib {
namespace {

// Magic, version 1, addresses and words of 32 bits, and four bytes of nothing.
constexpr std::array<uint8_t, 8> kHeader{0x4e, 0x6f, 0x10, 0x44, 0, 0, 0, 0};
constexpr uint8_t kNoFlags = 0, kAllBytes = 0xf;
constexpr size_t kWordBytes = 4, kVersionAt = 2, kSizesAt = 3;

void put(Datagram &bytes, uint32_t word) {
  for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(static_cast<uint8_t>(word >> shift));
}

Datagram packet(size_t writes, size_t reads, uint32_t first, const std::vector<uint32_t> &words) {
  FIRESIM_CHECK(writes + reads + 1 <= kMostEtherboneWords, "a record has room on the board");
  Datagram bytes(kHeader.begin(), kHeader.end());
  for (const uint8_t byte :
       {kNoFlags, kAllBytes, static_cast<uint8_t>(writes), static_cast<uint8_t>(reads)}) {
    bytes.push_back(byte);
  }
  put(bytes, first);
  for (const uint32_t word : words) put(bytes, word);
  return bytes;
}

// The words behind a record's counts; nothing if it has writes and reads, neither, or not as many
// words as the count says.
struct Record {
  bool writes;
  uint32_t first;
  std::vector<uint32_t> words;
};

std::optional<Record> record_of(std::span<const uint8_t> bytes) {
  constexpr size_t kFirst = kHeader.size() + kWordBytes;
  if (bytes.size() < kFirst || bytes.size() % kWordBytes != 0) return std::nullopt;
  // The lower half of the version's byte are flags, the last four bytes of the header anything.
  if (!std::equal(kHeader.begin(), kHeader.begin() + kVersionAt, bytes.begin()) ||
      bytes[kVersionAt] >> 4 != 1 || bytes[kSizesAt] != kHeader[kSizesAt]) {
    return std::nullopt;
  }
  const size_t writes = bytes[kFirst - 2], reads = bytes[kFirst - 1];
  std::vector<uint32_t> words;
  for (size_t at = kFirst; at < bytes.size(); at += kWordBytes) {
    words.push_back(uint32_t{bytes[at]} << 24 | uint32_t{bytes[at + 1]} << 16 |
                    uint32_t{bytes[at + 2]} << 8 | bytes[at + 3]);
  }
  if ((writes == 0) == (reads == 0) || words.size() != writes + reads + 1) return std::nullopt;
  return Record{writes != 0, words[0], {words.begin() + 1, words.end()}};
}

}  // namespace

Datagram etherbone_packet(const EtherboneWrites &writes) {
  return packet(writes.words.size(), 0, writes.address, writes.words);
}

Datagram etherbone_packet(const EtherboneReads &reads) {
  return packet(0, reads.addresses.size(), reads.number, reads.addresses);
}

std::optional<EtherboneWrites> etherbone_writes(std::span<const uint8_t> bytes) {
  auto record = record_of(bytes);
  if (!record || !record->writes) return std::nullopt;
  return EtherboneWrites{record->first, std::move(record->words)};
}

std::optional<EtherboneReads> etherbone_reads(std::span<const uint8_t> bytes) {
  auto record = record_of(bytes);
  if (!record || record->writes) return std::nullopt;
  return EtherboneReads{record->first, std::move(record->words)};
}

}  // namespace firesim::hostlib
