// SPDX-License-Identifier: BSD-3-Clause
// The ports of a node with two links: each is a NIC, with one frame to send and one to receive.
#ifndef FIRESIM_LINKS_PORT_H_
#define FIRESIM_LINKS_PORT_H_

#include "net.h"

enum { PORTS = 2 };

struct port {
  uintptr_t nic;  // address of its registers
  uint64_t mac;   // byte 0 in bits 7:0
  struct frame *inbox;
  struct frame *outbox;
};

struct ports {
  struct port port[PORTS];
  unsigned first, last;  // of those that have a link
  uint64_t bytes;        // of a frame
  uint64_t polls_limit;
};

// Reads the arguments `ports`, `nic1`, `size` and `polls`.
void ports_start(struct ports *ports, const struct arguments *arguments);

// Cycles between two polls of the same NIC, measured. No receive buffer may be posted.
uint64_t ports_polling_period_cycles(const struct ports *ports);

void port_post(const struct port *port);
// Sends the port's outbox to `to` and waits until it left; the words behind the head are a pattern
// of `number` and the port's MAC address.
void port_send(const struct ports *ports, struct port *port, uint64_t to, enum message_kind kind,
               uint64_t number);

// Waits for a frame at any port and checks that it is to this port, whole, and as sent; returns the
// port.
struct port *ports_wait(struct ports *ports);

#endif  // FIRESIM_LINKS_PORT_H_
