// SPDX-License-Identifier: BSD-3-Clause
// Frames between a Linux node and a blade without a system (lib/net.h), and words NAME=VALUE of a
// command line; included once, after PROGRAM is defined.
#ifndef FIRESIM_FRAMES_H_
#define FIRESIM_FRAMES_H_

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "program.h"

enum { ETHERTYPE_EXPERIMENTAL = 0x88b5, MESSAGE_BYTES = 48 };
enum { MESSAGE_PING = 1, MESSAGE_PONG, MESSAGE_START, MESSAGE_READY, MESSAGE_BYE = 7 };

struct message {
  uint64_t kind, number, extra;
  uint8_t rest[MESSAGE_BYTES - 24];
};

struct frames {
  int socket;
  struct sockaddr_ll peer;
};

// The value of a word of the command line, or the default; the program ends when there is none.
static inline const char *word(char **words, const char *name, const char *otherwise) {
  const size_t length = strlen(name);
  for (; *words; words++) {
    if (!strncmp(*words, name, length) && (*words)[length] == '=') return *words + length + 1;
  }
  if (!otherwise) fail("expected a word %s=", name);
  return otherwise;
}

static inline uint64_t number_word(char **words, const char *name, const char *otherwise) {
  const char *text = word(words, name, otherwise);
  char *end;
  const uint64_t value = strtoull(text, &end, 0);
  if (!*text || *end) fail("%s: found \"%s\", expected a number", name, text);
  return value;
}

static inline struct in_addr address_word(char **words, const char *name) {
  const char *text = word(words, name, NULL);
  struct in_addr address;
  if (!inet_aton(text, &address)) fail("%s: found \"%s\", expected 172.16.0.2", name, text);
  return address;
}

// Ends the program at a word that has none of the names, which are separated by blanks.
static inline void check_words(char **words, const char *names) {
  for (; *words; words++) {
    const char *equals = strchr(*words, '=');
    const size_t length = equals ? (size_t)(equals - *words) : strlen(*words);
    const char *at = names;
    while (at && (strncmp(at, *words, length) || (at[length] && at[length] != ' '))) {
      at = strchr(at, ' ');
      if (at) at++;
    }
    if (!equals || !at) fail("found \"%s\", expected any of %s, each with =VALUE", *words, names);
  }
}

// Opens eth0 for frames of and to the node whose MAC address is the word `peer`.
static inline struct frames open_frames(char **words) {
  struct frames frames = {.peer = {.sll_family = AF_PACKET,
                                   .sll_protocol = htons(ETHERTYPE_EXPERIMENTAL),
                                   .sll_halen = ETH_ALEN,
                                   .sll_ifindex = (int)if_nametoindex("eth0")}};
  uint8_t *mac = frames.peer.sll_addr;
  const char *text = word(words, "peer", NULL);
  if (sscanf(text, "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx", mac, mac + 1, mac + 2, mac + 3, mac + 4,
             mac + 5) != ETH_ALEN) {
    fail("peer: found \"%s\", expected 00:12:6d:00:00:02", text);
  }
  frames.socket = socket(AF_PACKET, SOCK_DGRAM, htons(ETHERTYPE_EXPERIMENTAL));
  if (frames.socket < 0) fail("cannot open a packet socket: %s", strerror(errno));
  const struct sockaddr *address = (const struct sockaddr *)&frames.peer;
  if (bind(frames.socket, address, sizeof frames.peer)) fail("eth0: %s", strerror(errno));
  return frames;
}

static inline void tell(const struct frames *frames, uint64_t kind, uint64_t number,
                        uint64_t extra) {
  const struct message message = {.kind = kind, .number = number, .extra = extra};
  const struct sockaddr *address = (const struct sockaddr *)&frames->peer;
  if (sendto(frames->socket, &message, sizeof message, 0, address, sizeof frames->peer) < 0) {
    fail("cannot send a frame: %s", strerror(errno));
  }
}

// Waits for the next frame of a kind from the peer.
static inline struct message hear(const struct frames *frames, uint64_t kind) {
  struct message message;
  struct sockaddr_ll from;
  socklen_t length = sizeof from;
  do {
    const ssize_t bytes =
        recvfrom(frames->socket, &message, sizeof message, 0, (struct sockaddr *)&from, &length);
    if (bytes < 0 && errno != EINTR) fail("cannot receive a frame: %s", strerror(errno));
    if (bytes < (ssize_t)sizeof message) message.kind = 0;
  } while (message.kind != kind || memcmp(from.sll_addr, frames->peer.sll_addr, ETH_ALEN) != 0);
  return message;
}

#endif  // FIRESIM_FRAMES_H_
