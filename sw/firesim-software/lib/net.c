// SPDX-License-Identifier: BSD-3-Clause
// Messages: one receive buffer, posted again with every wait, and one send buffer.
#include "net.h"

#include "console.h"
#include "nic.h"
#include "runtime.h"

enum { PERIOD_POLLS = 16 };

void net_start(struct net *net, const struct arguments *arguments) {
  require_choice(arguments, "wait", "poll interrupt");
  net->own = nic_mac();
  net->peer = BROADCAST_MAC;
  net->polls_limit = number_argument(arguments, "polls");
  net->interrupts = argument_is(arguments, "wait", "interrupt");
  net->inbox = firesim_heap(nic_max_frame_bytes());
  net->outbox = firesim_heap(nic_max_frame_bytes());
  if (net->interrupts) {
    plic_enable(INTERRUPT_NIC);
    nic_interrupts(NIC_INTERRUPT_RECEIVED);
  }
}

// Kept out of line: the measured period is then the period of every wait.
__attribute__((noinline)) static uint32_t poll(uint64_t polls) {
  uint32_t bytes = 0;
  while (!bytes && polls--) bytes = nic_pop_received();
  return bytes;
}

// Watches the core's own pending bit, which takes fewer cycles than reading a device. WFI would
// take fewer still, but Rocket's mcycle stands still during it, and round trips are timed with
// mcycle.
__attribute__((noinline)) static uint32_t poll_interrupt(uint64_t polls) {
  while (polls--) {
    if (!(read_csr(mip) & MIE_EXTERNAL)) continue;
    const unsigned interrupt = plic_claim();
    const uint32_t bytes = nic_pop_received();
    plic_complete(interrupt);
    if (bytes) return bytes;
  }
  return 0;
}

static uint32_t poll_as_asked(const struct net *net, uint64_t polls) {
  return net->interrupts ? poll_interrupt(polls) : poll(polls);
}

uint64_t net_polling_period_cycles(const struct net *net) {
  poll_as_asked(net, PERIOD_POLLS);  // loads the instruction cache
  const uint64_t begin = cycles();
  poll_as_asked(net, PERIOD_POLLS);
  return (cycles() - begin + PERIOD_POLLS - 1) / PERIOD_POLLS;
}

uint32_t net_wait(const struct net *net, const char *what) {
  const uint32_t bytes = poll_as_asked(net, net->polls_limit);
  if (!bytes) {
    fail("no %s within %lu polls of the NIC (%u frames dropped)", what, net->polls_limit,
         nic_drops());
  }
  return bytes;
}

void net_address(const struct net *net, struct frame *frame, enum message_kind kind) {
  frame->to = net->peer << 16;
  frame->from = (uint64_t)ETHERTYPE_EXPERIMENTAL << 48 | net->own;
  frame->kind = kind;
}

void net_send(struct net *net, enum message_kind kind, uint64_t number, uint64_t extra) {
  net_address(net, net->outbox, kind);
  net->outbox->number = number;
  net->outbox->extra = extra;
  nic_send_piece(net->outbox, MESSAGE_BYTES, false);
  while (!nic_pop_sent()) continue;
}

struct frame *net_receive(struct net *net) {
  for (;;) {
    nic_post_receive(net->inbox);
    net_wait(net, "frame");
    if (net->inbox->from >> 48 == ETHERTYPE_EXPERIMENTAL) return net->inbox;
  }
}
