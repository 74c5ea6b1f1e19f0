// SPDX-License-Identifier: BSD-3-Clause
// The serial platform against far ends that are none: silent ones, ones that talk nonsense, floods.
// Every one is a sentence with the device's name, soon. Against a board: deploy/tests.
#include "hostlib/uart_platform.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/serial.h>
#include <linux/tty_flags.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <random>
#include <thread>

#include "core/model.h"
#include "core/tests/random_seed.h"
#include "hostlib/serial_line.h"

namespace firesim::hostlib {
namespace {

using Bytes = std::vector<uint8_t>;
// What a far end says to the bytes that came; called without any when none came for a while.
using Say = std::function<Bytes(const Bytes &)>;

constexpr UartPatience kShort{Milliseconds{20}, Milliseconds{50}, 4, 3};
// For far ends that answer, however slow this computer is.
constexpr UartPatience kLong{Milliseconds{20}, Milliseconds{60'000}, 4, 3};

class FarEnd {
 public:
  explicit FarEnd(Say say) : say_(std::move(say)) {
    near_ = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
    EXPECT_TRUE(near_ >= 0 && grantpt(near_) == 0 && unlockpt(near_) == 0);
    device_ = ptsname(near_);
    kept_ = open(device_.c_str(), O_RDWR | O_NOCTTY);
    termios raw{};
    tcgetattr(kept_, &raw);
    cfmakeraw(&raw);
    tcsetattr(kept_, TCSANOW, &raw);
    thread_ = std::thread([this] { serve(); });
  }
  ~FarEnd() {
    over_ = true;
    thread_.join();
    close(kept_);
    close(near_);
  }
  const std::string &device() const { return device_; }

 private:
  void serve() {
    while (!over_) {
      pollfd waits{near_, POLLIN, 0};
      Bytes came(256);
      const bool is_there = poll(&waits, 1, 1) > 0;
      const ssize_t count = is_there ? read(near_, came.data(), came.size()) : 0;
      came.resize(count > 0 ? static_cast<size_t>(count) : 0);
      const Bytes said = say_(came);
      for (size_t done = 0; done < said.size() && !over_;) {
        const ssize_t written = write(near_, said.data() + done, said.size() - done);
        if (written > 0) done += static_cast<size_t>(written);
      }
    }
  }

  Say say_;
  int near_ = -1, kept_ = -1;
  std::string device_;
  std::atomic<bool> over_{false};
  std::thread thread_;
};

// What is said of a far end, without the name of its device.
std::string refusal(const Say &say, const UartPatience &patience = kLong) {
  const FarEnd end(say);
  try {
    UartPlatform platform(end.device(), 1'000'000, "soc", patience);
    uint64_t word = 0;
    while (!platform.receive({&word, 1})) {
    }
    return "";
  } catch (const std::runtime_error &error) {
    const std::string text = error.what();
    const size_t place = text.find(end.device() + ": ");
    EXPECT_NE(place, std::string::npos) << text;
    return text.substr(place + end.device().size() + 2);
  }
}

// Answers reads with `value`, and says `more` once after the first one. Asked what the board says
// of itself, it knows no such command without a `status`, as bitstreams of before.
Say answering(uint32_t value, Bytes more, uint32_t status = 0) {
  return [value, more, status, left = Bytes{}, first = true](const Bytes &came) mutable {
    Bytes said;
    left.insert(left.end(), came.begin(), came.end());
    const auto say = [&](char letter, uint32_t number) {
      said.push_back(static_cast<uint8_t>(letter));
      for (int i = 0; i < 4; ++i) said.push_back(static_cast<uint8_t>(number >> 8 * i));
    };
    while (!left.empty() && (left[0] == 'S' || left.size() >= 2)) {
      if (left[0] == 'S') {
        left.erase(left.begin());
        if (status == 0) said.push_back('?');
        if (status != 0) say('s', status);
        continue;
      }
      left.erase(left.begin(), left.begin() + 2);
      say('r', value);
      if (first) said.insert(said.end(), more.begin(), more.end());
      first = false;
    }
    return said;
  };
}

TEST(UartPlatform, ASilentFarEnd) {
  const std::string said = refusal([](const Bytes &) { return Bytes{}; }, kShort);
  EXPECT_EQ(said.find("found no answer to the command R for "), 0u) << said;
}

TEST(UartPlatform, Nonsense) {
  const auto echo = [](const Bytes &came) { return came; };
  EXPECT_EQ(refusal(echo), "found the byte 0x52, expected 'r', an answer, or 'U', a word");
  EXPECT_EQ(refusal(answering(1, {'w'})), "found the byte 0x77, expected 'U', a word");
  EXPECT_EQ(refusal(answering(1, {'E'})),
            "a byte came to the board without its stop bit: noise, or other speed");
}

TEST(UartPlatform, ABoardThatIsNotWellSaysSo) {
  const std::string said = refusal(answering(7, {}, 0x42530023), kShort);
  EXPECT_EQ(said.find("the target stands still in cycle"), 0u) << said;
  EXPECT_EQ(refusal(answering(7, {}, 0x42530001), kShort),
            "the board holds its host side in reset");
}

TEST(UartPlatform, ATargetThatDoesNotGoOn) {
  const std::string said = refusal(answering(7, {'U', 1, 2, 3}), kShort);
  EXPECT_NE(said, "");  // the answers to what is asked next are the rest of that word
  EXPECT_EQ(refusal(answering(7, {})).find("the target stands still in cycle 30064771079: no "),
            0u);
}

TEST(UartPlatform, AFlood) {
  const std::string said =
      refusal([](const Bytes &came) { return came.empty() ? Bytes{} : Bytes((9 << 16) + 9, 'U'); });
  EXPECT_EQ(said, "found a flood of words that nobody asked for");
}

TEST(UartPlatform, RandomBytesEndSoon) {
  const uint64_t seed = random_seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  for (uint64_t round = 0; round < 12; ++round) {
    std::mt19937_64 random(seed + round);
    const bool letters = round % 2 == 0;
    const FarEnd end([&](const Bytes &came) {
      Bytes said(came.empty() ? 0 : random() % 64);
      for (uint8_t &byte : said) byte = letters ? "rUwd"[random() % 4] : random() % 256;
      return said;
    });
    try {
      UartPlatform platform(end.device(), 1'000'000, "soc", kShort);
      platform.write(kShort.still, 1);
      for (int i = 0; i < 100; ++i) platform.read(0);
    } catch (const std::runtime_error &error) {
      EXPECT_NE(std::string(error.what()).find(end.device()), std::string::npos) << error.what();
    }
  }
}

std::string cannot_open(const std::string &device) {
  try {
    SerialLine line(device, 1'000'000);
    return "";
  } catch (const DescriptionError &error) {
    return error.what();
  }
}

TEST(SerialLine, ABridgeIsAskedToWaitForNothing) {
  serial_struct settings{};
  settings.flags = ASYNC_SPD_MASK;
  const auto bridge = [&](unsigned long request, serial_struct *line) {
    if (request == TIOCGSERIAL) *line = settings;
    if (request == TIOCSSERIAL) settings = *line;
    return 0;
  };
  EXPECT_TRUE(ask_low_latency(bridge));
  EXPECT_EQ(static_cast<unsigned>(settings.flags), ASYNC_SPD_MASK | ASYNC_LOW_LATENCY);
  // A pseudo-terminal knows no such thing, and a driver may refuse it: the line is slower then.
  EXPECT_FALSE(ask_low_latency([](unsigned long, serial_struct *) { return -1; }));
  EXPECT_FALSE(ask_low_latency(
      [](unsigned long request, serial_struct *) { return request == TIOCSSERIAL ? -1 : 0; }));
}

TEST(SerialLine, WhatIsNone) {
  EXPECT_EQ(cannot_open("/dev/no-such"),
            "/dev/no-such: cannot be opened: No such file or directory");
  EXPECT_EQ(cannot_open("/dev/null"), "/dev/null: found no serial device, expected one");
  const FarEnd end([](const Bytes &) { return Bytes{}; });
  const SerialLine line(end.device(), 1'234'567);
  EXPECT_EQ(cannot_open(end.device()), end.device() + ": found it in use by another process");
}

}  // namespace
}  // namespace firesim::hostlib
