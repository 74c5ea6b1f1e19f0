// SPDX-License-Identifier: BSD-3-Clause
// Reads and writes the devices of AMD's driver; see xdma_devices.h.
#include "hostlib/xdma_devices.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "core/check.h"
#include "hostlib/part_lock.h"
#include "hostlib/signals_blocked.h"

namespace firesim::hostlib {
namespace {

constexpr const char *kUser = "user";
constexpr size_t kWordBytes = 8;
// The driver says so after its time limit: a number of the kernel's that <cerrno> has not.
constexpr int kRestart = 512;

// The driver waits so that a signal ends a transfer, with words lost. A transfer has a time limit.
ssize_t write_whole(int file, const uint64_t *words, size_t bytes) {
  const SignalsBlocked blocked;
  return write(file, words, bytes);
}

ssize_t read_whole(int file, uint64_t *words, size_t bytes) {
  const SignalsBlocked blocked;
  return read(file, words, bytes);
}

std::string reason() {
  if (errno == kRestart) return "the transfer took longer than the driver's limit";
  return std::strerror(errno);
}

}  // namespace

XdmaDevices::XdmaDevices(const std::string &device, uint32_t slot)
    : device_(device),
      slot_(slot),
      down_name_(fmt::format("h2c_{}", slot)),
      up_name_(fmt::format("c2h_{}", slot)) {
  try {
    user_ = open_one(kUser, O_RDWR | O_SYNC);
    if (!lock_part(user_, slot_ * kXdmaRegisterBytes, kXdmaRegisterBytes)) {
      fail("found it in use by another run or another node");
    }
    map();
    down_ = open_one(down_name_, O_WRONLY);
    up_ = open_one(up_name_, O_RDONLY);
  } catch (...) {
    close_all();
    throw;
  }
}

XdmaDevices::~XdmaDevices() { close_all(); }

void XdmaDevices::fail(const std::string &what) const {
  throw std::runtime_error(fmt::format("{}: {}", device_, what));
}

std::string XdmaDevices::said(const std::string &kind) const {
  return fmt::format("{}_{}", device_, kind);
}

int XdmaDevices::open_one(const std::string &kind, int flags) {
  const int file = open(said(kind).c_str(), flags | O_CLOEXEC);
  if (file >= 0) return file;
  if (errno == ENOENT) {
    fail(
        fmt::format("found no {}, expected the name of a card of AMD's XDMA driver, such as "
                    "/dev/xdma0, or the socket of a simulated board",
                    said(kind)));
  }
  fail(fmt::format("{} cannot be opened: {}", said(kind), reason()));
}

void XdmaDevices::map() {
  void *place = mmap(nullptr, kXdmaRegisterBytes, PROT_READ | PROT_WRITE, MAP_SHARED, user_,
                     static_cast<off_t>(slot_ * kXdmaRegisterBytes));
  if (place == MAP_FAILED) fail(fmt::format("{} cannot be mapped: {}", said(kUser), reason()));
  registers_ = static_cast<volatile uint8_t *>(place);
}

void XdmaDevices::close_all() {
  if (registers_ != nullptr) munmap(const_cast<uint8_t *>(registers_), kXdmaRegisterBytes);
  for (const int file : {user_, down_, up_}) {
    if (file >= 0) close(file);
  }
}

volatile uint32_t &XdmaDevices::at(uint32_t address) {
  FIRESIM_CHECK(address % 4 == 0 && address < kXdmaRegisterBytes,
                "an access lies in what was mapped of a card");
  return *reinterpret_cast<volatile uint32_t *>(registers_ + address);
}

uint32_t XdmaDevices::load(uint32_t address) { return at(address); }

void XdmaDevices::store(uint32_t address, uint32_t value) { at(address) = value; }

void XdmaDevices::send(std::span<const uint64_t> words) {
  while (!words.empty()) {
    const size_t count = std::min(words.size(), kPageWords);
    std::copy_n(words.begin(), count, page_.begin());
    const ssize_t bytes = write_whole(down_, page_.data(), count * kWordBytes);
    if (bytes < 0) fail(fmt::format("{} takes no words: {}", said(down_name_), reason()));
    if (static_cast<size_t>(bytes) != count * kWordBytes) {
      fail(fmt::format("{} took {} bytes, expected {}", said(down_name_), bytes,
                       count * kWordBytes));
    }
    words = words.subspan(count);
  }
}

size_t XdmaDevices::receive(std::span<uint64_t> words) {
  const size_t most = std::min(words.size(), kPageWords);
  const ssize_t bytes = read_whole(up_, page_.data(), most * kWordBytes);
  if (bytes < 0) fail(fmt::format("{} gives no words: {}", said(up_name_), reason()));
  const auto count = static_cast<size_t>(bytes) / kWordBytes;
  if (count == 0 || count > most || static_cast<size_t>(bytes) % kWordBytes != 0) {
    fail(fmt::format("{} gave {} bytes, expected a multiple of {} up to {}", said(up_name_), bytes,
                     kWordBytes, most * kWordBytes));
  }
  std::copy_n(page_.begin(), count, words.begin());
  return count;
}

}  // namespace firesim::hostlib
