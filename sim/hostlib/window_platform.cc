// SPDX-License-Identifier: BSD-3-Clause
// Words through a window of PCIe memory; see window_platform.h.
#include "hostlib/window_platform.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "hostlib/board_status.h"
#include "hostlib/registers.h"

namespace firesim::hostlib {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kRegisters = 0, kWindow = 4;  // the numbers of the BARs
constexpr size_t kRegisterBytes = 0x1000,
                 kWindowBytes = 0x2000;  // of a blade; the next one's follow
constexpr uint32_t kState = 0, kWords = 8, kDown = 0, kTake = 0x1000;  // addresses in the window
constexpr uint32_t kMostShown = 7, kMostRoom = 256;                    // LOG_ROOM of top.sv
constexpr uint32_t kCounts = (1 << 24) - 1;

}  // namespace

PciNeeds window_needs(const std::string &id, uint32_t slot) {
  const PciRange registers{slot * kRegisterBytes, kRegisterBytes};
  return {id, {{kRegisters, registers}, {kWindow, {slot * kWindowBytes, kWindowBytes}}}};
}

WindowPlatform::WindowPlatform(std::unique_ptr<PciFunction> function,
                               const WindowPatience &patience)
    : BoardPlatform(patience.quiet, patience.still),
      function_(std::move(function)),
      patience_(patience) {
  if (const auto why = clock_trouble(function_->load(kRegisters, kBoardStatus)); !why.empty()) {
    fail(why);
  }
  const State found = state();
  if (found.shown != 0 || found.sent != 0 || found.taken != 0) {
    fail(
        fmt::format("found a window with {} words down and {} taken, expected one that nobody used "
                    "since the board's image was loaded: load it again",
                    found.sent, found.taken));
  }
  room_ = found.room;
}

uint32_t WindowPlatform::read(uint32_t address) { return function_->load(kRegisters, address); }

void WindowPlatform::write(uint32_t address, uint32_t value) {
  function_->store(kRegisters, address, value);
  // The registers do one access after the other: when this load is over, so is the store. A word
  // that is sent next finds the register set.
  function_->load(kRegisters, kIdentity);
}

std::string WindowPlatform::trouble() {
  return board_trouble(function_->load(kRegisters, kBoardStatus));
}

// What a load of the state says, as far as it can be so.
WindowPlatform::State WindowPlatform::state() {
  uint64_t bits = 0;
  function_->load_words(kWindow, kState, {&bits, 1});
  if (bits == UINT64_MAX) {
    fail(
        "found only ones, expected the state of a window: nothing answers there, or the function's "
        "memory is not enabled");
  }
  const State found{static_cast<uint32_t>(bits & 15), static_cast<uint32_t>(bits >> 4 & 0xfff),
                    static_cast<uint32_t>(bits >> 16 & kCounts), static_cast<uint32_t>(bits >> 40)};
  if (found.shown > kMostShown || found.room > kMostRoom) {
    fail(fmt::format("found a window with {} words and room for {}, expected at most {} and {}",
                     found.shown, found.room, kMostShown, kMostRoom));
  }
  return found;
}

// Keeps the words that came up, and says that they are taken. True when there were any.
bool WindowPlatform::look() {
  const State found = state();
  // A load may overtake stores, so its counts may be behind; they never go back.
  const uint32_t unsent = (sent_ - found.sent) & kCounts;
  const uint32_t untaken = (taken_ - found.taken) & kCounts;
  if (unsent > unsent_ || untaken > untaken_ || untaken > found.shown) {
    fail(
        fmt::format("found a window with {} words down, {} taken and {} shown, expected {} to {} "
                    "down and {} to {} taken",
                    found.sent, found.taken, found.shown, (sent_ - unsent_) & kCounts,
                    sent_ & kCounts, (taken_ - untaken_) & kCounts, taken_ & kCounts));
  }
  unsent_ = unsent;
  untaken_ = untaken;
  room_ = found.room - std::min(found.room, unsent);
  // While words are still to be taken, those that follow move up under a load.
  if (untaken != 0 || found.shown == 0) return false;
  if (received_.size() + found.shown > kMostWords) {
    fail("found a flood of words that nobody asked for");
  }
  std::array<uint64_t, kMostShown> words;
  function_->load_words(kWindow, kWords, {words.data(), found.shown});
  received_.insert(received_.end(), words.begin(), words.begin() + found.shown);
  function_->store_word(kWindow, kTake, found.shown);
  taken_ += found.shown;
  untaken_ = found.shown;
  return true;
}

void WindowPlatform::wait_for_room() {
  const auto first = Clock::now();
  while (room_ == 0) {
    look();
    if (room_ == 0 && Clock::now() - first >= patience_.room) {
      fail(fmt::format("found no room for a word down for {} s", patience_.room.count() / 1e3));
    }
  }
}

void WindowPlatform::send(std::span<const uint64_t> words) {
  for (const uint64_t word : words) {
    if (room_ == 0) wait_for_room();
    function_->store_word(kWindow, kDown, word);
    --room_;
    ++sent_;
    ++unsent_;
  }
}

}  // namespace firesim::hostlib
