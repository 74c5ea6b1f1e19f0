// SPDX-License-Identifier: BSD-3-Clause
// What the compiler calls for by itself.
#include <stddef.h>

void *memset(void *to, int value, size_t bytes) {
  for (size_t i = 0; i < bytes; i++) ((char *)to)[i] = (char)value;
  return to;
}

void *memcpy(void *to, const void *from, size_t bytes) {
  for (size_t i = 0; i < bytes; i++) ((char *)to)[i] = ((const char *)from)[i];
  return to;
}
