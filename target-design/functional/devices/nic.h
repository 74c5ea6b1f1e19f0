// SPDX-License-Identifier: BSD-3-Clause
// The NIC: its registers over a send path and a receive path (docs/reference/interfaces/
// hardware.md).
#pragma once

#include <memory>

#include "devices/nic_settings.h"
#include "devices/warm_start.h"
#include "functional/devices/nic_receiver.h"
#include "functional/devices/nic_sender.h"
#include "functional/devices/register_device.h"
#include "functional/devices/stream_socket.h"

namespace firesim::functional {

// What a NIC has besides: the options of its part.
struct NicFeatures {
  bool checksum = false;    // makes those of frames it sends, and sums of those it receives
  bool moderation = false;  // holds interrupts back
  uint32_t queues = 1;      // receive queues, among which flows are spread

  bool any() const { return word() != 0; }
  // As FEATURES says.
  uint32_t word() const {
    return (checksum ? devices::kNicChecksum : 0) | (moderation ? devices::kNicModeration : 0) |
           (queues > 1 ? queues << devices::kNicQueuesShift : 0);
  }
};

class Nic final : public RegisterDevice {
 public:
  // A flit sent in cycle t is on the link in cycle t + `delay_cycles`.
  Nic(const devices::NicSettings &settings, uint32_t delay_cycles, DeviceMemory &memory,
      NicFeatures features = {})
      : mac_(settings.mac),
        delay_cycles_(delay_cycles),
        sender_(settings.rate_increment, settings.rate_period, delay_cycles, memory, output_),
        receiver_(memory) {
    set_features(features);
  }

  // A part in its stream socket, which outlives it; the first one stands nearest to DMA.
  void add_stage(StreamStage &stage);

  // Tokens that have arrived, in order, of cycles not yet advanced to.
  void arrive(const Batch &tokens) {
    (socket_ ? socket_->from_link() : receiver_.input()).push(tokens);
  }
  // Moves what is on the link in the cycles of `batch` before `end_cycle` into it. The send path
  // must have been brought to the cycles that takes.
  void move_output(Batch &batch, uint64_t end_cycle) { output_.move_to(batch, end_cycle); }
  // Sends what is due up to a cycle, which no access may come before.
  void send_until(uint64_t cycle) {
    if (!socket_ && !sender_.idle()) sender_.advance(cycle);
  }
  const NicFeatures &features() const { return features_; }
  // Forgets what has arrived and has not been seen.
  void drop_input() {
    receiver_.input() = FlitTimeline();
    if (socket_) socket_->drop_input();
  }

  // Nothing is being sent, or written to memory, and all packets that were have been taken note of.
  bool at_rest() const {
    return sender_.at_rest() && receiver_.at_rest() && (!socket_ || socket_->at_rest());
  }
  // It holds frames that parts in its stream socket have seen, and software has no buffers for.
  bool holds_seen() const {
    bool cut = false;
    return socket_ && !receiver_.unread(cut).empty();
  }
  // Buffers for packets that have not come yet, oldest first.
  std::vector<uint64_t> receive_buffers(uint32_t queue) const {
    return {receiver_.requests(queue).begin(), receiver_.requests(queue).end()};
  }
  // What has arrived, and neither memory nor a part in the stream socket has; see NicReceiver.
  std::vector<Flit> unread(bool &cut) const {
    return socket_ ? socket_->unseen(cut) : receiver_.unread(cut);
  }
  // Sent, and not on the link yet.
  std::vector<Flit> unsent() const { return output_.flits(); }

  void advance(uint64_t cycle) override;
  uint64_t next_event() const override;
  bool interrupt() const override { return raises(0); }
  bool more_interrupt(uint32_t index) const override { return raises(index + 1); }
  void save(StateWriter &state) const override;
  void load(StateReader &state) override;
  nlohmann::json statistics() const;

 private:
  std::span<const RegisterInfo> registers() const override { return registers_; }
  uint64_t read_register(uint32_t offset) override;
  void write_register(uint32_t offset, uint64_t value) override;

  // An interrupt: of a receive queue; the first one's is that of completed sends, too.
  struct Line {
    uint32_t mask = 0;
    uint32_t moderation = 0;
    uint64_t pending_since = kNever;  // kNever while nothing is pending
  };

  uint64_t read_queue(uint32_t queue, uint32_t offset);
  void write_queue(uint32_t queue, uint32_t offset, uint64_t value);
  void set_features(NicFeatures features);
  void advance_to(uint64_t cycle);
  // Of what happens without software: something is sent, or arrives.
  uint64_t next_change() const;
  void save_features(StateWriter &state) const;
  void load_features(StateReader &state);
  void load_feature_word(StateReader &state);
  uint32_t sends_complete(uint32_t line) const { return line == 0 ? sender_.completions() : 0; }
  // Completions that wait and are not masked.
  bool pending(uint32_t line) const;
  void note_pending();
  // The cycle from which on what is pending interrupts.
  uint64_t held_until(uint32_t line) const;
  bool raises(uint32_t line) const;

  NicFeatures features_;
  std::vector<RegisterInfo> registers_;
  uint64_t mac_;
  uint32_t delay_cycles_;
  std::vector<Line> lines_{1};
  uint64_t now_ = 0;
  FlitTimeline output_;  // in the time of the link
  NicSender sender_;
  NicReceiver receiver_;
  std::unique_ptr<StreamSocket> socket_;  // of a NIC with stages
};

}  // namespace firesim::functional
