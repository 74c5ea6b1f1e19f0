// SPDX-License-Identifier: BSD-3-Clause
// HTIF: how programs made for Spike, riscv-tests or Chipyard reach the host, by two words of
// memory, `tohost` and `fromhost`. The host looks at tohost every so many target cycles, so what it
// does follows from the content of memory in those cycles and from nothing else.
//
// The protocol alone: whoever owns one moves the words, at once (a functional blade) or by requests
// that the target answers in its own time (RTL).
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/state.h"
#include "devices/blade_end.h"
#include "devices/host_call.h"

namespace firesim::devices {

class Console;

class HostInterface {
 public:
  // Target cycles between two looks at tohost; looks are in multiples of it.
  static constexpr uint64_t kPollCycles = 1024;
  static bool is_look(uint64_t cycle) { return cycle % kPollCycles == 0; }
  // The first one after `cycle`.
  static uint64_t next_look(uint64_t cycle) { return (cycle / kPollCycles + 1) * kPollCycles; }

  // A word that is to be read or written; its address is a multiple of 8 inside memory.
  struct Request {
    bool write = false;
    uint64_t address = 0;
    uint64_t data = 0;
  };

  // Keys: tohost, fromhost (may be absent), memory_base, memory_bytes, arguments (of the program,
  // its name first). Null for null settings: the program has no tohost. Throws ConfigError, which
  // starts with `where`.
  static std::unique_ptr<HostInterface> make(const nlohmann::json &settings,
                                             const std::string &where);

  // Begins a look.
  Request look();
  // The last request is done; `data` is what a read has read. Returns the next one, or nothing when
  // the host is done, or has ended the blade. A character that the program prints goes to
  // `console`, if there is one.
  std::optional<Request> answer(uint64_t data, uint64_t cycle, BladeEnd &end, Console *console);

  // What answer() depends on besides its arguments.
  void save(StateWriter &state) const;
  void load(StateReader &state);

 private:
  enum class Step : uint8_t {
    kToHost,
    kFromHost,
    kCall,
    kText,
    kResult,
    kClear,
    kRespond,
    kOldWord,
    kNewWord
  };

  HostInterface() = default;
  std::optional<Request> command(uint64_t word, uint64_t cycle, BladeEnd &end, Console *console);
  std::optional<Request> call(uint64_t cycle, BladeEnd &end);
  std::optional<Request> write(uint64_t cycle, BladeEnd &end);
  std::optional<Request> text(uint64_t data, uint64_t cycle, Console *console);
  // Puts what answers a call into memory, from its byte `done_` on; then the result.
  Request put();
  Request put_word(uint64_t old);
  Request result(uint64_t value);
  Request next_text() const { return {false, (call_[2] + done_) & ~uint64_t{7}, 0}; }
  Request read_call() const { return {false, arguments_ + 8 * done_, 0}; }
  bool in_memory(uint64_t address, uint64_t bytes) const;

  uint64_t tohost_ = 0;
  std::optional<uint64_t> fromhost_;
  uint64_t memory_base_ = 0, memory_bytes_ = 0;
  std::vector<std::string> arguments_of_program_;

  Step step_ = Step::kToHost;
  bool responds_ = false;   // the command is a system call
  uint64_t arguments_ = 0;  // address of the system call's number, arguments and result
  HostCall call_ = {};
  uint64_t done_ = 0;  // words of `call_` read, or characters of a text, or bytes of an answer
  HostAnswer answer_;  // follows from `call_`
};

}  // namespace firesim::devices
