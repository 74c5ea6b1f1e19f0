// SPDX-License-Identifier: BSD-3-Clause
// Protobuf messages as C objects: by the unit beside the core (part `protobuf`), and in software.
// `firesim build protobuf` makes the structs and tables of a .proto file.
#ifndef FIRESIM_PROTOBUF_H_
#define FIRESIM_PROTOBUF_H_

#include <stddef.h>

#include "near_core.h"

enum pb_status {
  PB_OKAY = NEAR_CORE_OKAY,
  PB_BAD_DATA = 16,
  PB_NO_ROOM = 17,        // the arena, or the buffer, is too small
  PB_BAD_OPERATION = 18,  // a table, an arena, an object or an array that is not aligned
  PB_TOO_DEEP = 19        // more than PB_DEPTH messages inside each other
};
enum { PB_DEPTH = 100, PB_ARENA_ALIGNMENT = 64 };

// A field of type string or bytes. A zero that does not count follows the data.
struct pb_bytes {
  char *data;
  uint64_t length;
};

// A repeated field; elements are numbers, struct pb_bytes, or pointers to objects.
struct pb_array {
  void *items;
  uint32_t count;
  uint32_t capacity;
};

enum pb_kind {
  PB_NONE,
  PB_UNSIGNED,
  PB_SIGNED,  // int32 and enums
  PB_ZIGZAG,
  PB_BOOL,
  PB_FIXED,
  PB_BYTES,
  PB_MESSAGE
};

// A field: pb_kind in bits 3:0 of `layout`, PB_REPEATED, log2 of an element's bytes in 7:5,
// PB_PACKED, number of the hasbit in 31:16, place in the object in 63:32.
struct pb_field {
  uint64_t layout;
  const struct pb_message *message;
};
enum { PB_REPEATED = 1 << 4, PB_PACKED = 1 << 8 };

// A message: `span` fields by number, the first one's is `first`. Objects begin with the hasbits.
struct pb_message {
  uint32_t bytes, first, span, reserved;
  struct pb_field fields[];
} __attribute__((aligned(16)));

// Starts the unit: an object of the message goes to the beginning of the arena, what it points to
// behind it. near_core_wait gives a pb_status and the bytes of the arena that are used.
static inline void pb_start(const struct pb_message *message, const void *source, uint64_t bytes,
                            void *arena, uint64_t room) {
  near_core_go((uintptr_t)message, (uintptr_t)source, bytes, (uintptr_t)arena, room);
}

// Starts the unit: an object is serialised into the last bytes of a buffer at any address, fields
// in order of their numbers. near_core_wait gives a pb_status and the number of bytes.
static inline void pb_start_write(const struct pb_message *message, const void *object,
                                  void *buffer, uint64_t room) {
  near_core_go((uintptr_t)message | 1, (uintptr_t)object, 0, (uintptr_t)buffer, room);
}

// What pb_start does, in software; `used` is set to the bytes of the arena.
enum pb_status pb_read(const struct pb_message *message, const void *source, uint64_t bytes,
                       void *arena, uint64_t room, uint64_t *used);

// What pb_start_write does, in software: the number of bytes, or minus PB_NO_ROOM or PB_TOO_DEEP.
int64_t pb_write(const struct pb_message *message, const void *object, void *buffer, uint64_t room);

static inline bool pb_has(const void *object, unsigned hasbit) {
  return ((const uint64_t *)object)[hasbit / 64] >> (hasbit % 64) & 1;
}

// Parts of a descriptor.
static inline enum pb_kind pb_kind(const struct pb_field *field) {
  return (enum pb_kind)(field->layout & 15);
}
static inline unsigned pb_size_log(const struct pb_field *field) { return field->layout >> 5 & 7; }
static inline unsigned pb_hasbit(const struct pb_field *field) {
  return field->layout >> 16 & 0xffff;
}
static inline uint32_t pb_place(const struct pb_field *field) {
  return (uint32_t)(field->layout >> 32);
}

enum pb_wire { PB_VARINT, PB_FIXED64, PB_LENGTH, PB_START_GROUP, PB_END_GROUP, PB_FIXED32 };
static inline enum pb_wire pb_wire(const struct pb_field *field) {
  if (pb_kind(field) >= PB_BYTES) return PB_LENGTH;
  if (pb_kind(field) != PB_FIXED) return PB_VARINT;
  return pb_size_log(field) == 3 ? PB_FIXED64 : PB_FIXED32;
}

#endif  // FIRESIM_PROTOBUF_H_
