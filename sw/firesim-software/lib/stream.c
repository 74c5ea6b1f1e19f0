// SPDX-License-Identifier: BSD-3-Clause
// A stream at full rate whose every word is checked. The sender prepares its frames before; the
// receiver keeps the whole stream and checks it afterwards: a core reads memory more slowly than a
// NIC writes it.
#include "console.h"
#include "net.h"
#include "nic.h"

enum { POOL_FRAMES = 4, CLOCK_MHZ = 3200, LINE_BYTES = 64 };
enum { STREAM_MAX_BYTES = 64 << 20 };
#define FRAME_STEP 0x9e3779b97f4a7c15UL
#define WORD_STEP 0x0101010101010107UL

static uint64_t padded(uint64_t bytes) { return (bytes + LINE_BYTES - 1) & ~(LINE_BYTES - 1UL); }

static uint64_t pattern_start(uint64_t index) { return (index % POOL_FRAMES + 1) * FRAME_STEP; }

static struct frame *pool_frame(const struct sender *sender, uint64_t index) {
  const uint64_t offset = index % POOL_FRAMES * sender->stride_bytes;
  return (struct frame *)((char *)sender->pool + offset);
}

void sender_prepare(struct sender *sender, const struct net *net, uint64_t frame_bytes) {
  if (frame_bytes < MESSAGE_BYTES || frame_bytes > nic_max_frame_bytes() || frame_bytes % 8) {
    fail("size=%lu, expected a multiple of 8, %d to %u", frame_bytes, MESSAGE_BYTES,
         nic_max_frame_bytes());
  }
  const uint64_t stride = padded(frame_bytes);
  *sender = (struct sender){firesim_heap(POOL_FRAMES * stride), stride, frame_bytes, 0, 0};
  for (uint64_t index = 0; index < POOL_FRAMES; index++) {
    struct frame *frame = pool_frame(sender, index);
    net_address(net, frame, MESSAGE_DATA);
    uint64_t word = pattern_start(index);
    uint64_t *end = (uint64_t *)((char *)frame + frame_bytes);
    for (uint64_t *at = frame->rest; at < end; at++, word += WORD_STEP) *at = word;
  }
}

void sender_queue(struct sender *sender) {
  while (sender->queued - sender->sent >= POOL_FRAMES) sender->sent += nic_pop_sent();
  struct frame *frame = pool_frame(sender, sender->queued);
  frame->number = sender->queued++;
  nic_send_piece(frame, sender->frame_bytes, false);
}

void sender_drain(struct sender *sender) {
  while (sender->sent < sender->queued) sender->sent += nic_pop_sent();
}

// Returns bits per second / 1e6, which is Gb/s x 1000.
static uint64_t gbps_x1000(uint64_t bytes, uint64_t spent_cycles) {
  return spent_cycles ? bytes * 8 * CLOCK_MHZ / spent_cycles : 0;
}

static struct frame *expect(struct net *net, enum message_kind kind) {
  struct frame *frame = net_receive(net);
  if (frame_kind(frame) != kind) {
    fail("found a message of kind %lu, expected kind %d", frame->kind, kind);
  }
  return frame;
}

uint64_t stream_send(struct net *net, struct stream stream) {
  struct sender sender;
  const uint64_t frames = (stream.bytes + stream.frame_bytes - 1) / stream.frame_bytes;
  net_send(net, MESSAGE_START, frames, stream.frame_bytes);
  net->peer = frame_source(expect(net, MESSAGE_READY));
  sender_prepare(&sender, net, stream.frame_bytes);
  const uint64_t begin = cycles();
  for (uint64_t i = 0; i < frames; i++) sender_queue(&sender);
  sender_drain(&sender);
  const uint64_t spent = cycles() - begin;
  const uint64_t bytes = frames * stream.frame_bytes;
  const uint64_t wrong = expect(net, MESSAGE_RESULT)->number;
  print("stream bytes=%lu cycles=%lu gbps_x1000=%lu frames=%lu frame_bytes=%lu errors=%lu\n", bytes,
        spent, gbps_x1000(bytes, spent), frames, stream.frame_bytes, wrong);
  return wrong;
}

static uint64_t wrong_words(const struct frame *frame, uint64_t index, uint64_t frame_bytes) {
  uint64_t wrong = frame->kind != MESSAGE_DATA;
  wrong += frame->number != index;
  uint64_t word = pattern_start(index);
  const uint64_t *end = (const uint64_t *)((const char *)frame + frame_bytes);
  for (const uint64_t *at = frame->rest; at < end; at++, word += WORD_STEP) wrong += *at != word;
  return wrong;
}

uint64_t stream_receive(struct net *net, const struct frame *start) {
  const uint64_t frames = start->number;
  const uint64_t frame_bytes = start->extra;
  const uint64_t stride = padded(frame_bytes);
  if (frames == 0 || frames > STREAM_MAX_BYTES / stride) {
    fail("stream of %lu frames of %lu bytes, expected 1 byte to %d bytes", frames, frame_bytes,
         STREAM_MAX_BYTES);
  }
  net->peer = frame_source(start);
  char *buffer = firesim_heap(frames * stride);
  uint64_t posted = 0;
  for (; posted < frames && posted < NIC_QUEUE_DEPTH; posted++) {
    nic_post_receive(buffer + posted * stride);
  }
  net_send(net, MESSAGE_READY, 0, 0);
  uint64_t begin = 0;
  uint64_t wrong = 0;
  for (uint64_t i = 0; i < frames; i++) {
    wrong += net_wait(net, "frame of the stream") != frame_bytes;
    if (i == 0) begin = cycles();
    if (posted < frames) nic_post_receive(buffer + posted++ * stride);
  }
  const uint64_t spent = cycles() - begin;
  for (uint64_t i = 0; i < frames; i++) {
    wrong += wrong_words((const struct frame *)(buffer + i * stride), i, frame_bytes);
  }
  // The first frame only starts the clock.
  print("received frames=%lu cycles=%lu gbps_x1000=%lu errors=%lu drops=%u\n", frames, spent,
        gbps_x1000((frames - 1) * frame_bytes, spent), wrong, nic_drops());
  net_send(net, MESSAGE_RESULT, wrong, frames);
  return wrong;
}
