// SPDX-License-Identifier: BSD-3-Clause
// The host side of a blade's console, whatever engine evaluates the blade: a log file, and if asked
// for a pseudo-terminal and a file of input.
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/registry.h"
#include "devices/config.h"
#include "devices/console_lines.h"

namespace firesim::devices {

// The host side of a pseudo-terminal in raw mode, with an optional symbolic link to it.
class PseudoTerminal {
 public:
  // `link` may be empty. Throws ConfigError.
  explicit PseudoTerminal(const std::filesystem::path &link);
  ~PseudoTerminal();
  PseudoTerminal(const PseudoTerminal &) = delete;
  PseudoTerminal &operator=(const PseudoTerminal &) = delete;

  // Path of the terminal device, for a person to attach to.
  const std::string &device() const { return device_; }
  // Drops what the reader does not take in time: a person must not stop the simulation.
  void write(const char *data, size_t size);
  // Bytes read into `buffer`, 0 when there are none.
  size_t read(char *buffer, size_t size);

 private:
  int host_side_;
  int target_side_;  // kept open so that a reader may come and go
  std::string device_;
  std::filesystem::path link_;
};

// Keys: log (path), pty (true, or the path of a link to the terminal), input (file sent to the
// target), timeline (of an EventFile). Everything typed makes the run non-deterministic.
class Console {
 public:
  // Target cycles between two looks at the terminal.
  static constexpr uint64_t kPollCycles = 1 << 16;

  // `where` starts error messages ("node0: bridges.uart"). Throws ConfigError.
  Console(const nlohmann::json &settings, const std::string &where, const std::string &node,
          const SimulationContext &simulation);
  ~Console();
  Console(const Console &) = delete;
  Console &operator=(const Console &) = delete;

  // The target printed a byte.
  void put(char byte, uint64_t cycle) {
    ++bytes_out_;
    if (lines_) lines_->put(byte, cycle);
    line_[line_size_++] = byte;
    if (byte == '\n' || line_size_ == kLineBytes) flush();
  }
  // Writes out what is buffered.
  void flush();

  // From now on keeps what would be written out, for another console to print.
  void hold() { holding_ = true; }
  const std::string &held() const { return held_; }

  // Prints what another console has held, before all that this one has not written out.
  void print_again(const std::string &text);

  // What waits for the target.
  bool has_input() const { return input_next_ != input_.size(); }
  char take_input() { return input_[input_next_++]; }
  // Gives input back, before all other.
  void return_input(const std::string &input) {
    input_.insert(input_.begin() + static_cast<std::ptrdiff_t>(input_next_), input.begin(),
                  input.end());
  }

  bool has_terminal() const { return terminal_ != nullptr; }
  // Looks at the terminal, unless input is left. True if something was typed.
  bool poll();

  // What has been printed but not written out, and the input that is left.
  void save(StateWriter &state) const;
  void load(StateReader &state);

  // Facts for result.json.
  nlohmann::json statistics(uint64_t bytes_in) const;

 private:
  static constexpr size_t kLineBytes = 4096;  // longest stretch kept before writing

  std::string where_;
  int log_ = -1;
  std::unique_ptr<PseudoTerminal> terminal_;
  std::unique_ptr<ConsoleLines> lines_;
  std::array<char, kLineBytes> line_{};
  size_t line_size_ = 0;
  std::vector<char> input_;
  size_t input_next_ = 0;
  uint64_t bytes_out_ = 0;
  bool holding_ = false;
  std::string held_;
};

}  // namespace firesim::devices
