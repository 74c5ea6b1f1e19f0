// SPDX-License-Identifier: BSD-3-Clause
// What the NIC counts, in the order of its registers.
#pragma once

#include <array>
#include <cstdint>

namespace firesim::functional::rdma {

enum Counter : uint32_t {
  kPacketsSent,
  kPacketsReceived,
  kMalformed,
  kWrongIcrc,
  kWentBack,
  kTimedOut,
  kNotReadyReceived,
  kNegativeSent,
  kDuplicates,
  kNotificationsSent,
  kNotificationsReceived,
  kMarkedReceived,
  kCounters
};

struct Counters {
  std::array<uint32_t, kCounters> values{};

  void count(Counter counter) { ++values[counter]; }
};

}  // namespace firesim::functional::rdma
