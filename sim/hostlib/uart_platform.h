// SPDX-License-Identifier: BSD-3-Clause
// The platform of a board behind a serial line, which speaks what rtl/firesim_uart_link.v does.
//
// What comes from the line is not trusted: each byte must be one that the protocol has at its
// place, and nothing is waited for without a bound.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "hostlib/board_platform.h"
#include "hostlib/byte_line.h"

namespace firesim::hostlib {

// How long is waited.
struct UartPatience {
  Milliseconds quiet{1000};   // without a word, until receive() looks whether the target goes on
  Milliseconds answer{5000};  // without a byte, while a command has no answer
  // A command has its answer within so many times `answer`, whatever else comes.
  int most_answers = 8;
  // Looks after each of which the target was in the same cycle.
  int still = 8;
};

class UartPlatform final : public BoardPlatform {
 public:
  // Opens the line and resets what is there. Throws DescriptionError, starting with `where`, when
  // the device is not one or nothing answers.
  UartPlatform(const std::string &device, uint32_t bits_per_s, const std::string &where,
               const UartPatience &patience = {});
  // The same on a line that is open. Throws std::runtime_error, starting with its device.
  explicit UartPlatform(std::unique_ptr<ByteLine> line, const UartPatience &patience = {});

  uint32_t read(uint32_t address) override;
  void write(uint32_t address, uint32_t value) override;
  // Commands are done in their order, so this waits only for room on the board.
  void send(std::span<const uint64_t> words) override;
  std::string trouble() override;

 private:
  struct Command {
    uint8_t answer;  // the letter that it has
    size_t bytes;
  };

  void command(std::span<const uint8_t> bytes);
  void wait_for_answers(size_t most_left_bytes);
  bool hear(Milliseconds most);
  bool look() override { return hear(patience_.quiet); }
  const std::string &device() const override { return line_->device(); }
  void take_apart();

  const std::unique_ptr<ByteLine> line_;
  const UartPatience patience_;
  std::deque<Command> unanswered_;
  size_t unanswered_bytes_ = 0;
  std::vector<uint8_t> heard_;  // not taken apart yet
  uint32_t value_ = 0;          // of the last answer to a read
};

}  // namespace firesim::hostlib
