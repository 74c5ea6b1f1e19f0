// SPDX-License-Identifier: BSD-3-Clause
// Round trips over both links of a node: on each port in turn, then on both at the same time.
// Before them, a frame goes out through each port that waits for nothing, so that its cycle depends
// on no link. The server answers through the port at which it was asked; every word is checked.
#include "port.h"
#include "runtime.h"

enum { COUNT_MAX = 256 };

static void expect(const struct ports *ports, const struct port *port, enum message_kind kind,
                   uint64_t number) {
  const struct frame *frame = port->inbox;
  if (frame_kind(frame) == kind && frame->number == number) return;
  fail("port %ld: found a message of kind %lu, number %lu, expected %d and %lu",
       (long)(port - ports->port), frame->kind, frame->number, kind, number);
}

static uint64_t round_trip(struct ports *ports, unsigned where, uint64_t peer, uint64_t number) {
  struct port *port = &ports->port[where];
  port_post(port);
  const uint64_t begin = cycles();
  port_send(ports, port, peer, MESSAGE_PING, number);
  const struct port *answered = ports_wait(ports);
  const uint64_t spent = cycles() - begin;
  if (answered != port) fail("port %u: found the answer at the other port", where);
  expect(ports, port, MESSAGE_PONG, number);
  return spent;
}

// Asks through each port and waits for all answers: the frames are under way together.
static void together(struct ports *ports, const uint64_t *peers, enum message_kind kind,
                     enum message_kind answer, uint64_t number) {
  for (unsigned i = ports->first; i <= ports->last; i++) port_post(&ports->port[i]);
  for (unsigned i = ports->first; i <= ports->last; i++) {
    port_send(ports, &ports->port[i], peers[i], kind, number);
  }
  const struct port *before = NULL;
  for (unsigned i = ports->first; i <= ports->last; i++) {
    const struct port *answered = ports_wait(ports);
    if (answered == before) fail("found two answers at one port, expected one at each");
    expect(ports, answered, answer, number);
    before = answered;
  }
}

static int ask(struct ports *ports, const uint64_t *peers, uint64_t count) {
  uint64_t spent[PORTS][COUNT_MAX];
  uint64_t number = 1;
  together(ports, peers, MESSAGE_START, MESSAGE_READY, 0);
  // Printed afterwards, so that the console does not come between two round trips.
  for (uint64_t i = 0; i < count; i++) {
    for (unsigned port = ports->first; port <= ports->last; port++, number++) {
      spent[port][i] = round_trip(ports, port, peers[port], number);
    }
  }
  for (uint64_t i = 0; ports->first != ports->last && i < count; i++, number++) {
    together(ports, peers, MESSAGE_PING, MESSAGE_PONG, number);
  }
  for (unsigned port = ports->first; port <= ports->last; port++) {
    port_send(ports, &ports->port[port], peers[port], MESSAGE_BYE, number);
  }
  for (unsigned port = ports->first; port <= ports->last; port++) {
    for (uint64_t i = 0; i < count; i++) {
      print("port=%u seq=%lu rtt_cycles=%lu\n", port, i + 1, spent[port][i]);
    }
  }
  return 0;
}

static int serve(struct ports *ports) {
  uint64_t answered[PORTS] = {0};
  for (unsigned i = ports->first; i <= ports->last; i++) port_post(&ports->port[i]);
  for (unsigned left = ports->last - ports->first + 1; left;) {
    struct port *port = ports_wait(ports);
    const uint64_t from = frame_source(port->inbox), number = port->inbox->number;
    if (frame_kind(port->inbox) == MESSAGE_BYE) {
      left--;
      continue;
    }
    const bool starts = frame_kind(port->inbox) == MESSAGE_START;
    expect(ports, port, starts ? MESSAGE_START : MESSAGE_PING, number);
    port_post(port);
    port_send(ports, port, from, starts ? MESSAGE_READY : MESSAGE_PONG, number);
    answered[port - ports->port]++;
  }
  for (unsigned i = ports->first; i <= ports->last; i++) {
    print("port=%u answered=%lu\n", i, answered[i]);
  }
  return 0;
}

int main(int hart, const struct arguments *arguments) {
  (void)hart;
  struct ports ports;
  require_choice(arguments, "role", "client server");
  const uint64_t count = number_between(arguments, "count", 1, COUNT_MAX);
  ports_start(&ports, arguments);
  print("polling_period_cycles=%lu\n", ports_polling_period_cycles(&ports));
  if (argument_is(arguments, "role", "server")) return serve(&ports);
  const uint64_t peers[PORTS] = {mac_argument(arguments, "peer0"),
                                 mac_argument(arguments, "peer1")};
  return ask(&ports, peers, count);
}
