// SPDX-License-Identifier: BSD-3-Clause
// Accesses as packets; see simulated_pci_function.h.
#include "hostlib/simulated_pci_function.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "core/check.h"

namespace firesim::hostlib {

SimulatedPciFunction::SimulatedPciFunction(const std::string &device, const PciNeeds &needs,
                                           std::chrono::milliseconds most)
    : device_(device), needs_(needs), most_(most), file_(pci_socket(device, false)) {
  const timeval limit{most.count() / 1000, most.count() % 1000 * 1000};
  setsockopt(file_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  setsockopt(file_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
}

SimulatedPciFunction::~SimulatedPciFunction() { close(file_); }

void SimulatedPciFunction::fail(const std::string &what) const {
  throw std::runtime_error(fmt::format("{}: {}", device_, what));
}

void SimulatedPciFunction::say(PciAccess access, int bar, uint32_t address, uint32_t count,
                               uint64_t value) {
  const auto range = needs_.ranges.find(bar);
  if (range != needs_.ranges.end()) address += static_cast<uint32_t>(range->second.first);
  const PciRequest request{access, static_cast<uint32_t>(bar), address, count, value};
  ssize_t sent = -1;
  do sent = send(file_, &request, sizeof(request), MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  if (sent == sizeof(request)) return;
  if (errno == EAGAIN) fail(fmt::format("took no access for {} s", most_.count() / 1e3));
  fail(fmt::format("the simulated board is gone: {}", std::strerror(errno)));
}

void SimulatedPciFunction::hear(std::span<uint64_t> words) {
  std::array<uint64_t, kMostPciWords + 1> found;  // room for what is too long
  ssize_t bytes = -1;
  do bytes = recv(file_, found.data(), sizeof(found), 0);
  while (bytes < 0 && errno == EINTR);
  if (bytes < 0 && errno == EAGAIN) {
    fail(fmt::format("found no answer to a load for {} s", most_.count() / 1e3));
  }
  if (bytes <= 0) {
    fail(fmt::format("the simulated board is gone: {}",
                     bytes == 0 ? "it ended, or another run has it" : std::strerror(errno)));
  }
  if (static_cast<size_t>(bytes) != words.size_bytes()) {
    fail(fmt::format("found an answer of {} bytes to a load, expected {}", bytes,
                     words.size_bytes()));
  }
  std::memcpy(words.data(), found.data(), words.size_bytes());
}

uint32_t SimulatedPciFunction::load(int bar, uint32_t address) {
  say(PciAccess::kLoad, bar, address, 1, 0);
  uint64_t value = 0;
  hear({&value, 1});
  if (value > UINT32_MAX) fail(fmt::format("found {:#x}, expected 32 bits", value));
  return static_cast<uint32_t>(value);
}

void SimulatedPciFunction::store(int bar, uint32_t address, uint32_t value) {
  say(PciAccess::kStore, bar, address, 1, value);
}

void SimulatedPciFunction::load_words(int bar, uint32_t address, std::span<uint64_t> words) {
  FIRESIM_CHECK(!words.empty() && words.size() <= kMostPciWords, "a request has some words");
  say(PciAccess::kLoadWords, bar, address, static_cast<uint32_t>(words.size()), 0);
  hear(words);
}

void SimulatedPciFunction::store_word(int bar, uint32_t address, uint64_t value) {
  say(PciAccess::kStoreWord, bar, address, 1, value);
}

}  // namespace firesim::hostlib
