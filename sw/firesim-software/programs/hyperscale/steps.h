// SPDX-License-Identifier: BSD-3-Clause
// The four steps that a unit or software does. Each returns bytes, or -1 when it refuses.
#ifndef FIRESIM_HYPERSCALE_STEPS_H_
#define FIRESIM_HYPERSCALE_STEPS_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct orders_Order;

// A format of compressed data. `use_unit` makes the unit of this core ready: physical addresses,
// and so many cycles more to memory and back. `new_state` is what software needs, for each core its
// own.
struct format {
  void (*use_unit)(uint64_t latency_cycles);
  void *(*new_state)(void);
  int64_t (*decompress)(bool by_unit, const unsigned char *from, size_t bytes, unsigned char *to,
                        size_t room);
  // There is room for COMPRESSED_BYTES, and at most PLAIN_BYTES go in.
  int64_t (*compress)(void *state, bool by_unit, const unsigned char *from, size_t bytes,
                      unsigned char *to);
};
extern const struct format snappy_format, zstd_format;

void use_message_unit(uint64_t latency_cycles);

// The order lies at the beginning of the arena of ARENA_BYTES, which is aligned to 64.
int64_t deserialise(bool by_unit, const unsigned char *from, size_t bytes, void *arena);

// The message is the last bytes of a buffer of PLAIN_BYTES.
int64_t serialise(bool by_unit, const struct orders_Order *order, unsigned char *buffer);

#endif  // FIRESIM_HYPERSCALE_STEPS_H_
