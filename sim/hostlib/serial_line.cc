// SPDX-License-Identifier: BSD-3-Clause
// The serial devices of Linux; see serial_line.h.
#include "hostlib/serial_line.h"

// The kernel's own structure, which takes any speed; <termios.h> has another of the same name.
#include <asm/termbits.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/serial.h>
#include <linux/tty_flags.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <thread>

#include "core/model.h"

namespace firesim::hostlib {
namespace {

constexpr Milliseconds kBreak{10};
constexpr Milliseconds kSettle{50};  // until what was under way has come: USB has a latency
// What a receiver bears over the ten bits of a byte is half a bit, and the other end errs, too.
constexpr double kMostSpeedError = 0.02;

std::string reason() { return std::strerror(errno); }

}  // namespace

bool ask_low_latency(const SerialControl &control) {
  serial_struct line{};
  if (control(TIOCGSERIAL, &line) != 0) return false;
  line.flags |= static_cast<int>(ASYNC_LOW_LATENCY);
  return control(TIOCSSERIAL, &line) == 0;
}

SerialLine::SerialLine(const std::string &device, uint32_t bits_per_s) : device_(device) {
  // Without O_NONBLOCK a device that waits for its carrier is opened never.
  file_ = open(device.c_str(), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  if (file_ < 0) throw DescriptionError(fmt::format("{}: cannot be opened: {}", device, reason()));
  try {
    set_up(bits_per_s);
  } catch (...) {
    close(file_);
    throw;
  }
}

SerialLine::~SerialLine() { close(file_); }

void SerialLine::set_up(uint32_t bits_per_s) {
  termios2 settings{};
  if (ioctl(file_, TCGETS2, &settings) != 0) {
    throw DescriptionError(fmt::format("{}: found no serial device, expected one", device_));
  }
  if (flock(file_, LOCK_EX | LOCK_NB) != 0) {
    throw DescriptionError(fmt::format("{}: found it in use by another process", device_));
  }
  settings.c_iflag = 0;
  settings.c_oflag = 0;
  settings.c_lflag = 0;
  settings.c_cflag = CS8 | CREAD | CLOCAL | BOTHER | (BOTHER << IBSHIFT);
  settings.c_ispeed = settings.c_ospeed = bits_per_s;
  settings.c_cc[VMIN] = 1;
  settings.c_cc[VTIME] = 0;
  if (ioctl(file_, TCSETS2, &settings) != 0 || ioctl(file_, TCGETS2, &settings) != 0) {
    throw DescriptionError(
        fmt::format("{}: cannot be set to {} bit/s: {}", device_, bits_per_s, reason()));
  }
  ask_low_latency(
      [this](unsigned long request, serial_struct *line) { return ioctl(file_, request, line); });
  const double error = static_cast<double>(settings.c_ospeed) / bits_per_s - 1;
  if (error > kMostSpeedError || error < -kMostSpeedError) {
    throw DescriptionError(
        fmt::format("{}: found a speed of {} bit/s, expected {}: the device has "
                    "no other one near it",
                    device_, settings.c_ospeed, bits_per_s));
  }
}

void SerialLine::forget() {
  if (ioctl(file_, TCFLSH, TCIOFLUSH) != 0) {
    throw std::runtime_error(fmt::format("{}: cannot be flushed: {}", device_, reason()));
  }
}

void SerialLine::send_break() {
  forget();
  if (ioctl(file_, TIOCSBRK) != 0) {
    throw std::runtime_error(fmt::format("{}: sends no break: {}", device_, reason()));
  }
  std::this_thread::sleep_for(kBreak);
  ioctl(file_, TIOCCBRK);
  std::this_thread::sleep_for(kSettle);
  forget();
}

// True when one of `events` is there.
bool SerialLine::wait(short events, Milliseconds most) {
  pollfd waits{file_, events, 0};
  const int found = poll(&waits, 1, static_cast<int>(most.count()));
  if (found < 0 && errno != EINTR) {
    throw std::runtime_error(fmt::format("{}: cannot be waited for: {}", device_, reason()));
  }
  return found > 0;
}

void SerialLine::write(std::span<const uint8_t> bytes, Milliseconds most) {
  const auto until = std::chrono::steady_clock::now() + most;
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_, bytes.data(), bytes.size());
    if (written > 0) {
      bytes = bytes.subspan(static_cast<size_t>(written));
      continue;
    }
    if (written < 0 && errno != EAGAIN && errno != EINTR) {
      throw std::runtime_error(fmt::format("{}: cannot be written: {}", device_, reason()));
    }
    const auto left =
        std::chrono::duration_cast<Milliseconds>(until - std::chrono::steady_clock::now());
    if (left.count() <= 0) {
      throw std::runtime_error(
          fmt::format("{}: took no byte for {} s", device_, most.count() / 1e3));
    }
    wait(POLLOUT, left);
  }
}

size_t SerialLine::read(std::span<uint8_t> bytes, Milliseconds most) {
  if (!wait(POLLIN, most)) return 0;
  const ssize_t found = ::read(file_, bytes.data(), bytes.size());
  if (found > 0) return static_cast<size_t>(found);
  if (found < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
  throw std::runtime_error(
      fmt::format("{}: is gone: {}", device_, found == 0 ? "found its end" : reason()));
}

}  // namespace firesim::hostlib
