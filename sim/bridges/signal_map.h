// SPDX-License-Identifier: BSD-3-Clause
// Registers and memories of a model that a map names (docs/how-to/debug-a-core-of-your-own.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bridges/signal_words.h"
#include "devices/config.h"

namespace firesim::bridges {

// A register, or a row of a memory, of at most 64 bits.
class MappedRegister {
 public:
  // Throws ConfigError, starting with `where`, when the model has no such register.
  MappedRegister(const std::string &text, const std::string &where, const SignalsByName &signals);
  // The register that a key names.
  MappedRegister(devices::Config &config, const char *key, const SignalsByName &signals)
      : MappedRegister(config.required_text(key), config.where() + ": " + key, signals) {}

  uint64_t value() const;
  uint32_t width_bits() const { return width_bits_; }

 private:
  std::vector<FiresimSignal> words_;
  uint32_t row_ = 0;
  uint32_t width_bits_ = 0;
};

// A whole memory.
class MappedMemory {
 public:
  // The memory that a key names. Throws ConfigError when the model has none of that name.
  MappedMemory(devices::Config &config, const char *key, const SignalsByName &signals);
  // Throws ConfigError unless it has so many rows, of so many bits.
  void expect(const devices::Config &config, const char *key, uint64_t rows, uint64_t bits) const;

  uint64_t rows() const { return words_[0].rows; }
  uint32_t width_bits() const { return width_bits_; }
  // At most 64 bits of a row.
  uint64_t bits(uint64_t row, uint32_t low, uint32_t width) const;

 private:
  std::string name_;
  std::vector<FiresimSignal> words_;  // by their lowest bits
  uint32_t width_bits_ = 0;
};

}  // namespace firesim::bridges
