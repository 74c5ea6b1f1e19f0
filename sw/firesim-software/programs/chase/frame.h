// SPDX-License-Identifier: BSD-3-Clause
// Frames that carry functions: a head of 24 bytes, the payload, a signal byte, and last the code,
// which is cut off for a receiver that has it (docs/how-to/inject-code.md).
#ifndef CHASE_FRAME_H_
#define CHASE_FRAME_H_

#include <stdint.h>

enum { ETHERTYPE_INJECTED = 0xb688 };  // 0x88b6, the second one for experiments, big-endian
enum { FRAME_SIGNAL = 0x55, NAME_BYTES = 8 };

enum frame_type {
  FRAME_BINARY = 0x50,   // code of one instruction set, as it runs
  FRAME_BITCODE = 0xbc,  // known, and refused: there is no compiler on the target
  FRAME_FAT = 0xfa,      // code in several variants
  FRAME_ACTIVE = 0xa0,   // number of a function that the receiver has, then the payload
  FRAME_GET = 0x60,      // index of an entry
  FRAME_GOT = 0x61,      // its value
  FRAME_UNKNOWN = 0x6e,  // a frame without code goes back to its sender, who adds it
  FRAME_HELLO = 0x70,
  FRAME_READY = 0x71,
  FRAME_BYE = 0x72
};

struct head {
  uint32_t frame_bytes;  // with the code, also where that is cut off
  uint32_t payload_at, code_at;
  uint8_t type;
  uint8_t pure;  // 1: the code calls nothing of the receiver's
  char name[NAME_BYTES];
  uint8_t signal;
  uint8_t zero;
};

// A frame as it is in memory: 2 pad bytes, destination, source, type, and from there on ours.
struct packet {
  uint64_t to;
  uint64_t from;
  struct head head;
  unsigned char rest[];
};

enum { ETHERNET_BYTES = 16, HEAD_BYTES = sizeof(struct head), MOST_PAYLOAD_BYTES = 64 };
_Static_assert(sizeof(struct head) == 24, "the head is that of the published frame");
_Static_assert(sizeof(struct packet) == ETHERNET_BYTES + HEAD_BYTES, "no padding in frames");

// The code section of a FRAME_FAT: this, `variants` entries, then the code of each.
enum { ARCHIVE_MAGIC = 0x41465652, MOST_VARIANTS = 4 };  // "RVFA"

struct variant {
  uint32_t isa;      // extensions that it needs, as misa has them
  uint32_t code_at;  // from the beginning of the archive, a multiple of 4
  uint32_t code_bytes;
  uint32_t zero;
};

struct archive {
  uint32_t magic;
  uint16_t variants;  // what is preferred comes last
  uint16_t zero;
  struct variant variant[];
};

#endif  // CHASE_FRAME_H_
