// SPDX-License-Identifier: BSD-3-Clause
// exchange: two nodes ping each other and stream over TCP; times are target cycles.
//
//   exchange                                               on the server
//   exchange server=172.16.0.3 pings=5 bytes=131072        on the client
//
// The client pings, then sends; the server checks what arrives and pings back. Nobody ever sleeps
// for a fixed time: each waits for the other node only, so that a simulator has nothing to idle
// through. Without a C library, as every byte and every instruction costs time in RTL.
#include "exchange.h"

#include <linux/if_arp.h>
#include <linux/sockios.h>
#include <linux/tcp.h>

#include "text.h"

enum { DEFAULT_PINGS = 5, MOST_PINGS = 64, DEFAULT_BYTES = 131072, PIECE_BYTES = 16384 };
enum { PORT = 5001, RETRY_NS = 200000, MOST_TRIES = 5000, LINE_BYTES = 128 };

static uint64_t piece[PIECE_BYTES / sizeof(uint64_t)];

// Prints "kind name=value name=value ...", which the report understands.
static void report(const char *kind, const char *const *names, const uint64_t *values) {
  char line[LINE_BYTES];
  struct text text = {.data = line, .room = sizeof line};
  append(&text, kind);
  for (unsigned i = 0; names[i]; i++) {
    append(&text, " ");
    append(&text, names[i]);
    append(&text, "=");
    append_number(&text, values[i]);
  }
  append(&text, "\n");
  write_some(1, line, text.used);
}

static void fail(const char *what, long error) {
  char line[LINE_BYTES];
  struct text text = {.data = line, .room = sizeof line};
  append(&text, "exchange: ");
  append(&text, what);
  append(&text, ": error ");
  append_number(&text, (uint64_t)-error);
  append(&text, "\n");
  write_some(2, line, text.used);
  call1(__NR_exit_group, 1);
}

static long need(long result, const char *what) {
  if (result < 0) fail(what, result);
  return result;
}

static void nap(void) {
  const struct time time = {.nanoseconds = RETRY_NS};
  call2(__NR_nanosleep, &time, 0);
}

// The kernel asks for an address once a second; asked anew, it does so at once.
static void forget_address(int socket, uint32_t ip) {
  struct arpreq request = {.arp_flags = 0};
  struct internet_address *const address = (struct internet_address *)&request.arp_pa;
  *address = (struct internet_address){.family = FAMILY_INET, .ip = ip};
  for (unsigned i = 0; i < sizeof "eth0"; i++) request.arp_dev[i] = "eth0"[i];
  control(socket, SIOCDARP, &request);
}

// Round trips to a node, one at a time; the first ones, while it still boots, do not count.
static void ping(uint32_t ip, uint64_t count) {
  static uint64_t round_trips[MOST_PINGS];
  const int socket = (int)need(ping_socket(), "raw socket");
  for (unsigned tries = 0; ping_once(socket, ip, 0, RETRY_NS) == 0; tries++) {
    if (tries == MOST_TRIES) fail("no answer to any ping", 0);
    forget_address(socket, ip);
  }
  for (uint64_t i = 0; i < count; i++) {
    round_trips[i] = ping_once(socket, ip, (uint16_t)(i + 1), MOST_TRIES * (uint64_t)RETRY_NS);
    if (round_trips[i] == 0) fail("a ping was not answered", 0);
  }
  close_file(socket);
  // Printed afterwards, so that the console does not come between two pings.
  for (uint64_t i = 0; i < count; i++) {
    report("ping", (const char *const[]){"seq", "rtt_cycles", 0},
           (const uint64_t[]){i + 1, round_trips[i]});
  }
}

static void fill_piece(void) {
  for (uint64_t i = 0; i < PIECE_BYTES / sizeof *piece; i++) piece[i] = i * 0x9e3779b97f4a7c15;
}

static uint64_t wrong_words(uint64_t bytes) {
  uint64_t wrong = 0;
  for (uint64_t i = 0; i < bytes / sizeof *piece; i++) wrong += piece[i] != i * 0x9e3779b97f4a7c15;
  return wrong;
}

static int tcp_socket(void) {
  const int one = 1;
  const int socket = (int)need(call3(__NR_socket, FAMILY_INET, STREAM, 0), "TCP socket");
  system_call(__NR_setsockopt, socket, PROTOCOL_TCP, TCP_NODELAY, (long)&one, sizeof one, 0);
  return socket;
}

static int connect_to(uint32_t ip) {
  const struct internet_address address = {
      .family = FAMILY_INET, .port = network_order(PORT), .ip = ip};
  for (unsigned tries = 0;; tries++) {  // refused while the other's program has not come that far
    const int socket = tcp_socket();
    const long done = call3(__NR_connect, socket, &address, sizeof address);
    if (done >= 0) return socket;
    if (tries == MOST_TRIES) fail("connect", done);
    close_file(socket);
    nap();
  }
}

static void send_bytes(int socket, uint64_t bytes) {
  fill_piece();
  while (bytes > 0) {
    const uint64_t part = bytes < PIECE_BYTES ? bytes : PIECE_BYTES;
    // Never a part of it: the socket blocks.
    need(write_some(socket, piece, part), "send");
    bytes -= part;
  }
  need(call2(__NR_shutdown, socket, SHUT_WRITE), "shutdown");
}

static void receive_bytes(int socket) {
  uint64_t bytes = 0, wrong = 0, got;
  const uint64_t begin = cycles();
  do {
    got = (uint64_t)need(
        system_call(__NR_recvfrom, socket, (long)piece, PIECE_BYTES, WAIT_ALL, 0, 0), "receive");
    wrong += wrong_words(got);
    bytes += got;
  } while (got == PIECE_BYTES);
  const uint64_t spent = cycles() - begin;
  report("tcp", (const char *const[]){"bytes", "cycles", "errors", 0},
         (const uint64_t[]){bytes, spent, wrong});
  if (wrong) call1(__NR_exit_group, 1);
}

static void serve(uint64_t pings) {
  const struct internet_address any = {.family = FAMILY_INET, .port = network_order(PORT)};
  struct internet_address client = {0};
  uint32_t length = sizeof client;
  const int listener = tcp_socket();
  need(call3(__NR_bind, listener, &any, sizeof any), "bind");
  need(call2(__NR_listen, listener, 1), "listen");
  const int socket = (int)need(call3(__NR_accept, listener, &client, &length), "accept");
  receive_bytes(socket);
  ping(client.ip, pings);
}

static void ask(uint32_t server, uint64_t pings, uint64_t bytes) {
  char end;
  ping(server, pings);
  const int socket = connect_to(server);
  send_bytes(socket, bytes);
  need(read_some(socket, &end, 1), "wait for the server's end");
}

// Bytes in the order of the network; 0 for what is no address.
static uint32_t internet_address(const char *text) {
  uint32_t ip = 0;
  for (unsigned i = 0; i < 4; i++) {
    ip |= (uint32_t)take_number(&text) << 8 * i;
    if (*text != (i < 3 ? '.' : 0)) return 0;
    text++;
  }
  return ip;
}

int main(int argc, char **argv) {
  uint64_t pings = DEFAULT_PINGS, bytes = DEFAULT_BYTES;
  uint32_t server = 0;
  for (int i = 1; i < argc; i++) {
    const char *value = argv[i];
    while (*value && *value++ != '=') continue;
    if (starts_with(argv[i], "server=")) {
      server = internet_address(value);
      if (server == 0) fail("server: expected an address as 172.16.0.3", 0);
    } else if (starts_with(argv[i], "pings=")) {
      pings = take_number(&value);
      if (pings > MOST_PINGS) fail("pings: expected at most 64", 0);
    } else if (starts_with(argv[i], "bytes=")) {
      bytes = take_number(&value) & ~7UL;
    } else {
      fail("expected server=, pings= or bytes=", 0);
    }
  }
  if (server) {
    ask(server, pings, bytes);
  } else {
    serve(pings);
  }
  return 0;
}
