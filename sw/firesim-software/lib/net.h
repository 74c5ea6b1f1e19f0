// SPDX-License-Identifier: BSD-3-Clause
// A small protocol over raw Ethernet, with one peer at a time: pings, and a checked stream.
#ifndef FIRESIM_NET_H_
#define FIRESIM_NET_H_

#include "arguments.h"
#include "platform.h"

enum message_kind {
  MESSAGE_PING = 1,
  MESSAGE_PONG = 2,
  MESSAGE_START = 3,  // number = frames, extra = bytes of a frame
  MESSAGE_READY = 4,
  MESSAGE_DATA = 5,    // number = index of the frame, then the pattern
  MESSAGE_RESULT = 6,  // number = wrong words, extra = frames received
  MESSAGE_BYE = 7
};

// A frame as it is in memory: 2 pad bytes, destination, source, type 0x88b5, payload.
struct frame {
  uint64_t to;    // destination address << 16
  uint64_t from;  // type in bits 63:48, source address below
  uint64_t kind;
  uint64_t number;
  uint64_t extra;
  uint64_t rest[];
};

enum { ETHERTYPE_EXPERIMENTAL = 0xb588 };  // 0x88b5, big-endian
enum { FRAME_HEAD_BYTES = 40, MESSAGE_BYTES = 64, BROADCAST_MAC_BITS = 48 };
#define BROADCAST_MAC ((1UL << BROADCAST_MAC_BITS) - 1)

struct net {
  uint64_t own;   // MAC addresses, byte 0 in bits 7:0
  uint64_t peer;  // who messages go to
  struct frame *inbox;
  struct frame *outbox;
  uint64_t polls_limit;  // polls of the NIC without a frame before the blade fails
  bool interrupts;       // watch the interrupt and not the NIC's queue
};

// Reads the arguments `wait` (poll or interrupt) and `polls` and makes the NIC ready.
void net_start(struct net *net, const struct arguments *arguments);

// Cycles between two polls for a frame, measured. No receive buffer may be posted.
uint64_t net_polling_period_cycles(const struct net *net);

// Sends a message of MESSAGE_BYTES to the peer and waits until it left.
void net_send(struct net *net, enum message_kind kind, uint64_t number, uint64_t extra);

// Waits for the next frame of ours; it stays valid until the next call.
struct frame *net_receive(struct net *net);

// Waits for the next frame of a buffer posted by the caller; returns its bytes.
uint32_t net_wait(const struct net *net, const char *what);

static inline enum message_kind frame_kind(const struct frame *frame) {
  return (enum message_kind)frame->kind;
}
static inline uint64_t frame_source(const struct frame *frame) {
  return frame->from & BROADCAST_MAC;
}

// Fills in the addresses and the kind of a frame to the peer.
void net_address(const struct net *net, struct frame *frame, enum message_kind kind);

// Sends `count` pings of `bytes` each and prints a line of each round trip.
void ping_client(struct net *net, uint64_t count, uint64_t bytes);
// Answers one ping in place.
void ping_answer(struct net *net, struct frame *frame, uint64_t bytes);

struct stream {
  uint64_t bytes;        // to send, rounded up to whole frames
  uint64_t frame_bytes;  // on the wire, a multiple of 8, at most NIC's MAX_FRAME
};

// Streams to the peer at full rate and prints what was reached; returns the wrong words that the
// receiver found, counting every word of a missing frame.
uint64_t stream_send(struct net *net, struct stream stream);
// Receives the stream that `start` announces, checks every word, reports; returns wrong words.
uint64_t stream_receive(struct net *net, const struct frame *start);

// Frames prepared so that sending one costs two device accesses. Index of the next frame grows by
// one a call; returns once the frame is queued.
struct sender {
  struct frame *pool;
  uint64_t stride_bytes;
  uint64_t frame_bytes;
  uint64_t queued;
  uint64_t sent;
};
void sender_prepare(struct sender *sender, const struct net *net, uint64_t frame_bytes);
void sender_queue(struct sender *sender);
// Waits until all that was queued has left.
void sender_drain(struct sender *sender);

#endif  // FIRESIM_NET_H_
