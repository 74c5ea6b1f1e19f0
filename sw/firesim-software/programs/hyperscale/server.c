// SPDX-License-Identifier: BSD-3-Clause
// The server: takes requests from the NIC, does each step by a unit or in software, and replies.
#include "nic.h"
#include "orders.h"
#include "runtime.h"
#include "service.h"
#include "steps.h"

enum { REPLIES = 4 };

struct server {
  struct net *net;
  bool by_unit[STEPS];
  struct frame *requests[NIC_QUEUE_DEPTH];
  struct frame *replies[REPLIES];
  unsigned char *plain;  // of the request
  unsigned char *again;  // of the reply
  void *arena;
  uint64_t sent, left;  // replies given to the NIC, and those it has read
  uint64_t answered, refused, plain_bytes, payload_bytes;
  uint64_t waiting_cycles, step_cycles[STEPS];
  uint64_t lap;  // cycle in which the last step ended
};

static void end_step(struct server *server, enum step step) {
  const uint64_t now = cycles();
  server->step_cycles[step] += now - server->lap;
  server->lap = now;
}

// Does all steps but the first and the last. Returns the bytes of the reply's payload, or minus the
// step that refuses the request.
static int64_t answer(struct server *server, const struct frame *request, uint32_t frame_bytes,
                      struct frame *reply) {
  if (frame_bytes < FRAME_HEAD_BYTES || request->extra > frame_bytes - FRAME_HEAD_BYTES) {
    return -STEP_DECOMPRESS;
  }
  const bool *const by_unit = server->by_unit;
  int64_t bytes = decompress(by_unit[STEP_DECOMPRESS], (const unsigned char *)request->rest,
                             request->extra, server->plain, PLAIN_BYTES);
  end_step(server, STEP_DECOMPRESS);
  if (bytes < 0) return -STEP_DECOMPRESS;
  const int64_t used =
      deserialise(by_unit[STEP_DESERIALISE], server->plain, (size_t)bytes, server->arena);
  end_step(server, STEP_DESERIALISE);
  if (used < 0) return -STEP_DESERIALISE;
  touch(server->arena);
  end_step(server, STEP_TOUCH);
  bytes = serialise(by_unit[STEP_SERIALISE], server->arena, server->again);
  end_step(server, STEP_SERIALISE);
  if (bytes < 0) return -STEP_SERIALISE;
  const int64_t made = compress(by_unit[STEP_COMPRESS], server->again + PLAIN_BYTES - bytes,
                                (size_t)bytes, (unsigned char *)reply->rest);
  end_step(server, STEP_COMPRESS);
  if (made < 0 || made > nic_max_frame_bytes() - FRAME_HEAD_BYTES) return -STEP_COMPRESS;
  server->plain_bytes += (uint64_t)bytes;
  server->payload_bytes += (uint64_t)made;
  return made;
}

// Kept out of line: what a request costs is in its frame of a flame graph.
__attribute__((noinline)) static void reply_to(struct server *server, const struct frame *request,
                                               uint32_t frame_bytes) {
  while (server->sent - server->left >= REPLIES) server->left += nic_pop_sent();
  struct frame *const reply = server->replies[server->sent % REPLIES];
  server->net->peer = frame_source(request);
  net_address(server->net, reply, MESSAGE_PONG);
  reply->number = request->number;
  end_step(server, STEP_RECEIVE);
  const int64_t made = answer(server, request, frame_bytes, reply);
  const bool good = made >= 0;
  reply->kind = good ? RPC_REPLY : RPC_REFUSED;
  reply->extra = (uint64_t)(good ? made : -made);
  const uint64_t payload = good ? ((uint64_t)made + 7) & ~7UL : MESSAGE_BYTES - FRAME_HEAD_BYTES;
  nic_send_piece(reply, FRAME_HEAD_BYTES + payload, false);
  server->sent++;
  if (good) server->answered++;
  if (!good) server->refused++;
}

// The NIC must have read all replies: the welcome waits for a completion of its own.
static void welcome(struct server *server, const struct frame *from) {
  while (server->left < server->sent) server->left += nic_pop_sent();
  server->net->peer = frame_source(from);
  net_send(server->net, MESSAGE_READY, 0, 0);
}

static bool step_argument(const struct arguments *arguments, const char *name) {
  require_choice(arguments, name, "hardware software");
  return argument_is(arguments, name, "hardware");
}

// Sleeps until the first client calls; it has much to prepare.
static void sleep_until_called(const struct net *net) {
  plic_enable(INTERRUPT_NIC);
  nic_interrupts(NIC_INTERRUPT_RECEIVED);
  set_csr(mie, MIE_EXTERNAL);
  wait_for_interrupt();
  clear_csr(mie, MIE_EXTERNAL);
  if (!net->interrupts) nic_interrupts(0);
}

static void start_server(struct server *server, struct net *net,
                         const struct arguments *arguments) {
  *server = (struct server){.net = net};
  bool *const by_unit = server->by_unit;
  by_unit[STEP_DECOMPRESS] = step_argument(arguments, "decompress");
  by_unit[STEP_DESERIALISE] = step_argument(arguments, "deserialise");
  by_unit[STEP_SERIALISE] = step_argument(arguments, "serialise");
  by_unit[STEP_COMPRESS] = step_argument(arguments, "compress");
  const uint64_t latency = number_between(arguments, "latency", 0, UINT16_MAX);
  if (by_unit[STEP_DECOMPRESS] || by_unit[STEP_COMPRESS]) use_compression_unit(latency);
  if (by_unit[STEP_DESERIALISE] || by_unit[STEP_SERIALISE]) use_message_unit(latency);
  server->plain = firesim_heap(PLAIN_BYTES);
  server->again = firesim_heap(PLAIN_BYTES);
  server->arena = firesim_heap(ARENA_BYTES);
  for (unsigned i = 0; i < REPLIES; i++) {
    server->replies[i] = firesim_heap(FRAME_HEAD_BYTES + COMPRESSED_BYTES);
  }
  for (unsigned i = 0; i < NIC_QUEUE_DEPTH; i++) {
    server->requests[i] = firesim_heap(nic_max_frame_bytes());
    nic_post_receive(server->requests[i]);
  }
}

static void report(const struct server *server) {
  const uint64_t *const step = server->step_cycles;
  print("service answered=%lu refused=%lu plain=%lu payload=%lu drops=%u\n", server->answered,
        server->refused, server->plain_bytes, server->payload_bytes, nic_drops());
  print("cycles waiting=%lu receive=%lu decompress=%lu deserialise=%lu\n", server->waiting_cycles,
        step[STEP_RECEIVE], step[STEP_DECOMPRESS], step[STEP_DESERIALISE]);
  print("cycles touch=%lu serialise=%lu compress=%lu send=%lu\n", step[STEP_TOUCH],
        step[STEP_SERIALISE], step[STEP_COMPRESS], step[STEP_SEND]);
}

void run_server(struct net *net, const struct arguments *arguments) {
  struct server server;
  start_server(&server, net, arguments);
  uint64_t clients = number_between(arguments, "clients", 1, 64);
  sleep_until_called(net);
  for (unsigned next = 0; clients; next = (next + 1) % NIC_QUEUE_DEPTH) {
    const uint64_t begin = cycles();
    const uint32_t bytes = net_wait(net, "request");
    server.lap = cycles();
    server.waiting_cycles += server.lap - begin;
    struct frame *const frame = server.requests[next];
    const uint64_t kind = frame->kind;
    if (kind == RPC_REQUEST) reply_to(&server, frame, bytes);
    if (kind == MESSAGE_START) welcome(&server, frame);
    if (kind == MESSAGE_BYE) clients--;
    nic_post_receive(frame);
    if (kind == RPC_REQUEST) end_step(&server, STEP_SEND);
  }
  report(&server);
}
