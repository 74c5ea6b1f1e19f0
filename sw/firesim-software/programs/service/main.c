// SPDX-License-Identifier: BSD-3-Clause
// Requests over raw Ethernet: clients think, ask for a key and print how long the answer took; a
// server looks it up in lists that are longer in some of its phases than in others.
#include "net.h"
#include "nic.h"
#include "runtime.h"

enum { KEYS = 4096, BUFFERS = 4, PHASE_REQUESTS = 16, PHASES = 4 };

static uint64_t state;

static uint64_t next_random(void) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return state;
}

// Follows a list through memory: each load needs the one before, and few are in the cache.
static uint64_t look_up(const uint64_t *table, uint64_t key, uint64_t steps) {
  uint64_t at = key % KEYS;
  while (steps--) at = ((const volatile uint64_t *)table)[at * 8] % KEYS;
  return at;
}

static int serve(struct net *net, uint64_t clients) {
  uint64_t *table = firesim_heap(KEYS * 64);
  for (uint64_t i = 0; i < KEYS; i++) table[i * 8] = (i * 1664525 + 1013904223) % KEYS;
  struct frame *buffers[BUFFERS];
  for (unsigned i = 0; i < BUFFERS; i++) {
    buffers[i] = firesim_heap(nic_max_frame_bytes());
    nic_post_receive(buffers[i]);
  }
  uint64_t answered = 0;
  for (unsigned next = 0; clients; next = (next + 1) % BUFFERS) {
    net_wait(net, "request");
    struct frame *request = buffers[next];
    if (frame_kind(request) == MESSAGE_BYE) {
      clients--;
    } else if (frame_kind(request) == MESSAGE_START) {
      net->peer = frame_source(request);
      net_send(net, MESSAGE_READY, 0, 0);
    } else {
      const uint64_t steps = 8 << 2 * (answered++ / PHASE_REQUESTS % PHASES);
      net->peer = frame_source(request);
      net_send(net, MESSAGE_PONG, request->number, look_up(table, request->extra, steps));
    }
    nic_post_receive(request);
  }
  print("answered requests=%lu\n", answered);
  return 0;
}

static void think(uint64_t steps) {
  for (uint64_t left = next_random() % (steps + 1); left; left--) __asm__ volatile("nop");
}

// Returns once the server is there and has made its lists.
static void greet(struct net *net) {
  nic_post_receive(net->inbox);
  net_send(net, MESSAGE_START, 0, 0);
  net_wait(net, "greeting");
}

static int ask(struct net *net, uint64_t count, uint64_t steps) {
  greet(net);
  for (uint64_t i = 1; i <= count; i++) {
    think(steps);
    nic_post_receive(net->inbox);
    const uint64_t begin = cycles();
    net_send(net, MESSAGE_PING, i, next_random());
    net_wait(net, "answer");
    const uint64_t took = cycles() - begin;
    if (net->inbox->number != i)
      fail("request %lu: found the answer to %lu", i, net->inbox->number);
    print("request seq=%lu cycles=%lu\n", i, took);
  }
  net_send(net, MESSAGE_BYE, 0, 0);
  return 0;
}

int main(int hart, const struct arguments *arguments) {
  (void)hart;
  struct net net;
  require_choice(arguments, "role", "client server");
  net_start(&net, arguments);
  if (argument_is(arguments, "role", "server")) {
    return serve(&net, number_argument(arguments, "clients"));
  }
  net.peer = mac_argument(arguments, "peer");
  state = 88172645463325252UL ^ net.own;
  return ask(&net, number_argument(arguments, "count"), number_argument(arguments, "think"));
}
