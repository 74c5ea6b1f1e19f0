// SPDX-License-Identifier: BSD-3-Clause
// The NIC's registers (docs/reference/interfaces.md, section 1). Queues are 16 deep; a request to a
// full queue waits in hardware. Receive buffers are filled in the order in which they were posted.
#ifndef FIRESIM_NIC_H_
#define FIRESIM_NIC_H_

#include "platform.h"

enum {
  NIC_SEND = 0x00,
  NIC_RECEIVE = 0x08,
  NIC_SENT = 0x10,
  NIC_RECEIVED = 0x18,
  NIC_MAC = 0x28,
  NIC_INTERRUPTS = 0x30,
  NIC_RATE = 0x38,
  NIC_DROPS = 0x40,
  NIC_MAX_FRAME = 0x48
};
enum { NIC_QUEUE_DEPTH = 16, NIC_INTERRUPT_SENT = 1, NIC_INTERRUPT_RECEIVED = 2 };

// This node's MAC address, byte 0 in bits 7:0.
static inline uint64_t nic_mac(void) { return read64(FIRESIM_NIC + NIC_MAC); }
static inline uint32_t nic_max_frame_bytes(void) { return read32(FIRESIM_NIC + NIC_MAX_FRAME); }
static inline uint32_t nic_drops(void) { return read32(FIRESIM_NIC + NIC_DROPS); }

// Queues one piece of a frame; `more` says that further pieces of the same frame follow. The bytes
// must not change until the piece's completion was popped.
static inline void nic_send_piece(const void *piece, uint64_t bytes, bool more) {
  __asm__ volatile("fence w, o" ::: "memory");
  write64(FIRESIM_NIC + NIC_SEND, (uint64_t)more << 63 | bytes << 48 | (uintptr_t)piece);
}

static inline void nic_post_receive(const void *buffer) {
  write64(FIRESIM_NIC + NIC_RECEIVE, (uintptr_t)buffer);
}

// Pops a send completion; false when there is none.
static inline bool nic_pop_sent(void) { return read64(FIRESIM_NIC + NIC_SENT) >> 63; }

// Pops a receive completion and returns the frame's bytes; 0 when there is none.
static inline uint32_t nic_pop_received(void) {
  const uint32_t bytes = (uint32_t)(read64(FIRESIM_NIC + NIC_RECEIVED) & 0xffff);
  __asm__ volatile("fence i, r" ::: "memory");
  return bytes;
}

static inline void nic_interrupts(uint32_t mask) { write32(FIRESIM_NIC + NIC_INTERRUPTS, mask); }

// Limits sending to `increment` flits every `period` cycles.
static inline void nic_rate(uint64_t increment, uint64_t period) {
  write32(FIRESIM_NIC + NIC_RATE, (uint32_t)(period << 16 | (increment & 0xffff)));
}

#endif  // FIRESIM_NIC_H_
