// SPDX-License-Identifier: BSD-3-Clause
// One hart, DRAM, and just enough devices for bare-metal programs: CLINT, a UART that prints, the
// finisher. For tests and functional-run; the blade's real devices are in ../../devices.
#pragma once

#include <string>
#include <vector>

#include "../hart.h"
#include "../shared_state.h"

namespace firesim::functional {

class BareMachine : private Mmio {
 public:
  explicit BareMachine(uint64_t dram_bytes, size_t code_bytes = kMostCodeBytes,
                       CodeStore *store = nullptr, HartFeatures features = {});

  // Loads an ELF file and starts at its entry; throws std::runtime_error if it cannot.
  void load_elf(const std::string &path);

  void load_raw(const std::string &path, uint64_t address);

  // Runs until the finisher is written or to this cycle; true if it has ended.
  bool run(uint64_t to_cycle);

  // Sets the timer of the CLINT: an interrupt as soon as its time reaches `ticks`.
  void arm_timer(uint64_t ticks) { compare_ = ticks; }

  Hart &hart() { return hart_; }
  SharedState &shared() { return shared_; }
  uint64_t cycle() const { return cycle_; }
  bool ended() const { return ended_; }
  uint32_t exit_code() const { return exit_code_; }
  const std::string &console() const { return console_; }
  std::vector<uint8_t> &memory() { return memory_; }

 private:
  bool read(uint64_t address, uint32_t bytes, uint64_t cycle, uint64_t &value) override;
  bool write(uint64_t address, uint32_t bytes, uint64_t cycle, uint64_t value) override;
  void update_timer(uint64_t cycle);

  std::vector<uint8_t> memory_;
  SharedState shared_;
  Hart hart_;
  uint64_t cycle_ = 0;
  uint64_t compare_ = ~uint64_t{0};  // mtimecmp
  uint64_t time_offset_ = 0;         // mtime = cycle / 100 + this
  uint32_t software_ = 0;            // msip
  bool ended_ = false;
  uint32_t exit_code_ = 0;
  std::string console_;
};

}  // namespace firesim::functional
