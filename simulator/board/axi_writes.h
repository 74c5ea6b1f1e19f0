// SPDX-License-Identifier: BSD-3-Clause
// Writes of one beat on their way to an AXI4 or AXI4-Lite slave, clock by clock. The channels of
// addresses and of data keep to the order of the writes, and not to each other.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <random>

#include "simulator/board/board_model.h"

namespace firesim {

class AxiWrites {
 public:
  static constexpr uint64_t kPatienceCycles = 2000;  // 8 us of 250 MHz, the shell's

  struct Pins {
    Pin address, address_valid, address_ready;
    Pin data, data_valid, data_ready;
    std::optional<Pin> strobe;
    Pin answer, answer_valid, answer_ready;
  };
  struct Write {
    uint64_t address;
    uint32_t lane;  // of 64 bits, that the value is in
    uint64_t value;
  };

  // With a seed each of its valid and ready signals comes when it likes.
  AxiWrites(const char *what, std::optional<uint64_t> seed)
      : what_(what), random_(seed.value_or(0)), is_hostile_(seed.has_value()) {}

  void connect(const Pins &pins);
  void push(const Write &write) { writes_.push_back({write}); }
  // Of those that were not offered yet.
  void forget();
  bool is_idle() const { return writes_.empty(); }
  // The shell holds this many that were not offered yet, and no more.
  bool is_full() const;
  // Around a cycle of the shell's clock. The second throws std::runtime_error when the slave takes
  // longer than the shell bears, answers with an error, or what was not asked.
  void before_cycle();
  void after_cycle();

 private:
  static constexpr size_t kQueue = 16, kMostOutstanding = 32;

  struct OnItsWay {
    Write write;
    bool address_taken = false, data_taken = false;
    uint64_t cycles_left = 0;  // 0: not offered yet
  };

  bool happens(uint32_t of_eight) { return !is_hostile_ || random_() % 8 < of_eight; }
  // The first whose channel has not taken it; null when there is none that may be offered.
  OnItsWay *next(bool OnItsWay::*taken);
  void offer(bool &offers, bool OnItsWay::*taken, void (AxiWrites::*set)(const Write &));
  void set_address(const Write &write);
  void set_data(const Write &write);
  void take_answer();

  const char *const what_;
  std::mt19937_64 random_;
  const bool is_hostile_;
  Pins pins_;
  std::deque<OnItsWay> writes_;
  bool offers_address_ = false, offers_data_ = false, hears_ = false;
};

}  // namespace firesim
