// SPDX-License-Identifier: BSD-3-Clause
// UART driver: what the target prints goes to a log file and, if asked for, to a pseudo-terminal;
// what is typed there, or a given file, goes to the target. One byte a cycle each way at most.
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "driver.h"

namespace firesim::bridges {

// The host side of a pseudo-terminal in raw mode, with an optional symbolic link to it.
class PseudoTerminal {
 public:
  // `link` may be empty. Throws ConfigError.
  explicit PseudoTerminal(const std::filesystem::path& link);
  ~PseudoTerminal();
  PseudoTerminal(const PseudoTerminal&) = delete;
  PseudoTerminal& operator=(const PseudoTerminal&) = delete;

  // Path of the terminal device, for a person to attach to.
  const std::string& device() const { return device_; }
  // Drops what the reader does not take in time: a person must not stop the simulation.
  void write(const char* data, size_t size);
  // Bytes read into `buffer`, 0 when there are none.
  size_t read(char* buffer, size_t size);

 private:
  int host_side_;
  int target_side_;  // kept open so that a reader may come and go
  std::string device_;
  std::filesystem::path link_;
};

// Keys: log (path), pty (true, or the path of a link to the terminal), input (file sent to the
// target from the end of reset on). Everything typed makes the run non-deterministic.
class UartDriver final : public Driver {
 public:
  explicit UartDriver(const DriverContext& context);
  ~UartDriver() override;
  void step(uint64_t cycle) override;
  void finish(uint64_t cycle) override;
  nlohmann::json statistics() const override;
  // Output not yet in the log goes to that of the run that goes on.
  void save(StateWriter& state) const override;
  void load(StateReader& state) override;

 private:
  static constexpr size_t kMostInputBytes = size_t{1} << 30;
  static constexpr uint64_t kPollCycles = 1 << 16;  // between looks at the terminal
  static constexpr size_t kLineBytes = 4096;        // longest stretch kept before writing

  void take_output(char byte);
  void flush();
  void refill_input();

  OutputBit out_valid_;
  OutputPort out_bits_;
  OutputBit in_ready_;
  InputPort out_ready_;
  InputPort in_valid_;
  InputPort in_bits_;
  BladeStatus* status_;
  std::string where_;
  int log_ = -1;
  std::unique_ptr<PseudoTerminal> terminal_;
  std::array<char, kLineBytes> line_{};
  size_t line_size_ = 0;
  std::vector<char> input_;  // waiting for the target
  size_t input_next_ = 0;
  uint64_t next_poll_ = kNever;
  uint64_t bytes_out_ = 0;
  uint64_t bytes_in_ = 0;
};

}  // namespace firesim::bridges
