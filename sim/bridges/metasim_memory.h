// SPDX-License-Identifier: BSD-3-Clause
// The DRAM behind a memory port of a metasimulation (sim/bridges/memory/rtl/memory_words.sv says
// what goes over the port), host cycle by host cycle.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>

#include "bridges/pin.h"

namespace firesim::bridges {

class MetasimMemory {
 public:
  // Host cycles from a read to its first word, as a DDR4 controller may take at 250 MHz.
  static constexpr uint64_t kLatencyHostCycles = 30;

  // `content` is the memory, whose bytes beyond its end are zeroes. Throws ConfigError.
  MetasimMemory(const ModelInstance &model, uint32_t port, std::span<uint8_t> content,
                const std::string &where);
  // Before the pins are evaluated: whether a request is taken, and an answer is given if it is
  // time, in this host cycle.
  void offer(bool takes, bool answers);
  // Afterwards; the answer to a read is later by so many host cycles.
  void take(uint64_t later_host_cycles);

 private:
  struct Word {
    uint64_t due;  // host cycle
    uint64_t value;
  };
  uint64_t word_at(uint64_t address) const;
  void write(uint64_t offset);

  std::span<uint8_t> content_;
  Pin request_valid_, request_ready_, request_write_, request_row_, request_address_, request_data_,
      request_strobe_, response_valid_, response_data_;
  std::deque<Word> answers_;
  uint64_t now_ = 0;
  bool takes_ = false, answered_ = false;
};

}  // namespace firesim::bridges
