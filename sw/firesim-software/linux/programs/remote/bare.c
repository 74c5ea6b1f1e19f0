// SPDX-License-Identifier: BSD-3-Clause
// What the sources of bare-metal programs take from their library, by the C library of Linux.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "console.h"
#include "platform.h"

void console_character(char character) { putchar(character); }

void print(const char *format, ...) {
  va_list values;
  va_start(values, format);
  vprintf(format, values);
  va_end(values);
}

void finish(int code) { exit(code); }

void fail(const char *format, ...) {
  va_list values;
  va_start(values, format);
  fputs("remote: ", stderr);
  vfprintf(stderr, format, values);
  fputc('\n', stderr);
  va_end(values);
  exit(1);
}
