// SPDX-License-Identifier: BSD-3-Clause
// The packets of the RDMA NIC: where they go, and which one is next. See rdma_nic.h; its registers
// are in registers.cc.
#include "parts/rdma/functional/rdma_nic.h"

#include <algorithm>

#include "parts/rdma/functional/opcodes.h"

namespace firesim::functional::rdma {
namespace {

// Who has packets to send, in the order of their turns.
constexpr uint32_t kAnswers = 0, kReads = 1, kRequests = 2;

}  // namespace

RdmaNic::RdmaNic(DeviceMemory &memory, const Options &options)
    : options_(options),
      dma_(memory),
      requester_({pairs_, regions_, completions_, dma_, counters_}, options.reduces),
      responses_({pairs_, regions_, completions_, dma_, counters_}),
      responder_({pairs_, regions_, completions_, dma_, counters_}, responses_, options.reduces) {
  dma_.table().exists = options.pages;
}

void RdmaNic::bring_to(uint64_t cycle) {
  dma_.set_cycle(std::max(dma_.cycle(), cycle));
  rates_.advance(dma_.cycle());
  notifier_.advance(dma_.cycle());
}

void RdmaNic::advance(uint64_t cycle) {
  bring_to(cycle);
  if (requester_.next_timer() <= dma_.cycle()) requester_.expire();
}

// A queue pair that is held by its rate, and has data to send, is looked at again.
uint64_t RdmaNic::next_event() const {
  uint64_t waiting = requester_.ready();
  if (const auto qp = responses_.waiting_qp()) waiting |= uint64_t{1} << *qp;
  return std::min(requester_.next_timer(), rates_.next_event(waiting));
}

bool RdmaNic::from_link(StreamFrame &frame, uint64_t cycle) {
  if (!enabled_ || !is_ours(frame, own_)) return true;
  bring_to(cycle);
  const RxPacket packet = parse(frame, settings_.enabled());
  if (packet.fault == RxPacket::Fault::kNone) {
    take(packet);
  } else {
    const bool malformed = packet.fault == RxPacket::Fault::kMalformed;
    counters_.count(malformed ? kMalformed : kWrongIcrc);
  }
  return false;
}

void RdmaNic::take(const RxPacket &packet) {
  counters_.count(kPacketsReceived);
  bool marked = false;
  if (is_response(packet.opcode)) {
    marked = requester_.take(packet) && packet.marked;
  } else {
    const Responder::Outcome outcome = responder_.take(packet);
    marked = outcome.taken && packet.marked;
    if (outcome.completed) requester_.message_received();
    if (outcome.notified) {
      counters_.count(kNotificationsReceived);
      rates_.notify(packet.qp);
    }
  }
  if (!marked) return;
  counters_.count(kMarkedReceived);
  notifier_.marked(packet.qp);
}

bool RdmaNic::has_packet(uint32_t source) const {
  switch (source) {
    case kAnswers:
      return notifier_.wanted() != 0 || responses_.has_prompt();
    case kReads:
      return responses_.may_answer(rates_.may_go());
    default:
      return (requester_.ready() & rates_.may_go()) != 0;
  }
}

bool RdmaNic::has_frame() const {
  return has_packet(kAnswers) || has_packet(kRequests) || has_packet(kReads);
}

std::optional<TxPacket> RdmaNic::packet_of(uint32_t source) {
  if (source == kReads) return responses_.next_waiting();
  if (source == kRequests) return requester_.next_packet(rates_.may_go());
  if (notifier_.wanted() == 0) return responses_.next_prompt();
  TxPacket notification;
  notification.qp = notifier_.take();
  notification.opcode = kNotification;
  counters_.count(kNotificationsSent);
  return notification;
}

// The sources take turns, a packet each.
std::optional<TxPacket> RdmaNic::next_packet() {
  const uint32_t last = source_;
  for (uint32_t step = 1; step <= kSources; ++step) {
    const uint32_t source = (last + step) % kSources;
    if (!has_packet(source)) continue;
    if (std::optional<TxPacket> packet = packet_of(source)) {
      source_ = source;
      return packet;
    }
  }
  return std::nullopt;
}

StreamFrame RdmaNic::next_frame(uint64_t cycle) {
  bring_to(cycle);
  const std::optional<TxPacket> packet = next_packet();
  if (!packet) return {};
  if (packet->bytes != 0) rates_.sent(packet->qp, packet->frame_bytes());
  counters_.count(kPacketsSent);
  const Marking marking{settings_.enabled(),
                        static_cast<uint8_t>(settings_.get(CongestionSettings::kNotificationDscp))};
  return build(*packet, pairs_.configs[packet->qp], own_, marking,
               dma_.read(packet->address, packet->bytes));
}

}  // namespace firesim::functional::rdma
