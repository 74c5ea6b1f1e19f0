// SPDX-License-Identifier: BSD-3-Clause
// Commands and answers on a serial line; see uart_platform.h.
#include "hostlib/uart_platform.h"

#include <fmt/format.h>

#include <stdexcept>

#include "core/model.h"
#include "hostlib/board_status.h"
#include "hostlib/registers.h"
#include "hostlib/serial_line.h"

namespace firesim::hostlib {
namespace {

constexpr size_t kMostUnansweredBytes = 64;  // LOG_BYTES of firesim_uart_link.v
constexpr size_t kWordBytes = 8, kValueBytes = 4;

template <typename Number>
Number number(const uint8_t *bytes) {  // the lowest byte first
  Number value = 0;
  for (size_t i = 0; i < sizeof(Number); ++i) value |= static_cast<Number>(bytes[i]) << 8 * i;
  return value;
}

template <typename Number>
void put(uint8_t *bytes, Number value) {
  for (size_t i = 0; i < sizeof(Number); ++i) bytes[i] = static_cast<uint8_t>(value >> 8 * i);
}

}  // namespace

UartPlatform::UartPlatform(const std::string &device, uint32_t bits_per_s, const std::string &where,
                           const UartPatience &patience) try
    : UartPlatform(std::make_unique<SerialLine>(device, bits_per_s), patience) {
} catch (const std::runtime_error &error) {
  throw DescriptionError(fmt::format("{}: {}", where, error.what()));
}

UartPlatform::UartPlatform(std::unique_ptr<ByteLine> line, const UartPatience &patience)
    : BoardPlatform(patience.quiet, patience.still), line_(std::move(line)), patience_(patience) {
  line_->send_break();
  read(kIdentity);
}

uint32_t UartPlatform::read(uint32_t address) {
  const std::array<uint8_t, 2> bytes{'R', static_cast<uint8_t>(address)};
  command(bytes);
  wait_for_answers(0);
  return value_;
}

std::string UartPlatform::trouble() {
  command(std::array<uint8_t, 1>{'S'});
  wait_for_answers(0);
  return board_trouble(value_);
}

void UartPlatform::write(uint32_t address, uint32_t value) {
  std::array<uint8_t, 2 + kValueBytes> bytes{'W', static_cast<uint8_t>(address)};
  put(bytes.data() + 2, value);
  command(bytes);
  wait_for_answers(0);
}

void UartPlatform::send(std::span<const uint64_t> words) {
  for (const uint64_t word : words) {
    std::array<uint8_t, 1 + kWordBytes> bytes{'D'};
    put(bytes.data() + 1, word);
    command(bytes);
  }
}

void UartPlatform::command(std::span<const uint8_t> bytes) {
  wait_for_answers(kMostUnansweredBytes - bytes.size());
  line_->write(bytes, patience_.answer);
  unanswered_.push_back({static_cast<uint8_t>(bytes[0] | 0x20), bytes.size()});
  unanswered_bytes_ += bytes.size();
}

// Until the commands without an answer have so many bytes at most.
void UartPlatform::wait_for_answers(size_t most_left_bytes) {
  auto last = std::chrono::steady_clock::now();
  const auto first = last;
  while (unanswered_bytes_ > most_left_bytes) {
    const bool heard = hear(patience_.answer);
    const auto now = std::chrono::steady_clock::now();
    if (heard) last = now;
    if (now - last >= patience_.answer ||
        now - first >= patience_.answer * patience_.most_answers) {
      fail(
          fmt::format("found no answer to the command {:c} for {} s, expected '{:c}': a board of "
                      "FireSim with this serial line",
                      static_cast<char>(unanswered_.front().answer & ~0x20),
                      std::chrono::duration_cast<Milliseconds>(now - first).count() / 1e3,
                      static_cast<char>(unanswered_.front().answer)));
    }
  }
}

// True when bytes came.
bool UartPlatform::hear(Milliseconds most) {
  std::array<uint8_t, 4096> bytes;
  const size_t count = line_->read(bytes, most);
  heard_.insert(heard_.end(), bytes.begin(), bytes.begin() + count);
  take_apart();
  return count != 0;
}

void UartPlatform::take_apart() {
  size_t taken = 0;
  const auto left = [&] { return heard_.size() - taken; };
  while (left() != 0) {
    const uint8_t letter = heard_[taken];
    if (letter == 'U') {
      if (left() < 1 + kWordBytes) break;
      if (received_.size() == kMostWords) fail("found a flood of words that nobody asked for");
      received_.push_back(number<uint64_t>(&heard_[taken + 1]));
      taken += 1 + kWordBytes;
      continue;
    }
    if (letter == 'E') fail("a byte came to the board without its stop bit: noise, or other speed");
    // A bitstream of before has no such command.
    const bool knows_none =
        letter == '?' && !unanswered_.empty() && unanswered_.front().answer == 's';
    if (!knows_none && (unanswered_.empty() || letter != unanswered_.front().answer)) {
      fail(fmt::format("found the byte {:#04x}, expected {}", letter,
                       unanswered_.empty() ? "'U', a word"
                                           : fmt::format("'{:c}', an answer, or 'U', a word",
                                                         unanswered_.front().answer)));
    }
    const size_t length = letter == 'r' || letter == 's' ? 1 + kValueBytes : 1;
    if (left() < length) break;
    if (knows_none) value_ = 0;
    if (length != 1) value_ = number<uint32_t>(&heard_[taken + 1]);
    taken += length;
    unanswered_bytes_ -= unanswered_.front().bytes;
    unanswered_.pop_front();
  }
  heard_.erase(heard_.begin(), heard_.begin() + static_cast<ptrdiff_t>(taken));
}

}  // namespace firesim::hostlib
