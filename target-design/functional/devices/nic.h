// SPDX-License-Identifier: BSD-3-Clause
// The NIC: its registers over a send path and a receive path (docs/reference/interfaces/
// hardware.md).
#pragma once

#include "devices/nic_settings.h"
#include "functional/devices/nic_receiver.h"
#include "functional/devices/nic_sender.h"
#include "functional/devices/register_device.h"

namespace firesim::functional {

// What a NIC has besides: the options of its part.
struct NicFeatures {
  bool checksum = false;    // makes those of frames it sends, and sums of those it receives
  bool moderation = false;  // holds interrupts back

  bool any() const { return checksum || moderation; }
  uint32_t word() const { return (checksum ? 1u : 0) | (moderation ? 2u : 0); }
};

class Nic final : public RegisterDevice {
 public:
  // A flit sent in cycle t is on the link in cycle t + `delay_cycles`.
  Nic(const devices::NicSettings &settings, uint32_t delay_cycles, DeviceMemory &memory,
      NicFeatures features = {})
      : mac_(settings.mac),
        sender_(settings.rate_increment, settings.rate_period, delay_cycles, memory, output_),
        receiver_(memory) {
    set_features(features);
  }

  // Tokens that have arrived, in order, of cycles not yet advanced to.
  void arrive(const Batch &tokens) { receiver_.input().push(tokens); }
  // Moves what is on the link in the cycles of `batch` before `end_cycle` into it. The send path
  // must have been brought to the cycles that takes.
  void move_output(Batch &batch, uint64_t end_cycle) { output_.move_to(batch, end_cycle); }
  // Sends what is due up to a cycle, which no access may come before.
  void send_until(uint64_t cycle) {
    if (!sender_.idle()) sender_.advance(cycle);
  }
  const NicFeatures &features() const { return features_; }
  // Forgets what has arrived and has not been seen.
  void drop_input() { receiver_.input() = FlitTimeline(); }

  // Nothing is being sent, or written to memory, and all packets that were have been taken note of.
  bool at_rest() const { return sender_.at_rest() && receiver_.at_rest(); }
  // Buffers for packets that have not come yet, oldest first.
  std::vector<uint64_t> receive_buffers() const {
    return {receiver_.requests().begin(), receiver_.requests().end()};
  }
  std::vector<Flit> unread(bool &cut) const { return receiver_.unread(cut); }
  // Sent, and not on the link yet.
  std::vector<Flit> unsent() const { return output_.flits(); }

  void advance(uint64_t cycle) override;
  uint64_t next_event() const override;
  bool interrupt() const override;
  void save(StateWriter &state) const override;
  void load(StateReader &state) override;
  nlohmann::json statistics() const;

 private:
  std::span<const RegisterInfo> registers() const override;
  uint64_t read_register(uint32_t offset) override;
  void write_register(uint32_t offset, uint64_t value) override;

  void set_features(NicFeatures features);
  // Completions that wait and are not masked.
  bool pending() const;
  void note_pending();
  uint64_t held_until() const;

  NicFeatures features_;
  uint64_t mac_;
  uint32_t interrupt_mask_ = 0;
  uint32_t moderation_ = 0;
  uint64_t now_ = 0;
  uint64_t pending_since_ = kNever;  // kNever while nothing is pending
  FlitTimeline output_;              // in the time of the link
  NicSender sender_;
  NicReceiver receiver_;
};

}  // namespace firesim::functional
