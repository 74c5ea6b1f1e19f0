// SPDX-License-Identifier: BSD-3-Clause
// Streams over the socket of a simulated card, and the choice between both kinds of cards.
#include "hostlib/simulated_xdma_card.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "hostlib/xdma_devices.h"

namespace firesim::hostlib {

void SimulatedXdmaCard::send(std::span<const uint64_t> words) {
  for (const uint64_t word : words) socket_.store_word(kXdmaDown, 0, word);
}

size_t SimulatedXdmaCard::receive(std::span<uint64_t> words) {
  std::array<uint64_t, kMostPciWords> found{};
  const size_t most = std::min(words.size(), kMostPciWords - 1);
  socket_.load_words(kXdmaUp, 0, {found.data(), most + 1});
  if (found[0] == 0 || found[0] > most) {
    throw std::runtime_error(
        fmt::format("{}: found {} words, expected 1 to {}", device(), found[0], most));
  }
  const auto count = static_cast<size_t>(found[0]);
  std::copy_n(found.begin() + 1, count, words.begin());
  return count;
}

std::unique_ptr<XdmaCard> open_xdma_card(const std::string &device, uint32_t slot) {
  struct stat found {};
  if (stat(device.c_str(), &found) == 0 && S_ISSOCK(found.st_mode)) {
    return std::make_unique<SimulatedXdmaCard>(device, slot);
  }
  return std::make_unique<XdmaDevices>(device, slot);
}

}  // namespace firesim::hostlib
