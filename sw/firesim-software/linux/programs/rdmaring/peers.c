// SPDX-License-Identifier: BSD-3-Clause
// Sockets to both neighbours; see peers.h.
#define _GNU_SOURCE
#define PROGRAM "rdmaring"
#include "peers.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../program.h"

enum { TCP_PORT = 18516, TRIES = 1000, TRY_US = 5000 };

static int tcp_socket(void) {
  const int yes = 1, tcp = socket(AF_INET, SOCK_STREAM, 0);
  if (tcp < 0) fail("cannot open a socket: %s", strerror(errno));
  setsockopt(tcp, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  setsockopt(tcp, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  return tcp;
}

static struct sockaddr_in address_of(struct in_addr ip) {
  return (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(TCP_PORT), .sin_addr = ip};
}

static int listener(void) {
  const struct sockaddr_in address = address_of((struct in_addr){htonl(INADDR_ANY)});
  const int tcp = tcp_socket();
  if (bind(tcp, (const struct sockaddr *)&address, sizeof address) || listen(tcp, 1)) {
    fail("cannot listen: %s", strerror(errno));
  }
  return tcp;
}

// The next rank may not listen yet.
static int connect_to(struct in_addr ip) {
  const struct sockaddr_in address = address_of(ip);
  for (int tries = 0; tries < TRIES; tries++) {
    const int tcp = tcp_socket();
    if (!connect(tcp, (const struct sockaddr *)&address, sizeof address)) return tcp;
    close(tcp);
    usleep(TRY_US);
  }
  fail("the next rank does not listen at %s", inet_ntoa(ip));
  return -1;
}

static void say(int tcp, const void *data, size_t bytes) {
  if (write(tcp, data, bytes) != (ssize_t)bytes) fail("a neighbour is gone: %s", strerror(errno));
}

static void hear(int tcp, void *data, size_t bytes) {
  if (recv(tcp, data, bytes, MSG_WAITALL) != (ssize_t)bytes) fail("a neighbour has ended");
}

struct peers open_peers(unsigned rank, struct in_addr next) {
  const int listens = listener();
  struct peers peers = {.rank = rank, .next = connect_to(next)};
  peers.previous = accept(listens, NULL, NULL);
  if (peers.previous < 0) fail("cannot accept: %s", strerror(errno));
  close(listens);
  return peers;
}

void exchange_ends(const struct peers *peers, struct ring_end to[2], struct ring_end from[2]) {
  say(peers->next, &to[0], sizeof to[0]);
  say(peers->previous, &to[1], sizeof to[1]);
  hear(peers->next, &from[0], sizeof from[0]);
  hear(peers->previous, &from[1], sizeof from[1]);
}

uint64_t go_round(const struct peers *peers, uint64_t number) {
  if (peers->rank != 0) hear(peers->previous, &number, sizeof number);
  say(peers->next, &number, sizeof number);
  if (peers->rank == 0) hear(peers->previous, &number, sizeof number);
  return number;
}

uint64_t ticks(void) {
  uint64_t value;
  __asm__ volatile("rdtime %0" : "=r"(value)::"memory");
  return value;
}

// Once when all are ready, once to measure how long it takes, and once with a time that all reach.
uint64_t begin_together(const struct peers *peers) {
  go_round(peers, 0);
  const uint64_t begun = ticks();
  go_round(peers, 0);
  const uint64_t start = go_round(peers, ticks() + 3 * (ticks() - begun));
  if (ticks() > start) fail("ready only at tick %lu, expected %lu", ticks(), start);
  while (ticks() < start) continue;
  return start;
}

void end_together(const struct peers *peers) {
  go_round(peers, 0);
  go_round(peers, 0);
}
