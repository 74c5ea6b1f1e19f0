// SPDX-License-Identifier: BSD-3-Clause
// Packets of work requests; see window.h.
#include "parts/rdma/functional/window.h"

#include <algorithm>

namespace firesim::functional::rdma {

Work::Work(const WorkEntry &entry, uint64_t physical, const QpConfig &config, uint32_t psn)
    : id(entry.id()),
      opcode(entry.opcode()),
      flags(entry.flags()),
      address(physical),
      bytes(entry.bytes()),
      remote_address(entry.remote_address()),
      remote_key(entry.remote_key()),
      immediate(entry.immediate()),
      first_psn(psn),
      awaited_qp(entry.awaited_qp()),
      awaited(entry.awaited()) {
  const uint64_t whole = (uint64_t{bytes} + config.mtu() - 1) >> config.mtu_shift();
  packets = std::max<uint32_t>(static_cast<uint32_t>(whole) & kPsnMask, 1);
}

// First, middle, last and only follow each other; those with an immediate come behind last and
// only.
uint8_t Work::packet_opcode(bool first, bool last) const {
  if (is_read()) return kReadRequest;
  if (opcode == kWorkSendInvalidate && last) {
    return first ? kSendOnlyInvalidate : kSendLastInvalidate;
  }
  const bool with_immediate = opcode == kWorkWriteImmediate || opcode == kWorkSendImmediate;
  const uint8_t base = is_write() ? kWriteFirst : kSendFirst;
  if (!last) return base + (first ? 0 : 1);
  return base + (first ? 4 : 2) + (with_immediate ? 1 : 0);
}

TxPacket Work::packet(uint32_t qp, const QpConfig &config, uint32_t psn) const {
  const bool last = psn_add(psn, 1) == end_psn();
  const uint32_t before = offset(config, psn), left = bytes - before;
  const uint64_t remote = remote_address + before;
  TxPacket made;
  made.qp = qp;
  made.opcode = packet_opcode(psn == first_psn, last);
  made.psn = psn;
  made.ack_request = last || is_read();
  made.solicited = (flags & 2) != 0 && last && !is_read();
  made.address = address + before;
  made.bytes = is_read() ? 0 : std::min(left, config.mtu());
  made.extension = {immediate};
  if (has_reth(made.opcode)) {
    made.extension = {static_cast<uint32_t>(remote >> 32), static_cast<uint32_t>(remote),
                      remote_key, left, immediate};
  }
  return made;
}

Completion Work::completion(uint32_t qp, const QpConfig &config, Status status) const {
  Completion made;
  made.cq = config.send_cq();
  made.work_id = id;
  made.bytes = bytes;
  made.opcode = opcode;
  made.status = status;
  made.qp = qp;
  return made;
}

bool Window::sendable(const QpConfig &config) const {
  if (send == tail || waits) return false;
  const Work &work = at(send);
  const bool reads_held = config.most_reads() != 0 && reads >= config.most_reads();
  return !(work.is_read() && reads_held) && !(work.fenced() && reads != 0);
}

}  // namespace firesim::functional::rdma
