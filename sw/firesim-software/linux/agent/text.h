// SPDX-License-Identifier: BSD-3-Clause
// The little that programs without a C library do with texts.
#ifndef FIRESIM_TEXT_H_
#define FIRESIM_TEXT_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline size_t length(const char *text) {
  size_t n = 0;
  while (text[n]) n++;
  return n;
}

static inline bool starts_with(const char *text, const char *start) {
  while (*start && *text == *start) text++, start++;
  return !*start;
}

// A text that grows within its room; what does not fit is left out, and `full` says so.
struct text {
  char *data;
  size_t room;
  size_t used;
  bool full;
};

static inline void append_bytes(struct text *text, const char *data, size_t bytes) {
  for (size_t i = 0; i < bytes; i++) {
    if (text->used + 1 >= text->room) {
      text->full = true;
      return;
    }
    text->data[text->used++] = data[i];
  }
  text->data[text->used] = 0;
}

static inline void append(struct text *text, const char *data) {
  append_bytes(text, data, length(data));
}

static inline void append_number(struct text *text, uint64_t value) {
  char digits[24];
  unsigned at = sizeof digits;
  do {
    digits[--at] = (char)('0' + value % 10);
    value /= 10;
  } while (value);
  append_bytes(text, digits + at, sizeof digits - at);
}

// The number that begins at `*at`, 0 for none; `*at` is behind its digits then.
static inline uint64_t take_number(const char **at) {
  uint64_t value = 0;
  while (**at >= '0' && **at <= '9') value = value * 10 + (uint64_t)(*(*at)++ - '0');
  return value;
}

#endif  // FIRESIM_TEXT_H_
