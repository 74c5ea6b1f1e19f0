// SPDX-License-Identifier: BSD-3-Clause
// TSI driver: the host at the far end of a Tethered Serial Interface. It wakes hart 0 of a node
// that has a program, and then moves the words that HostInterface asks for: the console, the system
// calls and the end of programs with tohost. The program lies in memory already, unless the target
// has its memory inside: then the host writes it there first.
//
// A command is a sequence of words of 32 bits: 0 to read or 1 to write, the address (low, high),
// the number of words less one (low, high), and the words that are written; what is read comes back
// in the same order. One command is on its way at a time, so what the host does follows from the
// cycles in which the target takes and says words, and from nothing else.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "bridges/driver.h"
#include "devices/console.h"
#include "devices/host_interface.h"

namespace firesim::bridges {

// Keys: poll_cycles, wake_address; wake (false), whether hart 0 has something to begin with; load,
// the keys of GuestMemory, of which the target is written what files fill;
// program, the keys of HostInterface, null for a program without tohost; console, the keys of
// Console, for a blade without a UART.
class TsiDriver final : public Driver {
 public:
  explicit TsiDriver(const DriverContext &context);
  uint64_t exchange(uint64_t cycle) override;
  void finish(uint64_t cycle) override;
  nlohmann::json statistics() const override;
  bool listens() const override { return starts() || interface_ != nullptr; }
  bool can_save() const override { return true; }
  void save(StateWriter &state) const override;
  void load(StateReader &state) override;
  bool ends_blade() const override { return interface_ != nullptr; }

 private:
  static constexpr uint64_t kHeadWords = 5;  // command, address, number of words
  static constexpr uint64_t kDataWords = 2;  // of 64 bits
  static constexpr uint64_t kMostWords = kHeadWords + kDataWords;
  static constexpr uint64_t kChunkWords = 256;  // of a command that loads, at the most

  // A command that loads: words for an address, both in pairs.
  struct Chunk {
    uint64_t address;
    std::vector<uint32_t> words;
  };

  void cut(Config load, const SimulationContext &simulation);
  void begin(bool write, uint64_t address, uint64_t data, uint64_t words);
  void ask(const HostInterface::Request &request) {
    begin(request.write, request.address, request.data, kDataWords);
  }
  void begin_chunk();
  // Whether there is something to load or to wake before the host looks at anything.
  bool starts() const { return next_chunk_ < chunks_.size() || (wakes_ && !woken_); }
  uint32_t word() const;
  bool busy() const { return next_ < to_say_ || heard_ < to_hear_; }
  void move_words();
  // What follows a command that is done; false when nothing does.
  bool advance(uint64_t cycle);
  Console *console() const { return own_console_ ? own_console_.get() : status_->console; }
  uint64_t next_look(uint64_t cycle) const;

  OutputBit out_valid_;
  OutputPort out_bits_;
  OutputBit in_ready_;
  InputPort in_valid_;
  InputPort in_bits_;
  BladeStatus *status_;
  std::unique_ptr<HostInterface> interface_;
  std::unique_ptr<Console> own_console_;
  uint64_t poll_cycles_, wake_address_;
  bool wakes_;

  std::vector<Chunk> chunks_;
  uint64_t next_chunk_ = 0;
  bool loading_ = false;  // the chunk before the next one is on its way
  bool looking_ = false;  // HostInterface waits for the command that is on its way
  bool woken_ = false;
  std::array<uint32_t, kMostWords> words_{};
  uint64_t next_ = 0, to_say_ = 0;    // words of `words_` that are said, and all of them
  uint64_t heard_ = 0, to_hear_ = 0;  // the same of what is read
  uint64_t read_ = 0;                 // the words heard
  uint64_t commands_ = 0;
};

}  // namespace firesim::bridges
