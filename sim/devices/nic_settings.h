// SPDX-License-Identifier: BSD-3-Clause
// What the description says of a blade's NIC, whatever engine evaluates the blade, and the identity
// frame that a clone is told by who it is (docs/reference/interfaces/linux.md).
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/batch.h"
#include "devices/config.h"

namespace firesim::devices {

// Keys: port (0, of a blade with one link), mac ("00:12:6D:00:00:02"), rate_increment and
// rate_period (k flits every p cycles, 1 and 1 by default), announce ({ip, name, index,
// nodes, seed, run}, the last one optional).
struct NicSettings {
  // Throws ConfigError, starting with `where`.
  NicSettings(const nlohmann::json &settings, const std::string &where);

  // Makes the rate one of the edges of a slower clock, which has `edges` for `of` cycles: the same
  // number of flits, at most one an edge.
  void rate_on_clock(uint32_t edges, uint32_t of);

  uint64_t mac;  // byte 0 of the address in bits 7:0
  uint16_t rate_increment;
  uint16_t rate_period;
  std::vector<uint64_t> identity_frame;  // as flits; empty when there is nothing to announce
};

// Puts the identity frame before the packets a NIC receives; what arrives meanwhile waits behind it
// and catches up in the gaps. The frame never cuts a packet: it waits for the end of the one that
// is arriving.
class Announcer {
 public:
  explicit Announcer(std::vector<uint64_t> frame) : frame_(std::move(frame)) {}

  // The tokens the NIC sees in the cycles of `input`; valid until the next call. Nothing is sent
  // before `first_cycle`.
  const Batch &pass(const Batch &input, uint64_t first_cycle) {
    if (frame_.empty() && waiting_.empty() && !discarding_) {
      if (!input.empty()) within_packet_ = !input.runs().back().last;
      return input;
    }
    return delay(input, first_cycle);
  }

  // State: flits that wait, and whether the last one that arrived was within a packet. The frame is
  // none of it: it belongs to the description.
  const std::vector<Flit> &waiting() const { return waiting_; }
  bool within_packet() const { return within_packet_; }
  bool discarding() const { return discarding_; }
  void restore(std::vector<Flit> waiting, bool within_packet) {
    waiting_ = std::move(waiting);
    within_packet_ = within_packet;
  }
  // Drops what arrives up to the end of a packet, whose beginning has been dropped already.
  void discard_packet() { discarding_ = true; }

 private:
  const Batch &delay(const Batch &input, uint64_t first_cycle);
  void announce();

  std::vector<uint64_t> frame_;  // emptied when it has been put in
  std::vector<Flit> waiting_;    // not yet seen by the NIC
  bool within_packet_ = false;   // the last flit that arrived does not end its packet
  bool discarding_ = false;      // the rest of a packet
  Batch output_;
};

}  // namespace firesim::devices
