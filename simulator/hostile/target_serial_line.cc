// SPDX-License-Identifier: BSD-3-Clause
//
// What comes from a serial line behind which a board should be: answers and rows, noise, cuts, and
// bytes without an end. Whatever they are, a run ends in a sentence.
//
// The first byte of an input says how the others come: bit 0, one by one or all that there are; bit
// 1, whether the line falls silent after them, or says the last ones for ever.
#include <algorithm>
#include <memory>
#include <stdexcept>

#include "hostlib/registers.h"
#include "hostlib/uart_platform.h"
#include "simulator/hostile/far_target.h"
#include "simulator/hostile/targets.h"

namespace firesim::hostile {

namespace {

constexpr char kAtOnce = 1, kEndless = 2;
constexpr size_t kRepeated = 9;  // bytes: those of a word
constexpr size_t kMostReads = (1 << 16) * kRepeated + 4096, kMostSilent = 64;

class SpokenLine final : public hostlib::ByteLine {
 public:
  explicit SpokenLine(const std::string &input)
      : how_(input.empty() ? '\0' : input[0]), text_(input.empty() ? "" : input.substr(1)) {}
  const std::string &device() const override { return device_; }
  void send_break() override {}
  void write(std::span<const uint8_t>, hostlib::Milliseconds) override {}

  size_t read(std::span<uint8_t> bytes, hostlib::Milliseconds) override {
    if (++reads_ > kMostReads) throw std::logic_error("a line without an end is waited for");
    if (at_ == text_.size() && (how_ & kEndless) != 0) at_ -= std::min(at_, kRepeated);
    const size_t most = (how_ & kAtOnce) != 0 ? bytes.size() : 1;
    const size_t count = std::min(most, text_.size() - at_);
    std::copy_n(text_.begin() + static_cast<ptrdiff_t>(at_), count, bytes.begin());
    at_ += count;
    // Time does not pass here: a line that says nothing is unplugged.
    if (count == 0 && ++silent_ > kMostSilent) throw std::runtime_error(device_ + ": is gone");
    return count;
  }

 private:
  const char how_;
  const std::string text_, device_ = "line";
  size_t at_ = 0, reads_ = 0, silent_ = 0;
};

Verdict take_line(const std::string &input) {
  return taken_target([&] {
    const hostlib::UartPatience patience{hostlib::Milliseconds{0}, std::chrono::hours{1}, 2,
                                         static_cast<int>(kMostSilent) / 2};
    return std::make_unique<hostlib::UartPlatform>(std::make_unique<SpokenLine>(input), patience);
  });
}

void append(std::string &text, uint64_t value, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) text += static_cast<char>(value >> 8 * i);
}

std::string good_line() {
  std::string text(1, '\0');
  for (const uint64_t value :
       {uint64_t{hostlib::kIdentityValue}, uint64_t{hostlib::kIdentityValue},
        uint64_t{hostlib::kVersionValue}, kFarHash, kFarHash >> 32, uint64_t{0}}) {
    append(text += 'r', value, 4);
  }
  text += "wwwwwd";
  for (const uint64_t word : far_row()) append(text += 'U', word, 8);
  return text;
}

// The way in which a line speaks is changed of some, too.
std::string mutate_line(const std::string &good, Random &random) {
  std::string text = random() % 4 == 0 ? good : mutated_bytes(good, random);
  if (text.empty()) return text;
  if (random() % 4 == 0) text[0] = static_cast<char>(random() % 4);
  if (random() % 4 == 0) text.resize(1 + random() % text.size());
  // Letters of the protocol where others were.
  for (uint64_t left = random() % 3; left > 0; --left) {
    text[random() % text.size()] = "rwdUE"[random() % 5];
  }
  return text;
}

}  // namespace

Target serial_line_target() { return {"serial-line", {good_line()}, mutate_line, take_line}; }

}  // namespace firesim::hostile
