// SPDX-License-Identifier: BSD-3-Clause
// ICMP echo over a raw socket; see exchange.h.
#include "exchange.h"

enum { ECHO_REPLY = 0, ECHO_REQUEST = 8, DATA_BYTES = 56, PACKET_BYTES = 128, POLL_IN = 1 };
enum { NO_WAIT = 0x40 };

struct echo {
  uint8_t type, code;
  uint16_t checksum, identifier, sequence;
  uint8_t data[DATA_BYTES];
};

struct poll {
  int file;
  short wanted, found;
};

static uint16_t checksum(const struct echo *echo) {
  const uint16_t *const words = (const uint16_t *)echo;
  uint32_t sum = 0;
  for (size_t i = 0; i < sizeof *echo / sizeof *words; i++) sum += words[i];
  sum = (sum & 0xffff) + (sum >> 16);
  return (uint16_t) ~(sum + (sum >> 16));
}

// Takes what has arrived; true when it is the answer. A raw socket sees all other ICMP, too.
static int is_answer(int socket, const struct echo *request) {
  union {
    uint8_t bytes[PACKET_BYTES];
    uint32_t aligned;
  } packet;
  const long got = system_call(__NR_recvfrom, socket, (long)&packet, sizeof packet, NO_WAIT, 0, 0);
  const long header = got > 0 ? 4 * (packet.bytes[0] & 15) : 0;
  if (got < header + (long)offsetof(struct echo, data)) return 0;
  const struct echo *const echo = (const struct echo *)(packet.bytes + header);
  return echo->type == ECHO_REPLY && echo->identifier == request->identifier &&
         echo->sequence == request->sequence;
}

long ping_socket(void) { return call3(__NR_socket, FAMILY_INET, RAW, PROTOCOL_ICMP); }

uint64_t ping_once(int socket, uint32_t ip, uint16_t sequence, uint64_t timeout_ns) {
  const struct internet_address to = {.family = FAMILY_INET, .ip = ip};
  const uint16_t identifier = (uint16_t)call1(__NR_getpid, 0);
  struct echo request = {
      .type = ECHO_REQUEST, .identifier = identifier, .sequence = network_order(sequence)};
  request.checksum = checksum(&request);
  const uint64_t begin = cycles();
  system_call(__NR_sendto, socket, (long)&request, sizeof request, 0, (long)&to, sizeof to);
  for (;;) {
    struct time left = {.seconds = (int64_t)(timeout_ns / 1000000000),
                        .nanoseconds = (int64_t)(timeout_ns % 1000000000)};
    struct poll poll = {.file = socket, .wanted = POLL_IN};
    if (system_call(__NR_ppoll, (long)&poll, 1, (long)&left, 0, 0, 0) <= 0) return 0;
    if (is_answer(socket, &request)) return cycles() - begin;
  }
}
