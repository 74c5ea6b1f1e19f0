// SPDX-License-Identifier: BSD-3-Clause
// The checksum behind a ZStd frame: the low half of the content's XXH64.
#include "zstd_internal.h"

static const uint64_t primes[] = {0x9e3779b185ebca87, 0xc2b2ae3d27d4eb4f, 0x165667b19e3779f9,
                                  0x85ebca77c2b2ae63, 0x27d4eb2f165667c5};

static uint64_t rotate(uint64_t value, unsigned bits) {
  return value << bits | value >> (64 - bits);
}

static uint64_t little(const unsigned char *at, unsigned bytes) {
  uint64_t value = 0;
  for (unsigned i = 0; i < bytes; i++) value |= (uint64_t)at[i] << (8 * i);
  return value;
}

static uint64_t mixed(uint64_t lane, uint64_t word) {
  return rotate(lane + word * primes[1], 31) * primes[0];
}

static uint64_t xxh64(const unsigned char *at, size_t bytes) {
  const unsigned char *const end = at + bytes;
  uint64_t hash = primes[4];
  if (bytes >= 32) {
    static const uint8_t turns[] = {1, 7, 12, 18};
    uint64_t lanes[] = {primes[0] + primes[1], primes[1], 0, -primes[0]};
    for (; end - at >= 32; at += 32) {
      for (unsigned i = 0; i < 4; i++) lanes[i] = mixed(lanes[i], little(at + 8 * i, 8));
    }
    hash = 0;
    for (unsigned i = 0; i < 4; i++) hash += rotate(lanes[i], turns[i]);
    for (unsigned i = 0; i < 4; i++) hash = (hash ^ mixed(0, lanes[i])) * primes[0] + primes[3];
  }
  hash += bytes;
  for (; end - at >= 8; at += 8) {
    hash = rotate(hash ^ mixed(0, little(at, 8)), 27) * primes[0] + primes[3];
  }
  if (end - at >= 4) {
    hash = rotate(hash ^ little(at, 4) * primes[0], 23) * primes[1] + primes[2];
    at += 4;
  }
  for (; at != end; at++) hash = rotate(hash ^ *at * primes[4], 11) * primes[0];
  hash = (hash ^ hash >> 33) * primes[1];
  hash = (hash ^ hash >> 29) * primes[2];
  return hash ^ hash >> 32;
}

bool zstd_checksum_right(const unsigned char *frame, size_t bytes, const unsigned char *output,
                         size_t output_bytes) {
  if (bytes < 9 || !(frame[4] & 4)) return true;
  return (uint32_t)xxh64(output, output_bytes) == (uint32_t)little(frame + bytes - 4, 4);
}
