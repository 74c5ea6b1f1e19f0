// SPDX-License-Identifier: BSD-3-Clause
// The little that the agent does with texts.
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

#endif  // FIRESIM_TEXT_H_
