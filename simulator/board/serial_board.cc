// SPDX-License-Identifier: BSD-3-Clause
// Bits of a serial line, host cycle by host cycle; see serial_board.h.
#include "simulator/board/serial_board.h"

#include <fmt/format.h>

#include "core/model.h"

namespace firesim {
namespace {

constexpr uint32_t kStopBit = 8;  // by its number after the start bit
constexpr int kBreakBits = 20, kQuietBits = 16;
constexpr uint64_t kParts = 2000;                     // of a host cycle
constexpr uint64_t kMostError = 30;                   // of a bit, in parts of kParts: 1.5 %
constexpr uint64_t kMostGapBits = 30, kGapOneIn = 8;  // between bytes that have a gap

}  // namespace

SerialBoard::SerialBoard(const std::filesystem::path &library, const std::string &design_hash,
                         uint32_t bit_cycles, std::optional<uint64_t> hostile_seed)
    : library_(library),
      design_hash_(design_hash),
      random_(hostile_seed.value_or(0)),
      is_hostile_(hostile_seed.has_value()),
      bit_parts_(bit_cycles *
                 (is_hostile_ ? kParts - kMostError + random_() % (2 * kMostError + 1) : kParts)) {
  power_up();
}

void SerialBoard::power_up() {
  model_.emplace(library_, design_hash_, "board");
  const auto pin = [&](const std::string &name, bool is_input) {
    const auto found = model_->ports().find(name);
    if (found == model_->ports().end() || found->second.width_bits != 1 ||
        (found->second.is_input != 0) != is_input) {
      throw DescriptionError(fmt::format("board: found no {} '{}' of one bit, expected the line",
                                         is_input ? "input" : "output", name));
    }
    return static_cast<uint8_t *>(found->second.storage);
  };
  to_board_ = pin("to_board", true);
  from_board_ = pin("from_board", false);
  *to_board_ = 1;
  send_break();
}

void SerialBoard::send_break() {
  under_way_ = false;
  sent_of_bit_ = 0;
  bits_.assign(kBreakBits, false);
  bits_.insert(bits_.end(), kQuietBits, true);
  // A break looks like a byte without its stop bit at first: the board begins to complain of it.
  std::vector<uint8_t> dropped;
  while (!bits_.empty()) run(1, dropped);
}

void SerialBoard::send(uint8_t byte) {
  if (is_hostile_ && random_() % kGapOneIn == 0) {
    bits_.insert(bits_.end(), random_() % kMostGapBits, true);
  }
  bits_.push_back(false);
  for (int bit = 0; bit < 8; ++bit) bits_.push_back((byte >> bit & 1) != 0);
  bits_.push_back(true);
}

void SerialBoard::run(uint64_t host_cycles, std::vector<uint8_t> &heard) {
  for (; host_cycles != 0; --host_cycles) {
    if (!bits_.empty()) {
      *to_board_ = bits_.front() ? 1 : 0;
      if ((sent_of_bit_ += kParts) >= bit_parts_) {
        bits_.pop_front();
        sent_of_bit_ -= bit_parts_;
      }
    }
    model_->settle();
    listen(*from_board_ != 0, heard);
    model_->tick();
  }
}

// Looks at the middle of each bit. A byte without its stop bit is dropped, as a bridge does.
void SerialBoard::listen(bool level, std::vector<uint8_t> &heard) {
  if (!under_way_) {
    if (level) return;
    under_way_ = true;
    wait_ = bit_parts_ + bit_parts_ / 2;
    count_ = byte_ = 0;
    return;
  }
  if (wait_ > kParts) {
    wait_ -= kParts;
    return;
  }
  wait_ += bit_parts_ - kParts;
  if (count_ == kStopBit) {
    under_way_ = false;
    if (level) heard.push_back(static_cast<uint8_t>(byte_));
    return;
  }
  byte_ |= static_cast<uint32_t>(level) << count_++;
}

}  // namespace firesim
