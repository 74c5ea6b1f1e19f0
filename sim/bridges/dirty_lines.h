// SPDX-License-Identifier: BSD-3-Clause
// The lines of a data cache in RTL that are newer than memory, laid over what is read of memory.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "bridges/signal_words.h"

namespace firesim::bridges {

class DirtyLines {
 public:
  // {"tags": MEMORY, "data": MEMORY, "sets": 64, "ways": 4, "line_bytes": 64, "tag_bits": 20,
  //  "state_bits": 2, "newer": [3]}. A row of `tags` is a set: of each way its tag and above it the
  // state of its line, the first way lowest. A row of `data` is a word of 8 bytes of a set, of each
  // way, likewise. `newer` are the states of lines that memory has not. Throws ConfigError.
  DirtyLines(const nlohmann::json &json, const std::string &where, const SignalsByName &signals);

  void lay_over(uint64_t physical, std::span<uint8_t> bytes) const;

 private:
  std::vector<FiresimSignal> tags_, data_;
  uint32_t sets_, ways_, line_bytes_, tag_bits_, state_bits_;
  std::vector<uint64_t> newer_;
};

}  // namespace firesim::bridges
