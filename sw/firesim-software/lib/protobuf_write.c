// SPDX-License-Identifier: BSD-3-Clause
// Protobuf's serialiser in software. It writes from the end: lengths are known when they are due.
#include "protobuf.h"

struct writer {
  unsigned char *at, *begin;
  enum pb_status status;  // of what is wrong
  unsigned depth;
};

static bool has_room(struct writer *w, uint64_t bytes) {
  if (bytes <= (uint64_t)(w->at - w->begin)) return true;
  w->status = PB_NO_ROOM;
  return false;
}

static bool put_varint(struct writer *w, uint64_t value) {
  unsigned bytes = 1;
  for (uint64_t rest = value >> 7; rest; rest >>= 7) bytes++;
  if (!has_room(w, bytes)) return false;
  w->at -= bytes;
  for (unsigned i = 0; i < bytes; i++, value >>= 7) {
    w->at[i] = (unsigned char)(i + 1 < bytes ? value | 128 : value);
  }
  return true;
}

static bool put_bytes(struct writer *w, const unsigned char *from, uint64_t bytes) {
  if (!has_room(w, bytes)) return false;
  w->at -= bytes;
  uint64_t i = 0;
  if (((uintptr_t)w->at | (uintptr_t)from) % 8 == 0) {
    for (; i + 8 <= bytes; i += 8) *(uint64_t *)(w->at + i) = *(const uint64_t *)(from + i);
  }
  for (; i < bytes; i++) w->at[i] = from[i];
  return true;
}

static uint64_t number(const void *from, unsigned size_log) {
  if (size_log == 3) return *(const uint64_t *)from;
  return size_log == 2 ? *(const uint32_t *)from : *(const unsigned char *)from;
}

static bool put_fields(struct writer *w, const struct pb_message *message,
                       const unsigned char *object);

static bool put_message(struct writer *w, const struct pb_message *message,
                        const unsigned char *object) {
  const unsigned char *const end = w->at;
  if (w->depth == PB_DEPTH) {
    w->status = PB_TOO_DEEP;
    return false;
  }
  w->depth++;
  if (!put_fields(w, message, object)) return false;
  w->depth--;
  return put_varint(w, (uint64_t)(end - w->at));
}

// A value, with its length where it has one, and without its key.
static bool put_value(struct writer *w, const struct pb_field *field, const void *from) {
  const unsigned size_log = pb_size_log(field);
  switch (pb_kind(field)) {
    case PB_FIXED:
      return put_bytes(w, from, 1u << size_log);
    case PB_ZIGZAG: {
      const uint64_t value =
          size_log == 2 ? (uint64_t) * (const int32_t *)from : *(const uint64_t *)from;
      const uint64_t shifted = value << 1 ^ -(value >> 63);
      return put_varint(w, size_log == 2 ? (uint32_t)shifted : shifted);
    }
    case PB_SIGNED:
      return put_varint(w, (uint64_t) * (const int32_t *)from);
    case PB_BYTES: {
      const struct pb_bytes *const bytes = from;
      return put_bytes(w, (const unsigned char *)bytes->data, bytes->length) &&
             put_varint(w, bytes->length);
    }
    case PB_MESSAGE:
      return put_message(w, field->message, *(unsigned char *const *)from);
    default:
      return put_varint(w, number(from, size_log));
  }
}

static bool put_repeated(struct writer *w, const struct pb_field *field, uint64_t key,
                         const struct pb_array *array) {
  const bool packed = field->layout & PB_PACKED;
  const unsigned char *const end = w->at;
  for (uint32_t i = array->count; i-- > 0;) {
    const uint64_t place = (uint64_t)i << pb_size_log(field);
    if (!put_value(w, field, (const unsigned char *)array->items + place)) return false;
    if (!packed && !put_varint(w, key)) return false;
  }
  if (!packed || !array->count) return true;
  return put_varint(w, (uint64_t)(end - w->at)) && put_varint(w, (key & ~7UL) | PB_LENGTH);
}

static bool put_fields(struct writer *w, const struct pb_message *message,
                       const unsigned char *object) {
  for (uint32_t i = message->span; i-- > 0;) {
    const struct pb_field *const field = &message->fields[i];
    if (pb_kind(field) == PB_NONE) continue;
    const void *const from = object + pb_place(field);
    const uint64_t key = (uint64_t)(message->first + i) << 3 | pb_wire(field);
    if (field->layout & PB_REPEATED) {
      if (!put_repeated(w, field, key, from)) return false;
    } else if (pb_has(object, pb_hasbit(field))) {
      if (!put_value(w, field, from) || !put_varint(w, key)) return false;
    }
  }
  return true;
}

int64_t pb_write(const struct pb_message *message, const void *object, void *buffer,
                 uint64_t room) {
  struct writer w = {.at = (unsigned char *)buffer + room, .begin = buffer};
  const unsigned char *const end = w.at;
  return put_fields(&w, message, object) ? end - w.at : -(int64_t)w.status;
}
