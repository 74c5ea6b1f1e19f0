// SPDX-License-Identifier: BSD-3-Clause
// The DRAM behind a port of a target's host's side, on a platform that has one: written and read by
// words of both streams while the target stands (rtl/firesim_dram_access.v).
#pragma once

#include <cstdint>
#include <span>

#include "hostlib/platform.h"

namespace firesim::hostlib {

// Bytes of a memory from `offset` on.
struct DramRange {
  uint64_t offset;
  uint64_t bytes;
};

class DramAccess {
 public:
  // What a port has of a board's DRAM (rtl/firesim_dram_axi.v).
  static constexpr uint64_t kMostBytes = uint64_t{1} << 32;
  static constexpr uint64_t kRowBytes = 64;

  DramAccess(HostPlatform &platform, uint32_t port) : platform_(platform), port_(port) {}

  // All of these throw std::runtime_error when the platform answers as none does, or not at all,
  // or when it has not so many bytes.
  void clear(uint64_t bytes);
  void write(uint64_t offset, std::span<const uint8_t> bytes);
  void read(uint64_t offset, std::span<uint8_t> bytes);

 private:
  void begin(uint32_t operation, uint64_t row, uint64_t rows);
  void receive(std::span<uint64_t> words, const std::string &otherwise);
  void take_answer(uint64_t row);
  void read_rows(uint64_t row, std::span<uint64_t> words);
  void write_rows(uint64_t row, std::span<const uint64_t> words);
  void check_room(uint64_t end) const;

  HostPlatform &platform_;
  const uint32_t port_;
};

}  // namespace firesim::hostlib
