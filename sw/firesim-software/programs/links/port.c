// SPDX-License-Identifier: BSD-3-Clause
// A NIC behind each port, by the address of its registers; see port.h.
#include "port.h"

#include "nic.h"
#include "runtime.h"
#include "splitmix.h"

enum { PERIOD_POLLS = 16, HEAD_WORDS = FRAME_HEAD_BYTES / 8 };

void ports_start(struct ports *ports, const struct arguments *arguments) {
  require_choice(arguments, "ports", "both 0 1");
  ports->first = argument_is(arguments, "ports", "1") ? 1 : 0;
  ports->last = argument_is(arguments, "ports", "0") ? 0 : 1;
  ports->bytes = number_between(arguments, "size", FRAME_HEAD_BYTES, nic_max_frame_bytes());
  if (ports->bytes % 8) fail("size: found %lu, expected a multiple of 8", ports->bytes);
  ports->polls_limit = number_argument(arguments, "polls");
  for (unsigned i = 0; i < PORTS; i++) {
    struct port *port = &ports->port[i];
    port->nic = i ? number_argument(arguments, "nic1") : FIRESIM_NIC;
    port->mac = read64(port->nic + NIC_MAC);
    port->inbox = firesim_heap(ports->bytes);
    port->outbox = firesim_heap(ports->bytes);
  }
}

// The port where a frame has come, and its bytes; 0 when none came. Kept out of line: the measured
// period is then the period of every wait.
__attribute__((noinline)) static uint32_t poll(const struct ports *ports, uint64_t polls,
                                               unsigned *where) {
  while (polls--) {
    for (unsigned i = 0; i < PORTS; i++) {
      const uint32_t bytes = (uint32_t)(read64(ports->port[i].nic + NIC_RECEIVED) & 0xffff);
      if (!bytes) continue;
      __asm__ volatile("fence i, r" ::: "memory");
      *where = i;
      return bytes;
    }
  }
  return 0;
}

uint64_t ports_polling_period_cycles(const struct ports *ports) {
  unsigned where = 0;
  poll(ports, PERIOD_POLLS, &where);  // loads the instruction cache
  uint64_t spent[2];
  for (unsigned round = 0; round < 2; round++) {
    const uint64_t begin = cycles();
    poll(ports, PERIOD_POLLS << round, &where);
    spent[round] = cycles() - begin;
  }
  return (spent[1] - spent[0]) / PERIOD_POLLS;
}

void port_post(const struct port *port) {
  write64(port->nic + NIC_RECEIVE, (uintptr_t)port->inbox);
}

static uint64_t *rest_of(struct frame *frame) { return (uint64_t *)frame + HEAD_WORDS; }

void port_send(const struct ports *ports, struct port *port, uint64_t to, enum message_kind kind,
               uint64_t number) {
  struct frame *frame = port->outbox;
  frame->to = to << 16;
  frame->from = (uint64_t)ETHERTYPE_EXPERIMENTAL << 48 | port->mac;
  frame->kind = kind;
  frame->number = number;
  frame->extra = ~number;
  uint64_t state = port->mac ^ number;
  for (uint64_t i = 0; i < ports->bytes / 8 - HEAD_WORDS; i++) {
    rest_of(frame)[i] = splitmix64(&state);
  }
  __asm__ volatile("fence w, o" ::: "memory");
  write64(port->nic + NIC_SEND, ports->bytes << 48 | (uintptr_t)frame);
  while (!(read64(port->nic + NIC_SENT) >> 63)) continue;
}

struct port *ports_wait(struct ports *ports) {
  unsigned where = 0;
  const uint32_t bytes = poll(ports, ports->polls_limit, &where);
  if (!bytes) fail("no frame within %lu polls of the NICs", ports->polls_limit);
  struct port *port = &ports->port[where];
  struct frame *frame = port->inbox;
  if (bytes != ports->bytes || frame->to >> 16 != port->mac || frame->extra != ~frame->number) {
    fail("port %u: found %u bytes to %lx, number %lu and %lx, expected %lu bytes to %lx", where,
         bytes, frame->to >> 16, frame->number, frame->extra, ports->bytes, port->mac);
  }
  uint64_t state = frame_source(frame) ^ frame->number;
  for (uint64_t i = 0; i < ports->bytes / 8 - HEAD_WORDS; i++) {
    const uint64_t wanted = splitmix64(&state);
    if (rest_of(frame)[i] != wanted) {
      fail("port %u: found %lx in word %lu, expected %lx", where, rest_of(frame)[i], i, wanted);
    }
  }
  return port;
}
