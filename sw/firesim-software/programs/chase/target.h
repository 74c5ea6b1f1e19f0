// SPDX-License-Identifier: BSD-3-Clause
// What functions on the wire see of the node that they run on, for C and for assembly.
#ifndef CHASE_TARGET_H_
#define CHASE_TARGET_H_

// Offsets of struct target.
#define TARGET_SHARD 0
#define TARGET_SHIFT 8
#define TARGET_SERVER 16
#define TARGET_MOST_DEPTH 24
#define TARGET_FORWARD 32
#define TARGET_GIVE_BACK 40
#define TARGET_REFUSE 48
#define TARGET_COUNTER 56
#define TARGET_RESULT 64
#define TARGET_DONE 72

// Offsets of struct chaser.
#define CHASER_DEPTH 0
#define CHASER_ADDRESS 8

// Bits of misa.
#define ISA_C (1 << 2)
#define ISA_I (1 << 8)

#ifndef __ASSEMBLER__
#include <stddef.h>
#include <stdint.h>

// Payload of the chaser, and of the result, whose address is the value found.
struct chaser {
  uint64_t depth;  // entries still to be read
  uint64_t address;
  uint64_t destination;  // node that wants the result
};

struct target {
  const uint64_t *shard;
  uint64_t shift;  // log2 of the entries of a shard
  uint64_t server;
  uint64_t most_depth;
  // Sends the running function on to a server, or its result to its destination; or counts that the
  // payload makes no sense.
  void (*forward)(struct chaser *payload, struct target *target, uint64_t server);
  void (*give_back)(struct chaser *payload, struct target *target);
  void (*refuse)(struct chaser *payload, struct target *target);
  uint64_t counter;
  uint64_t result;
  uint64_t done;
};

_Static_assert(offsetof(struct target, shard) == TARGET_SHARD, "as in assembly");
_Static_assert(offsetof(struct target, shift) == TARGET_SHIFT, "as in assembly");
_Static_assert(offsetof(struct target, server) == TARGET_SERVER, "as in assembly");
_Static_assert(offsetof(struct target, most_depth) == TARGET_MOST_DEPTH, "as in assembly");
_Static_assert(offsetof(struct target, forward) == TARGET_FORWARD, "as in assembly");
_Static_assert(offsetof(struct target, give_back) == TARGET_GIVE_BACK, "as in assembly");
_Static_assert(offsetof(struct target, refuse) == TARGET_REFUSE, "as in assembly");
_Static_assert(offsetof(struct target, counter) == TARGET_COUNTER, "as in assembly");
_Static_assert(offsetof(struct target, result) == TARGET_RESULT, "as in assembly");
_Static_assert(offsetof(struct target, done) == TARGET_DONE, "as in assembly");
_Static_assert(offsetof(struct chaser, depth) == CHASER_DEPTH, "as in assembly");
_Static_assert(offsetof(struct chaser, address) == CHASER_ADDRESS, "as in assembly");
#endif

#endif  // CHASE_TARGET_H_
