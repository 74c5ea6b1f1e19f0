// SPDX-License-Identifier: BSD-3-Clause
//
// What a board answers when the state of its target is taken out through the scan chain, or put in:
// registers, words of the chain, rows of memories. Whatever they are, this ends in a sentence or
// with a state that can be, and nothing is written beside the image.
//
// An input is changes of the answers of a good board: for each which one, and how, in 10 bytes.
#include <algorithm>
#include <array>
#include <cstring>
#include <deque>

#include "hostlib/registers.h"
#include "hostlib/scan_chain.h"
#include "simulator/hostile/targets.h"

namespace firesim::hostile {

namespace {

constexpr uint32_t kChainWords = 3, kMemoryWidth = 70;
constexpr uint32_t kRows = 7, kPoint = 1;
constexpr size_t kChangeBytes = 10;
constexpr uint32_t kShift = 1, kRead = 2, kWrite = 3;  // operations of rtl/firesim_scan.v

hostlib::ScanLayout layout() {
  return {kChainWords, 150 + kMemoryWidth, {{"wide", kRows, kMemoryWidth, kPoint}}, {{0, kPoint}}};
}

// What rtl/firesim_scan.v and a target with one memory do, but for the changes.
class SpokenChain final : public hostlib::HostPlatform {
 public:
  explicit SpokenChain(const std::string &changes) : changes_(changes) {}

  uint32_t read(uint32_t) override { return static_cast<uint32_t>(said(kChainWords)); }
  void write(uint32_t address, uint32_t value) override {
    if (address == hostlib::kScanRow) row_ = value;
    if (address != hostlib::kScan) return;
    operation_ = value & 7;
    last_ = value >> 8 & 0xff;
    index_ = 0;
    if (operation_ == kRead) fetch();
  }
  void send(std::span<const uint64_t> words) override {
    for (const uint64_t word : words) up_.push_back(take(word));
  }
  bool receive(std::span<uint64_t> words) override {
    for (uint64_t &word : words) {
      // Some boards keep words back.
      if (up_.empty() || said(0) % 8 == 5) return false;
      word = said(up_.front());
      up_.pop_front();
    }
    return true;
  }
  std::string name() const override { return "board"; }

 private:
  using Row = std::array<uint64_t, 2>;

  void fetch() { latch_ = rows_[row_ % rows_.size()]; }
  // The answer of number answer_, or what an input has in its place.
  uint64_t said(uint64_t answer) {
    const size_t number = answer_++;
    for (size_t at = 0; at + kChangeBytes <= changes_.size(); at += kChangeBytes) {
      uint16_t which = 0;
      uint64_t change = 0;
      std::memcpy(&which, changes_.data() + at, sizeof which);
      std::memcpy(&change, changes_.data() + at + sizeof which, sizeof change);
      if (which == number) answer ^= change;
    }
    return answer;
  }
  uint64_t take(uint64_t word) {
    if (operation_ == kShift) {
      chain_.push_front(word);
      word = chain_.back();
      chain_.pop_back();
      return word;
    }
    const size_t place = std::min<size_t>(index_, 1);
    if (operation_ == kWrite) {
      rows_[row_ % rows_.size()][place] = place == 1 ? word & 63 : word;
      word = 0;
    } else {
      word = latch_[place];
    }
    if (index_++ == last_) {
      index_ = 0;
      ++row_;
      if (operation_ == kRead) fetch();
    }
    return word;
  }

  const std::string changes_;
  std::deque<uint64_t> chain_ = std::deque<uint64_t>(kChainWords), up_;
  std::array<Row, kRows + 1> rows_{};
  Row latch_{};
  uint32_t row_ = 0, operation_ = 0, last_ = 0, index_ = 0;
  size_t answer_ = 0;
};

// Bits that no register and no row has.
bool has_others(const std::vector<FiresimSignal> &signals) {
  return std::any_of(signals.begin(), signals.end(), [](const FiresimSignal &signal) {
    if (signal.kind != FIRESIM_MEMORY || signal.width_bits != kMemoryWidth - 64) return false;
    const auto *bytes = static_cast<const uint8_t *>(signal.storage);
    return std::any_of(bytes, bytes + signal.rows,
                       [](uint8_t row) { return row >> (kMemoryWidth - 64) != 0; });
  });
}

Verdict take_chain(const std::string &input) {
  return judged([&] {
    SpokenChain board(input);
    hostlib::ScanChain chain(board, layout(), "here");
    chain.read();
    if (has_others(chain.signals())) throw std::logic_error("a row has more bits than it can have");
    chain.write();
  });
}

std::string mutate(const std::string &good, Random &random) {
  std::string changes = good;
  for (uint64_t left = 1 + random() % 3; left > 0; --left) {
    const auto which = static_cast<uint16_t>(random() % (random() % 2 == 0 ? 20 : 400));
    const uint64_t change = random() % 2 == 0 ? uint64_t{1} << random() % 64 : edge(random);
    changes.append(reinterpret_cast<const char *>(&which), sizeof which);
    changes.append(reinterpret_cast<const char *>(&change), sizeof change);
  }
  return changes;
}

}  // namespace

Target scan_chain_target() {
  // No change, spoken of no answer: libFuzzer takes no input that is empty.
  return {"scan-chain", {std::string(kChangeBytes, '\xff')}, mutate, take_chain};
}

}  // namespace firesim::hostile
