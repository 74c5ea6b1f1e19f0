// SPDX-License-Identifier: BSD-3-Clause
// Entries of completion queues; see completions.h.
#include "parts/rdma/functional/completions.h"

namespace firesim::functional::rdma {

// An entry has 32 bytes: work id, bytes, immediate, then queue pair (23:0), opcode (31:24), status
// (39:32) and flags (from 40), then its number (15:0) and the phase in bit 63: 1 in the first pass
// through the ring, 0 in the next.
void CompletionQueues::add(const Completion &completion) {
  Queue &queue = queues_[completion.cq];
  const uint32_t depth = queue.word >> 56 & 15;
  const uint64_t slot = queue.head & ((1u << depth) - 1);
  const uint64_t flags = (completion.has_immediate ? 1 : 0) | (completion.invalidated ? 2 : 0) |
                         (completion.received ? 4 : 0) | (completion.solicited ? 8 : 0);
  const uint64_t phase = (queue.head >> depth & 1) ^ 1;
  const uint64_t entry[] = {uint64_t{completion.bytes} << 32 | completion.work_id,
                            completion.immediate,
                            flags << 40 | static_cast<uint64_t>(completion.status) << 32 |
                                uint64_t{completion.opcode} << 24 | completion.qp,
                            phase << 63 | queue.head};
  const uint64_t base = queue.word & 0xffff'ffff'fff8;
  dma_->write((base + slot * sizeof entry) & 0xffff'ffff'ffff, entry, sizeof entry);
  ++queue.head;
  pending_ |= uint64_t{1} << completion.cq;
}

}  // namespace firesim::functional::rdma
