// SPDX-License-Identifier: BSD-3-Clause
// A write-back cache in RTL that is the only way to memory, such as target-design/parts/l2: what it
// has is laid over what is read of memory.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bridges/leaving_lines.h"
#include "bridges/signal_map.h"

namespace firesim::bridges {

class MemorySideCache {
 public:
  static constexpr uint32_t kBlockBytes = 64;

  // {"directory": MEMORY, "data": MEMORY, "misses": [MISS]}. A row of the directory is a set: of
  // each way, the first one lowest, the tag, above it whether it is newer than memory, and above
  // that whether there is a block. `data` has words of 8 bytes, by way, set and word of the block.
  // A MISS names the registers of a block on its way in: "filling", "block" (address / 64), "way",
  // "written": [REGISTER], a bit for each byte of the block's words that was written meanwhile; and
  // "evicting", "victim" (address / 64): the block whose place it takes, while it is still in
  // `data`. Throws ConfigError.
  MemorySideCache(const nlohmann::json &json, const std::string &where,
                  const SignalsByName &signals);

  // Before each cycle: gives `leaving` the blocks that are about to leave.
  void before_settle(LeavingLines &leaving) const;
  void lay_over(uint64_t physical, std::span<uint8_t> bytes) const;

 private:
  struct Miss {
    MappedRegister filling, block, way, evicting, victim;
    std::vector<MappedRegister> written;
  };

  MemorySideCache(devices::Config config, const SignalsByName &signals);
  void add_miss(const nlohmann::json &json, const std::string &where, const SignalsByName &signals);
  std::optional<uint32_t> way_of(uint64_t block) const;
  const Miss *filling(uint64_t block, uint32_t way) const;
  uint64_t word_at(uint64_t block, uint32_t way, uint32_t word) const;

  MappedMemory directory_, data_;
  uint64_t sets_;
  uint32_t ways_, entry_bits_;
  std::vector<Miss> misses_;
};

}  // namespace firesim::bridges
