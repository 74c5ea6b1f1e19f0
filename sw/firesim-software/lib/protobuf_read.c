// SPDX-License-Identifier: BSD-3-Clause
// Protobuf's deserialiser in software: what the unit beside the core is compared with. It lays out
// the arena as the unit does.
#include "protobuf.h"

struct reader {
  const unsigned char *at, *end;  // of the message, or packed field, under way
  unsigned char *arena;
  uint64_t room, used;
  enum pb_status status;  // of what is wrong
  unsigned depth;
};

static bool fails(struct reader *r, enum pb_status status) {
  r->status = status;
  return false;
}

static bool take_varint(struct reader *r, unsigned most, uint64_t *value) {
  const unsigned char *at = r->at;
  if (at != r->end && *at < 128) {
    *value = *at;
    r->at = at + 1;
    return true;
  }
  uint64_t found = 0;
  for (unsigned i = 0; i < most && at != r->end; i++) {
    const uint64_t digit = *at++;
    found |= (digit & 127) << (7 * i);
    if (digit < 128) {
      *value = found;
      r->at = at;
      return true;
    }
  }
  return fails(r, PB_BAD_DATA);
}

static bool take_fixed(struct reader *r, unsigned bytes, uint64_t *value) {
  if ((uint64_t)(r->end - r->at) < bytes) return fails(r, PB_BAD_DATA);
  uint64_t found = 0;
  for (unsigned i = 0; i < bytes; i++) found |= (uint64_t)r->at[i] << (8 * i);
  *value = found;
  r->at += bytes;
  return true;
}

static bool take_length(struct reader *r, uint64_t *length) {
  if (!take_varint(r, 5, length)) return false;
  return *length <= (uint64_t)(r->end - r->at) || fails(r, PB_BAD_DATA);
}

static void *allocate(struct reader *r, uint64_t bytes) {
  if (bytes > r->room - r->used) {
    r->status = PB_NO_ROOM;
    return NULL;
  }
  unsigned char *const found = r->arena + r->used;
  r->used += bytes;
  return found;
}

static void *new_object(struct reader *r, const struct pb_message *message) {
  uint64_t *const object = allocate(r, message->bytes);
  if (object) {
    for (uint32_t i = 0; i < message->bytes / 8; i++) object[i] = 0;
  }
  return object;
}

// Room for one element more: in place when nothing lies behind the array.
static bool grow(struct reader *r, struct pb_array *array, unsigned size_log) {
  if (array->count < array->capacity) return true;
  const uint64_t bytes = (uint64_t)array->capacity << size_log;
  if (bytes && (unsigned char *)array->items + bytes == r->arena + r->used) {
    if (!allocate(r, bytes)) return false;
    array->capacity *= 2;
    return true;
  }
  uint64_t *const items = allocate(r, bytes ? 2 * bytes : 64);
  if (!items) return false;
  const uint64_t *const old = array->items;
  for (uint64_t i = 0; i < bytes / 8; i++) items[i] = old[i];
  array->items = items;
  array->capacity = bytes ? 2 * array->capacity : 64u >> size_log;
  return true;
}

static bool take_scalar(struct reader *r, const struct pb_field *field, void *to) {
  const unsigned size_log = pb_size_log(field);
  const enum pb_kind kind = pb_kind(field);
  uint64_t value;
  if (kind == PB_FIXED ? !take_fixed(r, 1u << size_log, &value) : !take_varint(r, 10, &value)) {
    return false;
  }
  if (kind == PB_BOOL) {
    *(bool *)to = value != 0;
  } else if (size_log == 2) {
    const uint32_t half = (uint32_t)value;
    *(uint32_t *)to = kind == PB_ZIGZAG ? half >> 1 ^ -(half & 1) : half;
  } else {
    *(uint64_t *)to = kind == PB_ZIGZAG ? value >> 1 ^ -(value & 1) : value;
  }
  return true;
}

static bool take_packed(struct reader *r, const struct pb_field *field, struct pb_array *array) {
  uint64_t length;
  if (!take_length(r, &length)) return false;
  const unsigned char *const end = r->end;
  const unsigned size_log = pb_size_log(field);
  r->end = r->at + length;
  while (r->at != r->end) {
    if (!grow(r, array, size_log)) return false;
    unsigned char *const to = (unsigned char *)array->items + ((uint64_t)array->count << size_log);
    if (!take_scalar(r, field, to)) return false;
    array->count++;
  }
  r->end = end;
  return true;
}

static bool take_bytes(struct reader *r, struct pb_bytes *to) {
  uint64_t length;
  if (!take_length(r, &length)) return false;
  unsigned char *const data = allocate(r, (length + 8) & ~7UL);
  if (!data) return false;
  ((uint64_t *)data)[length / 8] = 0;
  const unsigned char *const from = r->at;
  uint64_t i = 0;
  if ((uintptr_t)from % 8 == 0) {
    for (; i + 8 <= length; i += 8) *(uint64_t *)(data + i) = *(const uint64_t *)(from + i);
  }
  for (; i < length; i++) data[i] = from[i];
  to->data = (char *)data;
  to->length = length;
  r->at += length;
  return true;
}

static bool take_fields(struct reader *r, const struct pb_message *message, unsigned char *object,
                        uint64_t group);

// A message inside. A field that has one already gets more.
static bool take_message(struct reader *r, const struct pb_message *message, void **to, bool has) {
  uint64_t length;
  if (!take_length(r, &length)) return false;
  if (r->depth == PB_DEPTH) return fails(r, PB_TOO_DEEP);
  if (!has) *to = new_object(r, message);
  if (!*to) return false;
  const unsigned char *const end = r->end;
  r->end = r->at + length;
  r->depth++;
  if (!take_fields(r, message, *to, 0)) return false;
  r->depth--;
  r->end = end;
  return true;
}

static bool skip(struct reader *r, uint64_t number, enum pb_wire wire) {
  uint64_t value;
  switch (wire) {
    case PB_VARINT:
      return take_varint(r, 10, &value);
    case PB_FIXED64:
      return take_fixed(r, 8, &value);
    case PB_FIXED32:
      return take_fixed(r, 4, &value);
    case PB_LENGTH:
      if (!take_length(r, &value)) return false;
      r->at += value;
      return true;
    case PB_START_GROUP:
      if (r->depth == PB_DEPTH) return fails(r, PB_TOO_DEEP);
      r->depth++;
      if (!take_fields(r, NULL, NULL, number)) return false;
      r->depth--;
      return true;
    case PB_END_GROUP:
      break;
  }
  return fails(r, PB_BAD_DATA);
}

static bool take_repeated(struct reader *r, const struct pb_field *field, struct pb_array *array) {
  const unsigned size_log = pb_size_log(field);
  if (!grow(r, array, size_log)) return false;
  void *const to = (unsigned char *)array->items + ((uint64_t)array->count << size_log);
  const enum pb_kind kind = pb_kind(field);
  const bool taken = kind == PB_MESSAGE ? take_message(r, field->message, to, false)
                     : kind == PB_BYTES ? take_bytes(r, to)
                                        : take_scalar(r, field, to);
  if (!taken) return false;
  array->count++;
  return true;
}

static bool take_known(struct reader *r, const struct pb_field *field, enum pb_wire wire,
                       unsigned char *object) {
  void *const to = object + pb_place(field);
  if (field->layout & PB_REPEATED) {
    if (wire != pb_wire(field)) return take_packed(r, field, to);
    return take_repeated(r, field, to);
  }
  uint64_t *const hasbits = (uint64_t *)object + pb_hasbit(field) / 64;
  const uint64_t hasbit = 1UL << pb_hasbit(field) % 64;
  const bool has = *hasbits & hasbit;
  *hasbits |= hasbit;
  switch (pb_kind(field)) {
    case PB_MESSAGE:
      return take_message(r, field->message, to, has);
    case PB_BYTES:
      return take_bytes(r, to);
    default:
      return take_scalar(r, field, to);
  }
}

static const struct pb_field *find(const struct pb_message *message, uint64_t number,
                                   enum pb_wire wire) {
  if (!message || number - message->first >= message->span) return NULL;
  const struct pb_field *const field = &message->fields[number - message->first];
  const enum pb_kind kind = pb_kind(field);
  if (kind == PB_NONE) return NULL;
  if (wire == pb_wire(field)) return field;
  return wire == PB_LENGTH && (field->layout & PB_REPEATED) ? field : NULL;
}

// Fields up to the end of the message or, of an unknown group, to its end.
static bool take_fields(struct reader *r, const struct pb_message *message, unsigned char *object,
                        uint64_t group) {
  while (r->at != r->end) {
    uint64_t key;
    if (!take_varint(r, 5, &key)) return false;
    const uint64_t number = key >> 3;
    const enum pb_wire wire = (enum pb_wire)(key & 7);
    if (key >> 32 || !number) return fails(r, PB_BAD_DATA);
    if (wire == PB_END_GROUP && group == number) return true;
    const struct pb_field *const field = find(message, number, wire);
    if (field ? !take_known(r, field, wire, object) : !skip(r, number, wire)) return false;
  }
  return group ? fails(r, PB_BAD_DATA) : true;
}

enum pb_status pb_read(const struct pb_message *message, const void *source, uint64_t bytes,
                       void *arena, uint64_t room, uint64_t *used) {
  if ((uintptr_t)arena % PB_ARENA_ALIGNMENT) return PB_BAD_OPERATION;
  struct reader r = {.at = source,
                     .end = (const unsigned char *)source + bytes,
                     .arena = arena,
                     .room = room & ~(PB_ARENA_ALIGNMENT - 1UL)};
  unsigned char *const root = new_object(&r, message);
  if (!root || !take_fields(&r, message, root, 0)) return r.status;
  *used = r.used;
  return PB_OKAY;
}
