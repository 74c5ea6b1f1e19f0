// SPDX-License-Identifier: BSD-3-Clause
//
// The token hash of a link direction: the sum, modulo 2^64, of a strong mix of (cycle, data, last)
// over its flits. A sum does not care how batches are cut; the cycle inside the mix makes it care
// about when each flit was sent. The same value on every machine, whatever vector unit it has.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/batch.h"

namespace firesim {

namespace hash_detail {

inline constexpr uint64_t kCycleKey = 0x9e3779b97f4a7c15;  // odd: distinct for every cycle
inline constexpr uint64_t kOffset = 0x3c6ef372fe94f82b;
inline constexpr uint64_t kLastKey = 0x510e527fade682d1;

inline uint64_t swap_halves(uint64_t x) { return (x << 32) | (x >> 32); }

// Product of the two halves, plus the halves swapped so that a half of 0 loses nothing. Chosen for
// vector units: one shuffle, one 32-bit multiplication, one addition.
inline uint64_t fold(uint64_t x) { return (x & 0xffffffff) * (x >> 32) + swap_halves(x); }

}  // namespace hash_detail

// The mix of one flit sent in `cycle`.
inline uint64_t mix_flit(uint64_t cycle, uint64_t data, bool last) {
  using namespace hash_detail;
  const uint64_t key = cycle * kCycleKey + kOffset + (last ? kLastKey : 0);
  return fold(fold(data + key) ^ key);
}

// Sum of the mixes of `length` flits in consecutive cycles, none of which ends a packet.
uint64_t hash_flits(uint64_t first_cycle, const uint64_t *data, uint32_t length);

// What `batch` adds to the hash of a link direction.
uint64_t hash_batch(const Batch &batch);

// Mixes `value` into a running hash whose order matters: links into the cluster hash.
inline uint64_t combine_hash(uint64_t hash, uint64_t value) {
  return mix_flit(hash, value, false) + mix_flit(value, hash, true);
}

// 64-bit hash of a name.
uint64_t hash_text(const std::string &text);

// Sixteen lower-case hexadecimal digits.
std::string hash_to_hex(uint64_t hash);

// The hash that these are; nothing if the text is anything else.
std::optional<uint64_t> hash_from_hex(const std::string &text);

}  // namespace firesim
