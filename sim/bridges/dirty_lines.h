// SPDX-License-Identifier: BSD-3-Clause
// The lines of a data cache in RTL that are newer than memory, laid over what is read of memory.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <vector>

#include "bridges/leaving_lines.h"
#include "bridges/signal_map.h"

namespace firesim::bridges {

class DirtyLines {
 public:
  // {"tags": MEMORY, "data": MEMORY, "sets": 64, "ways": 4, "line_bytes": 64, "state_bits": 2,
  //  "newer": [3], "stores": [STORE], "leaves": LEAVES}. A row of `tags` is a set:
  // of each way its tag, as wide as there is room, and above it the state of its line, the first
  // way lowest. A row of `data` is a word of 8 bytes of a set, of each way, likewise. `newer` are
  // the states of lines that memory has not.
  //
  // A STORE waits for the data array, the oldest first: {"valid": REGISTER, "address": REGISTER,
  // "way": REGISTER, "mask": REGISTER, "data": [REGISTER]}; the way has a bit for each way, and is
  // left out where there is one; the data's first register is lowest. LEAVES says which line gives
  // up being newer in a cycle:
  // {"address": REGISTER, "state": REGISTER, "states": [6]}. Throws ConfigError.
  DirtyLines(const nlohmann::json &json, const std::string &where, const SignalsByName &signals);

  // Before each cycle: keeps the words which the cycle's own instructions may change, as the cycle
  // finds them, and gives `leaving` the line that leaves in it.
  void before_settle(LeavingLines &leaving);
  // Lays over the lines as the cycle found them.
  void lay_over(uint64_t physical, std::span<uint8_t> bytes) const;

 private:
  struct Store {
    MappedRegister valid, address, mask;
    std::optional<MappedRegister> way;  // none where there is one
    std::vector<MappedRegister> data;
  };
  struct Leaves {
    MappedRegister address, state;
    std::vector<uint64_t> states;
  };
  struct KeptWord {
    uint64_t line;  // of the way then
    uint64_t row;
    uint32_t way;
    uint64_t word;
  };

  DirtyLines(devices::Config config, const SignalsByName &signals);
  void add_store(const nlohmann::json &json, const std::string &where,
                 const SignalsByName &signals);
  void add_leaves(const nlohmann::json &json, const std::string &where,
                  const SignalsByName &signals);
  void keep(const Store &store);
  std::optional<uint32_t> newer_way(uint64_t line) const;
  uint64_t line_of(uint64_t set, uint32_t way) const;
  uint64_t word_at(uint64_t line, uint64_t row, uint32_t way) const;

  MappedMemory tags_, data_;
  uint32_t sets_ = 0, ways_ = 0, line_bytes_ = 0, tag_bits_ = 0, state_bits_ = 0;
  std::vector<uint64_t> newer_;
  std::vector<Store> stores_;
  std::optional<Leaves> leaves_;
  std::vector<KeptWord> kept_;
};

}  // namespace firesim::bridges
