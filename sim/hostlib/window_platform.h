// SPDX-License-Identifier: BSD-3-Clause
// The platform of a board on PCIe in the shell of AWS F2: control registers on BAR 0, both streams
// through the window on BAR 4 that rtl/firesim_window.v shows. Each blade on the board has its own.
//
// Room is looked at before a word is stored, so no store waits there, and the shell never gives up
// on one. What is loaded is not trusted: counts must be those of words that were sent and taken,
// and nothing is waited for without a bound.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "hostlib/board_platform.h"
#include "hostlib/pci_function.h"

namespace firesim::hostlib {

// Blades that may be on one FPGA (platforms/f2/top.sv).
inline constexpr uint32_t kMostWindows = 16;

// What the platform needs of its function: the registers and the window of blade `slot` on it.
PciNeeds window_needs(const std::string &id, uint32_t slot = 0);

// How long is waited.
struct WindowPatience {
  // Without a word, until receive() looks whether the target goes on.
  std::chrono::milliseconds quiet{1000};
  std::chrono::milliseconds room{5000};  // without room for a word down
  // Looks after each of which the target was in the same cycle.
  int still = 8;
};

class WindowPlatform final : public BoardPlatform {
 public:
  // Throws std::runtime_error, starting with the function's device, when no window is there, or
  // one that was used since the board's image was loaded.
  explicit WindowPlatform(std::unique_ptr<PciFunction> function,
                          const WindowPatience &patience = {});

  uint32_t read(uint32_t address) override;
  // Returns when the register has its value.
  void write(uint32_t address, uint32_t value) override;
  void send(std::span<const uint64_t> words) override;
  std::string trouble() override;

 private:
  // What the window's state says.
  struct State {
    uint32_t shown;  // words that came up and can be loaded
    uint32_t room;   // for words down
    uint32_t sent;   // words down so far, modulo 2^24
    uint32_t taken;  // words up that were taken so far, modulo 2^24
  };

  State state();
  bool look() override;
  const std::string &device() const override { return function_->device(); }
  void wait_for_room();

  const std::unique_ptr<PciFunction> function_;
  const WindowPatience patience_;
  uint32_t sent_ = 0, taken_ = 0;      // so far
  uint32_t unsent_ = 0, untaken_ = 0;  // of them, what the last state did not yet count
  uint32_t room_ = 0;                  // for words that may be stored without another look
};

}  // namespace firesim::hostlib
