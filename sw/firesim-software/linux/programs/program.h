// SPDX-License-Identifier: BSD-3-Clause
// What programs with a C library share; included once, after PROGRAM is defined as their name.
#ifndef FIRESIM_PROGRAM_H_
#define FIRESIM_PROGRAM_H_

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs(PROGRAM ": ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  exit(1);
}

__attribute__((unused)) static uint64_t now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

#endif  // FIRESIM_PROGRAM_H_
