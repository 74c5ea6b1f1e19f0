// SPDX-License-Identifier: BSD-3-Clause
// The RDMA NIC of functional nodes: registers and mailbox over requester, responder and queues. It
// has the RTL's registers, queues and packets (docs/how-to/rdma.md), and a time of its own:
//
// - A work request is fetched as soon as there is room for it, a packet's payload read when it is
//   sent, what arrives put into memory in the cycle of the packet's last flit; all at once.
// - Timers run out in their very cycle, where the RTL's may be 64 cycles late.
// - Answers of any number wait for the link; the RTL holds 64, and then lets packets wait.
#pragma once

#include "functional/devices/carry_over.h"
#include "functional/devices/register_device.h"
#include "functional/devices/stream_stage.h"
#include "parts/rdma/functional/congestion.h"
#include "parts/rdma/functional/responder.h"

namespace firesim::functional::rdma {

class RdmaNic final : public RegisterDevice, public StreamStage, public CarryOver {
 public:
  // What it has more, as the part's options say.
  struct Options {
    bool reduces = false;
    bool pages = false;
  };
  RdmaNic(DeviceMemory &memory, const Options &options);

  StreamStage *stream() override { return this; }
  const CarryOver *carry_over() const override { return this; }
  std::string obstacle() const override;
  void restore(RegisterSteps &steps) const override;
  bool from_link(StreamFrame &frame, uint64_t cycle) override;
  bool has_frame() const override;
  StreamFrame next_frame(uint64_t cycle) override;

  void advance(uint64_t cycle) override;
  uint64_t next_event() const override;
  bool interrupt() const override { return (completions_.pending() & mask_) != 0; }
  void save(StateWriter &state) const override;
  void load(StateReader &state) override;

 private:
  static constexpr uint32_t kMailboxWords = 8, kSources = 3;

  std::span<const RegisterInfo> registers() const override;
  uint64_t read_register(uint32_t offset) override;
  void write_register(uint32_t offset, uint64_t value) override;

  uint64_t read_numbered(uint32_t offset) const;
  uint64_t read_rate(uint32_t offset) const;
  void write_numbered(uint32_t offset, uint64_t value);
  void command(uint32_t code, uint32_t index);
  void set_queue_pair(uint32_t qp);
  void take_up_queue_pair(uint32_t qp);
  void set_region(uint32_t index);

  bool is_set_up(uint32_t qp) const;
  void restore_regions(RegisterSteps &steps) const;
  void restore_queues(RegisterSteps &steps) const;
  void restore_queue_pair(RegisterSteps &steps, uint32_t qp) const;
  void bring_to(uint64_t cycle);
  void take(const RxPacket &packet);
  bool has_packet(uint32_t source) const;
  std::optional<TxPacket> packet_of(uint32_t source);
  std::optional<TxPacket> next_packet();
  template <typename Self, typename Field>
  static void each_field(Self &self, Field &&field);

  Options options_;
  Dma dma_;
  QueuePairs pairs_;
  Regions regions_;
  Counters counters_;
  CompletionQueues completions_{dma_};
  CongestionSettings settings_;
  RateControl rates_{settings_};
  Notifier notifier_{settings_};
  Requester requester_;
  Responses responses_;
  Responder responder_;

  bool enabled_ = false;
  Address own_;
  uint64_t mask_ = 0;  // completion queues that raise the interrupt
  std::array<uint64_t, kMailboxWords> mailbox_{};
  uint32_t shown_ = 0;              // the queue pair whose rate is read
  uint32_t source_ = kSources - 1;  // of packets that had its turn last
};

}  // namespace firesim::functional::rdma
