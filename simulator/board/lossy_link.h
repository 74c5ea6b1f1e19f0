// SPDX-License-Identifier: BSD-3-Clause
// A link that loses datagrams, doubles them, and lets them overtake each other, by a seed.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <utility>
#include <vector>

namespace firesim {

template <typename Datagram>
class LossyLink {
 public:
  // Of so many in a hundred each happens.
  LossyLink(uint64_t seed, uint32_t loss_percent) : random_(seed), percent_(loss_percent) {}

  // What arrives when a datagram is sent: the one that was held back comes behind it.
  std::vector<Datagram> pass(Datagram sent) {
    std::vector<Datagram> arrived;
    if (!happens()) {
      if (happens()) arrived.push_back(sent);
      if (!held_ && happens()) {
        held_ = std::move(sent);
        return arrived;
      }
      arrived.push_back(std::move(sent));
    }
    if (held_ && !arrived.empty()) arrived.push_back(*std::exchange(held_, std::nullopt));
    return arrived;
  }

  // Nothing that was sent before arrives any more.
  void forget() { held_.reset(); }

 private:
  bool happens() { return random_() % 100 < percent_; }

  std::mt19937_64 random_;
  const uint32_t percent_;
  std::optional<Datagram> held_;
};

}  // namespace firesim
