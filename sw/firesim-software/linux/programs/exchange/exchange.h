// SPDX-License-Identifier: BSD-3-Clause
// Pings over a raw socket, and what of the kernel's interface exchange needs.
#ifndef FIRESIM_EXCHANGE_H_
#define FIRESIM_EXCHANGE_H_

#include <stddef.h>
#include <stdint.h>

#include "system.h"

enum { FAMILY_INET = 2, STREAM = 1, RAW = 3, PROTOCOL_ICMP = 1, PROTOCOL_TCP = 6 };
enum { SHUT_WRITE = 1, WAIT_ALL = 0x100 };

struct time {
  int64_t seconds, nanoseconds;
};

struct internet_address {
  uint16_t family;
  uint16_t port;  // in the order of the network
  uint32_t ip;    // in the order of the network
  uint8_t zeros[8];
};

static inline uint16_t network_order(uint16_t value) { return (uint16_t)(value << 8 | value >> 8); }

static inline uint64_t cycles(void) {
  uint64_t value;
  __asm__ volatile("rdcycle %0" : "=r"(value));
  return value;
}

// A raw socket for ping_once, or a negative error.
long ping_socket(void);

// Sends one echo request and waits for its answer; returns the target cycles between the two, from
// before the system call that sends to after the one that receives, or 0 without an answer in time.
uint64_t ping_once(int socket, uint32_t ip, uint16_t sequence, uint64_t timeout_ns);

#endif  // FIRESIM_EXCHANGE_H_
