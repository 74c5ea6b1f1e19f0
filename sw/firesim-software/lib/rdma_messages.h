// SPDX-License-Identifier: BSD-3-Clause
// Random RDMA messages, as blades without a system and programs under Linux draw them alike, and
// what the two ends tell each other before and after in frames of net.h.
#ifndef FIRESIM_RDMA_MESSAGES_H_
#define FIRESIM_RDMA_MESSAGES_H_

#include <stdbool.h>
#include <stdint.h>

#include "splitmix.h"

// Where the server's memory is for its peers.
#define RDMA_REMOTE_BASE 0x700000000000UL

enum { RDMA_MESSAGE_KINDS = 5 };  // of enum rdma_opcode: WRITE, SEND, both with immediate; READ
enum { RDMA_SERVER_SEED = 1000, RDMA_MESSAGES_SEED = 2000, RDMA_IMMEDIATE = 0x55aa0000 };

// What both sides know of the messages.
struct rdma_traffic {
  uint64_t count, size;   // messages, and most bytes of one
  uint64_t memory_bytes;  // of each side
  bool exact;             // each message has just `size` bytes
};

struct rdma_message {
  uint64_t number;  // random; its low digits are for who chooses the operation
  uint64_t bytes;
  uint64_t local, remote;  // offsets in the memories of both sides
};

static inline void rdma_fill(void *memory, uint64_t bytes, uint64_t seed) {
  uint64_t *words = memory;
  for (uint64_t i = 0; i < bytes / 8; i++) words[i] = splitmix64(&seed);
}

static inline uint64_t rdma_digest(const void *memory, uint64_t bytes) {
  const uint64_t *words = memory;
  uint64_t hash = 0;
  for (uint64_t i = 0; i < bytes / 8; i++) hash = (hash ^ words[i]) * 0x9e3779b97f4a7c15;
  return hash;
}

// The next message: small, middling or large, at any address of both memories.
static inline struct rdma_message rdma_next_message(uint64_t *state,
                                                    const struct rdma_traffic *traffic) {
  struct rdma_message message = {.number = splitmix64(state)};
  const uint64_t most[] = {7, 300, traffic->size};
  const uint64_t chosen = most[(message.number >> 8) % 3];
  const uint64_t limit = chosen < traffic->size ? chosen : traffic->size;
  message.bytes = traffic->exact ? traffic->size : (message.number >> 16) % (limit + 1);
  const uint64_t places = splitmix64(state), room = traffic->memory_bytes - message.bytes + 1;
  message.local = (uint32_t)places % room;
  message.remote = (places >> 32) % room;
  return message;
}

// Where receive request `id` of the server has its memory: a place of its own as long as the upper
// half lasts; then places are used again.
static inline uint64_t rdma_place(const struct rdma_traffic *traffic, uint64_t id) {
  const uint64_t half = traffic->memory_bytes / 2, stride = (traffic->size + 7) / 8 * 8 + 8;
  const uint64_t places = half / stride;
  return half + (places ? id % places : 0) * stride;
}

#endif  // FIRESIM_RDMA_MESSAGES_H_
