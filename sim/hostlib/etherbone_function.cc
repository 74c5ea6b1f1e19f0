// SPDX-License-Identifier: BSD-3-Clause
// Numbered accesses in packets of Etherbone; see etherbone_function.h.
#include "hostlib/etherbone_function.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <stdexcept>

#include "core/check.h"
#include "hostlib/board_status.h"

namespace firesim::hostlib {
namespace {

using Clock = std::chrono::steady_clock;

constexpr uint32_t kIdentityValue = 0x46534542;
constexpr uint32_t kIdentity = 0, kDone = 4, kValue = 8, kStatus = 12,
                   kView = 64;  // addresses on the board
constexpr uint32_t kStore = 0, kLoad = 1, kStoreWord = 2, kReset = 3;
constexpr size_t kAccessWords = 4, kMostAccesses = 28, kViewWords = 16;
constexpr int kRegisters = 0, kWindow = 4;              // the BARs that F2 has these in
constexpr std::chrono::microseconds kLongest{500'000};  // until a packet goes again

static_assert(kMostAccesses * kAccessWords + 1 <= kMostEtherboneWords);

}  // namespace

EtherboneFunction::EtherboneFunction(std::unique_ptr<DatagramLine> line,
                                     const EtherbonePatience &patience)
    : line_(std::move(line)), patience_(patience), usual_(patience.first) {
  question_.number = std::random_device{}();  // answers to a run of before are none to this one
  question_.addresses = {kIdentity, kDone};
  const auto found = exchange();
  if (found[0] != kIdentityValue) {
    fail(fmt::format("found {:#x} in the first word, expected {:#x}: a board of FireSim", found[0],
                     kIdentityValue));
  }
  asked_ = found[1];
  ask(kReset, 0, 0);
  done({});
}

void EtherboneFunction::fail(const std::string &what) const {
  throw std::runtime_error(fmt::format("{}: {}", line_->device(), what));
}

uint32_t EtherboneFunction::load(int bar, uint32_t address) {
  FIRESIM_CHECK(bar == kRegisters, "registers are in BAR 0");
  if (address == kBoardStatus) return done({kStatus})[0];
  ask(kLoad, address, 0);
  return done({kValue})[0];
}

void EtherboneFunction::store(int bar, uint32_t address, uint32_t value) {
  FIRESIM_CHECK(bar == kRegisters, "registers are in BAR 0");
  ask(kStore, address, value);
}

void EtherboneFunction::store_word(int bar, uint32_t address, uint64_t value) {
  FIRESIM_CHECK(bar == kWindow, "words are in BAR 4");
  ask(kStoreWord, address, value);
}

// A look brings all that the window shows. What it showed stays there until it is taken, which is
// an access, so words that are loaded next are those of the same look.
void EtherboneFunction::load_words(int bar, uint32_t address, std::span<uint64_t> words) {
  const size_t first = address / sizeof(uint64_t);
  FIRESIM_CHECK(bar == kWindow && first + words.size() <= view_.size(), "words are in the window");
  if (first == 0 || !is_seen_) {
    std::vector<uint32_t> reads(kViewWords);
    for (uint32_t i = 0; i < kViewWords; ++i) reads[i] = kView + 4 * i;
    const auto found = done(reads);
    for (size_t i = 0; i < view_.size(); ++i) {
      view_[i] = found[2 * i] | uint64_t{found[2 * i + 1]} << 32;
    }
    is_seen_ = true;
  }
  std::copy_n(view_.begin() + static_cast<ptrdiff_t>(first), words.size(), words.begin());
}

void EtherboneFunction::ask(uint32_t kind, uint32_t address, uint64_t value) {
  if (accesses_.words.size() == kMostAccesses * kAccessWords) done({});
  is_seen_ = false;
  for (const uint32_t word : {asked_++, kind << 30 | address, static_cast<uint32_t>(value),
                              static_cast<uint32_t>(value >> 32)}) {
    accesses_.words.push_back(word);
  }
}

std::vector<uint32_t> EtherboneFunction::done(const std::vector<uint32_t> &addresses) {
  question_.addresses = {kDone};
  question_.addresses.insert(question_.addresses.end(), addresses.begin(), addresses.end());
  const auto found = exchange();
  accesses_.words.clear();
  return {found.begin() + 1, found.end()};
}

std::vector<uint32_t> EtherboneFunction::exchange() {
  const auto begun = Clock::now();
  const auto waited = [&] { return std::chrono::duration_cast<Micros>(Clock::now() - begun); };
  Micros again = is_measured_ ? std::clamp(4 * usual_, patience_.least, kLongest) : patience_.first;
  std::vector<uint32_t> values;
  ++question_.number;
  for (int tries = 1;; ++tries, again = std::min(2 * again, kLongest)) {
    if (!accesses_.words.empty()) line_->send(etherbone_packet(accesses_));
    line_->send(etherbone_packet(question_));
    if (hear(std::min(again, patience_.answer - waited()), values)) {
      // A longer time is that of a loss, and says nothing of the next one.
      if (tries == 1) usual_ = is_measured_ ? (7 * usual_ + waited()) / 8 : waited();
      is_measured_ |= tries == 1;
      return values;
    }
    if (waited() < patience_.answer) continue;
    fail(
        fmt::format("found no answer for {} s to what was sent {} times, expected a board of "
                    "FireSim with Ethernet",
                    waited().count() / 100'000 / 10.0, tries));
  }
}

// Whether these are the answer to the last question, with nothing left to do before it.
bool EtherboneFunction::is_done(const std::vector<uint32_t> &values) const {
  if (values.size() != question_.addresses.size()) {
    fail(fmt::format("found an answer of {} words, expected {}", values.size(),
                     question_.addresses.size()));
  }
  if (question_.addresses[0] != kDone) return true;
  // The accesses may have been lost, or come behind the question. None but these may be left.
  const auto left = static_cast<uint32_t>(asked_ - values[0]);
  if (left > accesses_.words.size() / kAccessWords) {
    fail(
        fmt::format("found {} accesses done, expected {}: another host uses the board, or it was "
                    "reset",
                    values[0], asked_));
  }
  return left == 0;
}

// True when the answer came; others are those to questions before it.
bool EtherboneFunction::hear(Micros most, std::vector<uint32_t> &values) {
  std::array<uint8_t, 2048> bytes;
  const auto until = Clock::now() + most;
  for (auto left = most; left.count() > 0;
       left = std::chrono::duration_cast<Micros>(until - Clock::now())) {
    const size_t count = line_->receive(bytes, left);
    if (count == 0) continue;
    auto answer = count > bytes.size() ? std::nullopt : etherbone_writes({bytes.data(), count});
    if (!answer) {
      fail(fmt::format("found {} bytes that are no answer, expected one of Etherbone", count));
    }
    if (answer->address != question_.number) continue;
    values = std::move(answer->words);
    return is_done(values);
  }
  return false;
}

}  // namespace firesim::hostlib
