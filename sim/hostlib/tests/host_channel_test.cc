// SPDX-License-Identifier: BSD-3-Clause
// Ports of random widths, side by side in tokens: bit by bit where they belong, and back.
#include "hostlib/host_channel.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>

#include "core/tests/random_seed.h"

namespace firesim::hostlib {
namespace {

struct Rig {
  HostChannel channel{"test", false, 0, {}};
  std::vector<std::unique_ptr<uint8_t[]>> storage;

  void add(uint32_t width_bits, bool wakes) {
    storage.push_back(std::make_unique<uint8_t[]>(width_bits / 8 + 9));
    const FiresimPort port{"port", width_bits, 0, storage.back().get()};
    channel.fields.push_back({port, channel.width_bits, wakes});
    channel.width_bits += width_bits;
  }
  bool bit(size_t field, uint32_t index) const {
    return (storage[field][index / 8] >> index % 8 & 1) != 0;
  }
  void fill(std::mt19937_64 &random) {
    for (size_t i = 0; i < storage.size(); ++i) {
      for (uint32_t bit = 0; bit < channel.fields[i].port.width_bits; ++bit) {
        auto &byte = storage[i][bit / 8];
        byte = static_cast<uint8_t>((byte & ~(1u << bit % 8)) | (random() & 1) << bit % 8);
      }
    }
  }
};

bool bit_of(const Words &token, uint32_t index) {
  return (token[index / 64] >> index % 64 & 1) != 0;
}

TEST(HostChannel, EveryBitOfATokenIsThatOfItsPort) {
  const uint64_t seed = random_seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int round = 0; round < 300; ++round) {
    Rig rig;
    const auto fields = 1 + random() % 6;
    for (uint64_t i = 0; i < fields; ++i) rig.add(1 + random() % 200, random() % 2 == 0);
    rig.fill(random);
    Words token;
    rig.channel.pack(token);
    ASSERT_EQ(token.size(), rig.channel.words());
    for (size_t i = 0; i < fields; ++i) {
      const auto &field = rig.channel.fields[i];
      for (uint32_t bit = 0; bit < field.port.width_bits; ++bit) {
        ASSERT_EQ(bit_of(token, field.low_bit + bit), rig.bit(i, bit)) << i << " " << bit;
      }
    }
    for (uint32_t bit = rig.channel.width_bits; bit < 64 * token.size(); ++bit) {
      ASSERT_FALSE(bit_of(token, bit));
    }
    Words other(token.size());
    for (uint64_t &word : other) word = random();
    if (rig.channel.width_bits % 64 != 0) {
      other.back() &= (uint64_t{1} << rig.channel.width_bits % 64) - 1;
    }
    rig.channel.unpack(other.data());
    Words again;
    rig.channel.pack(again);
    EXPECT_EQ(again, other);
    rig.channel.clear_wakes();
    for (size_t i = 0; i < fields; ++i) {
      const auto &field = rig.channel.fields[i];
      for (uint32_t bit = 0; bit < field.port.width_bits; ++bit) {
        ASSERT_EQ(rig.bit(i, bit), !field.wakes && bit_of(other, field.low_bit + bit));
      }
    }
  }
}

}  // namespace
}  // namespace firesim::hostlib
