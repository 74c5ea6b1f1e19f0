// SPDX-License-Identifier: BSD-3-Clause
// Basic-block vectors of a hart: how many instructions each basic block has committed in each
// interval of time, as SimPoint reads them (docs/reference/interfaces/functional-blade.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/buffered_file.h"
#include "core/registry.h"
#include "functional/core/hart.h"

namespace firesim::functional {

class BlockVectors final : public RetireObserver {
 public:
  // Intervals follow each other from `first_cycle` on. Throws std::runtime_error when the host
  // cannot write the file.
  BlockVectors(const std::filesystem::path &file, uint64_t first_cycle, uint64_t interval_cycles);
  ~BlockVectors() override;
  BlockVectors(const BlockVectors &) = delete;
  BlockVectors &operator=(const BlockVectors &) = delete;

  // By {file, interval_cycles}; null where `settings` is. `where` starts every message. Throws
  // ConfigError.
  static std::unique_ptr<BlockVectors> make(const nlohmann::json &settings,
                                            const std::string &where,
                                            const SimulationContext &context, uint64_t first_cycle);

  void retired(const Retired &event) override;
  bool uses_floats() const override { return false; }
  // Writes the last interval, which may be a part of one. Nothing may follow.
  void finish();

 private:
  void begin_block(uint64_t pc);
  void end_interval();

  BufferedFile file_;
  const uint64_t interval_cycles_;
  uint64_t interval_end_;
  std::unordered_map<uint64_t, uint32_t> blocks_;  // by pc: its place in `counts_`
  std::vector<uint64_t> counts_;                   // in this interval
  std::vector<uint32_t> touched_;                  // the blocks whose count is not 0
  uint32_t block_ = 0;
  std::optional<uint64_t> next_pc_;  // within the block; nothing where it has ended
  bool is_over_ = false;
};

}  // namespace firesim::functional
