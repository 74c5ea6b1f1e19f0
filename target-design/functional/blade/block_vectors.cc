// SPDX-License-Identifier: BSD-3-Clause
// Counting instructions by basic block; see block_vectors.h. A block begins behind a jump or a
// branch, taken or not, and where a trap or a jump into the middle of another leads.
#include "functional/blade/block_vectors.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "devices/config.h"

namespace firesim::functional {
namespace {

// Whether an instruction may be followed by one that is not behind it.
bool ends_block(uint32_t instruction) {
  if ((instruction & 3) == 3) {
    const uint32_t opcode = instruction & 0x7f;
    return opcode == 0x63 || opcode == 0x67 || opcode == 0x6f || opcode == 0x73;
  }
  const uint32_t function = instruction >> 13 & 7;
  if ((instruction & 3) == 1) return function >= 5;  // c.j, c.beqz, c.bnez
  const bool is_jump = (instruction >> 2 & 31) == 0 && (instruction >> 7 & 31) != 0;
  return (instruction & 3) == 2 && function == 4 && is_jump;  // c.jr, c.jalr
}

}  // namespace

BlockVectors::BlockVectors(const std::filesystem::path &file, uint64_t first_cycle,
                           uint64_t interval_cycles)
    : file_(file),
      interval_cycles_(interval_cycles),
      interval_end_(first_cycle + interval_cycles) {}

BlockVectors::~BlockVectors() {
  try {
    finish();
  } catch (const std::runtime_error &) {
    // Told when the run ended, if it came to that.
  }
}

std::unique_ptr<BlockVectors> BlockVectors::make(const nlohmann::json &settings,
                                                 const std::string &where,
                                                 const SimulationContext &context,
                                                 uint64_t first_cycle) {
  if (settings.is_null()) return nullptr;
  devices::Config config(settings, where);
  const std::string file = config.required_text("file");
  const uint64_t most = std::numeric_limits<int64_t>::max();
  const uint64_t interval_cycles = config.required_integer("interval_cycles", 1, most);
  config.finish();
  return std::make_unique<BlockVectors>(context.output_path(file), first_cycle, interval_cycles);
}

void BlockVectors::begin_block(uint64_t pc) {
  const auto [place, is_new] = blocks_.try_emplace(pc, static_cast<uint32_t>(counts_.size()));
  if (is_new) counts_.push_back(0);
  block_ = place->second;
}

void BlockVectors::retired(const Retired &event) {
  while (event.cycle >= interval_end_) end_interval();
  if (event.exception) {
    next_pc_.reset();
    return;
  }
  if (next_pc_ != event.pc) begin_block(event.pc);
  if (counts_[block_]++ == 0) touched_.push_back(block_);
  next_pc_ = event.pc + ((event.instruction & 3) == 3 ? 4 : 2);
  if (ends_block(event.instruction)) next_pc_.reset();
}

// A line of SimPoint's: "T:block:count :block:count", blocks by number from 1 on.
void BlockVectors::end_interval() {
  std::sort(touched_.begin(), touched_.end());
  const char *before = "T";
  for (const uint32_t block : touched_) {
    file_.put(fmt::format("{}:{}:{}", before, block + 1, counts_[block]));
    counts_[block] = 0;
    before = " ";
  }
  file_.put(touched_.empty() ? "T\n" : "\n");
  touched_.clear();
  interval_end_ += interval_cycles_;
}

void BlockVectors::finish() {
  if (is_over_) return;
  is_over_ = true;
  if (!touched_.empty()) end_interval();
  file_.flush();
}

}  // namespace firesim::functional
