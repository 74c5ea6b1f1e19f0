// SPDX-License-Identifier: BSD-3-Clause
// Completion queues: rings in memory, whose entries software knows to be new by a phase bit.
#pragma once

#include <array>
#include <cstdint>

#include "parts/rdma/functional/dma.h"
#include "parts/rdma/functional/opcodes.h"

namespace firesim::functional::rdma {

inline constexpr uint32_t kCqs = 64;

struct Completion {
  uint32_t cq = 0;
  uint32_t work_id = 0;
  uint32_t bytes = 0;
  uint32_t immediate = 0;
  bool has_immediate = false;
  bool invalidated = false;
  bool received = false;  // of a receive request
  bool solicited = false;
  uint8_t opcode = 0;
  Status status = Status::kSuccess;
  uint32_t qp = 0;
};

class CompletionQueues {
 public:
  explicit CompletionQueues(Dma &dma) : dma_(&dma) {}

  // As the mailbox has it: address (47:0), log2 of entries (59:56).
  void set(uint32_t cq, uint64_t word) { queues_[cq] = {word, 0}; }
  // The same of one that goes on: behind so many entries, of which some may be new to software.
  void take_up(uint32_t cq, uint64_t word, uint16_t head, bool is_pending) {
    queues_[cq] = {word, head};
    if (is_pending) pending_ |= uint64_t{1} << cq;
  }
  // Writes an entry; its queue is pending then.
  void add(const Completion &completion);

  uint64_t pending() const { return pending_; }
  void clear(uint64_t queues) { pending_ &= ~queues; }

  struct Queue {
    uint64_t word = 0;
    uint16_t head = 0;  // entries so far
  };
  std::array<Queue, kCqs> &all() { return queues_; }
  const std::array<Queue, kCqs> &all() const { return queues_; }
  void restore_pending(uint64_t queues) { pending_ = queues; }

 private:
  Dma *dma_;
  std::array<Queue, kCqs> queues_;
  uint64_t pending_ = 0;  // queues with entries that software has not said to have seen
};

}  // namespace firesim::functional::rdma
