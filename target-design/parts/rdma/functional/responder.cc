// SPDX-License-Identifier: BSD-3-Clause
// A packet at a time: judged, its data put into memory, answered; see responder.h.
#include "parts/rdma/functional/responder.h"

#include "parts/rdma/functional/reduce.h"
#include "parts/rdma/functional/state_fields.h"

namespace firesim::functional::rdma {

void Responder::configure(uint32_t qp) {
  contexts_[qp] = Context();
  contexts_[qp].psn = around_.pairs.configs[qp].receive_psn();
}

// Bits 15:0 of the first word are the requester's, bit 56 says that the queue pair is in error.
std::array<uint64_t, Responder::kProgressWords> Responder::progress(uint32_t qp) const {
  const Context &context = contexts_[qp];
  const uint64_t flags =
      (context.refused ? 2 : 0) | (context.sends ? 4 : 0) | (context.writes ? 8 : 0);
  return {flags << 56 | uint64_t{context.msn} << 32 | uint64_t{context.index} << 16,
          uint64_t{context.left} << 32 | context.key, context.address,
          uint64_t{context.work_id} << 32 | context.received};
}

void Responder::take_up(uint32_t qp, std::span<const uint64_t> words) {
  configure(qp);
  Context &context = contexts_[qp];
  context.index = static_cast<uint16_t>(words[0] >> 16);
  context.msn = words[0] >> 32 & kPsnMask;
  context.refused = (words[0] >> 57 & 1) != 0;
  context.sends = (words[0] >> 58 & 1) != 0;
  context.writes = (words[0] >> 59 & 1) != 0;
  context.key = static_cast<uint32_t>(words[1]);
  context.left = static_cast<uint32_t>(words[1] >> 32);
  context.address = words[2];
  context.received = static_cast<uint32_t>(words[3]);
  context.work_id = static_cast<uint32_t>(words[3] >> 32);
}

bool Responder::Case::is_ordered() const {
  if (is_read() || begins()) return !context.sends && !context.writes;
  return is_send() ? context.sends : context.writes;
}

bool Responder::Case::is_sized() const {
  if (is_read()) return packet.bytes() == 0 && packet.dma_bytes() >> 31 == 0;
  if (!ends()) return packet.bytes() == config.mtu();
  return packet.bytes() <= config.mtu() && (begins() || packet.bytes() != 0);
}

uint32_t Responder::Case::room() const {
  if (!begins()) return context.left;
  return is_write() ? packet.dma_bytes() : buffer.bytes();
}

bool Responder::Case::is_fitting() const {
  if (is_read()) return true;
  if (is_write() && ends()) return packet.bytes() == room();
  return packet.bytes() <= room() && !(is_write() && packet.bytes() == room());
}

// A READ, and the first packet of a WRITE, name remote memory; a SEND's is that of the buffer. The
// packets behind are looked up again: software may have taken the region back.
Access Responder::Case::access() const {
  Access made;
  if (is_read() || (is_write() && begins())) {
    made = {packet.remote_key(), packet.remote_address(), packet.dma_bytes()};
  } else if (begins()) {
    made = {buffer.key(), buffer.address(), buffer.bytes()};
  } else {
    made = {context.key, context.address, context.left};
  }
  made.domain = config.domain();
  made.rights = is_read() ? kRemoteRead : is_write() ? kRemoteWrite : kLocalWrite;
  made.privileged = config.physical() && is_send();
  return made;
}

Responder::Outcome Responder::take(const RxPacket &packet) {
  if (!is_for(around_.pairs, packet) || around_.pairs.has_failed(packet.qp)) return {};
  if (packet.opcode == kNotification) return {.notified = true};
  Case found{packet, around_.pairs.configs[packet.qp], contexts_[packet.qp]};
  judge(found);
  return {.taken = true, .completed = found.completed};
}

void Responder::judge(Case &found) {
  const uint32_t ahead = psn_distance(found.context.psn, found.packet.psn);
  if (ahead >> 23 != 0) {
    around_.counters.count(kDuplicates);
    judge_old(found);
  } else if (ahead == 0) {
    judge_next(found);
  } else if (!found.context.refused) {
    refuse(found, kSequenceError);
  }
}

void Responder::judge_old(Case &found) {
  if (found.is_read()) {
    if (found.is_sized() && around_.regions.find(found.access())) read(found);
  } else if (found.packet.ack_request) {
    tell(found, kPositive, psn_add(found.context.psn, kPsnMask));
  }
}

void Responder::judge_next(Case &found) {
  const bool known = found.is_send() || found.is_write() || found.is_read();
  if (!known || !found.is_ordered() || !found.is_sized()) {
    around_.pairs.fail(found.packet.qp);
    return refuse(found, kInvalidRequest);
  }
  if (found.needs_buffer() && !fetch(found)) {
    return refuse(found, kNotReady | found.config.not_ready_timer());
  }
  const Access access = found.access();
  const std::optional<uint64_t> physical = around_.regions.find(access);
  const bool whole = !reduces(found) || (access.address % 4 == 0 && found.packet.bytes() % 4 == 0);
  if (!physical || !found.is_fitting() || !whole) {
    around_.pairs.fail(found.packet.qp);
    return refuse(found, physical ? kInvalidRequest : kAccessError);
  }
  accept(found, *physical);
}

bool Responder::fetch(Case &found) {
  const uint16_t index = found.context.index;
  if (around_.pairs.buffers[found.packet.qp] == index) return false;
  around_.dma.read(found.config.receive_entry(index), found.buffer.words.data(),
                   sizeof found.buffer.words);
  return true;
}

bool Responder::reduces(const Case &found) const {
  return reduces_ && found.is_write() &&
         around_.regions.reduction(found.access().key) != Reduction::kNone;
}

void Responder::accept(Case &found, uint64_t physical) {
  const RxPacket &packet = found.packet;
  const bool ends = found.ends(), is_read = found.is_read();
  const Access access = found.access();
  const uint32_t room = found.room();
  if (is_invalidate(packet.opcode)) {
    around_.regions.invalidate(packet.immediate(), found.config.domain());
  }
  if (!is_read) put(found, physical);
  Context &context = found.context;
  if (ends || is_read) context.msn = psn_add(context.msn, 1);
  context.refused = false;
  if (found.needs_buffer()) {
    ++context.index;
    if (found.begins()) context.work_id = found.buffer.id();
  }
  if (is_read) {
    const uint64_t packets =
        (uint64_t{packet.dma_bytes()} + found.config.mtu() - 1) >> found.config.mtu_shift();
    context.psn = psn_add(context.psn, packets == 0 ? 1 : static_cast<uint32_t>(packets));
    return read(found);
  }
  context.psn = psn_add(context.psn, 1);
  context.sends = found.is_send() && !ends;
  context.writes = found.is_write() && !ends;
  context.key = access.key;
  context.address = access.address + packet.bytes();
  context.left = room - packet.bytes();
  context.received = (found.begins() ? 0 : context.received) + packet.bytes();
  if (packet.ack_request) tell(found, kPositive, packet.psn);
  if (ends && (found.is_send() || has_immediate(packet.opcode))) complete(found);
}

void Responder::put(const Case &found, uint64_t physical) {
  const RxPacket &packet = found.packet;
  if (!reduces(found)) return around_.dma.write(physical, packet.payload.data(), packet.bytes());
  std::vector<uint8_t> sums = around_.dma.read(physical, packet.bytes());
  reduce(around_.regions.reduction(found.access().key), sums, packet.payload);
  around_.dma.write(physical, sums.data(), sums.size());
}

void Responder::complete(Case &found) {
  const RxPacket &packet = found.packet;
  Completion entry;
  entry.cq = found.config.receive_cq();
  entry.work_id = found.needs_buffer() ? found.buffer.id() : found.context.work_id;
  entry.bytes = found.context.received;
  entry.immediate = packet.immediate();
  entry.has_immediate = has_immediate(packet.opcode);
  entry.invalidated = is_invalidate(packet.opcode);
  entry.received = true;
  entry.solicited = packet.solicited;
  entry.opcode = packet.opcode;
  entry.qp = packet.qp;
  around_.completions.add(entry);
  ++around_.pairs.received[packet.qp];
  found.completed = true;
}

void Responder::tell(const Case &found, uint8_t syndrome, uint32_t psn) {
  Response response;
  response.qp = found.packet.qp;
  response.psn = psn;
  response.msn = found.context.msn;
  response.syndrome = syndrome;
  responses_->add(response);
}

void Responder::read(const Case &found) {
  Response response;
  response.is_read = true;
  response.qp = found.packet.qp;
  response.psn = found.packet.psn;
  response.msn = found.context.msn;
  response.key = found.packet.remote_key();
  response.address = found.packet.remote_address();
  response.bytes = found.packet.dma_bytes();
  responses_->add(response);
}

// The peer is told `syndrome` of the packet that is expected.
void Responder::refuse(Case &found, uint8_t syndrome) {
  around_.counters.count(kNegativeSent);
  tell(found, syndrome, found.context.psn);
  found.context.refused = true;
}

void Responder::save(StateWriter &state) const {
  state.section("rdma_responder", 1);
  for (const Context &context : contexts_) save_fields(state, context);
}

void Responder::load(StateReader &state) {
  state.section("rdma_responder", 1);
  for (Context &context : contexts_) load_fields(state, context);
}

}  // namespace firesim::functional::rdma
