// SPDX-License-Identifier: BSD-3-Clause
// The system calls of riscv64 Linux that programs without a C library need.
#ifndef FIRESIM_SYSTEM_H_
#define FIRESIM_SYSTEM_H_

#include <asm/unistd.h>
#include <stddef.h>

static inline long system_call(long number, long a, long b, long c, long d, long e, long f) {
  register long a0 __asm__("a0") = a;
  register long a1 __asm__("a1") = b;
  register long a2 __asm__("a2") = c;
  register long a3 __asm__("a3") = d;
  register long a4 __asm__("a4") = e;
  register long a5 __asm__("a5") = f;
  register long a7 __asm__("a7") = number;
  __asm__ volatile("ecall"
                   : "+r"(a0)
                   : "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5), "r"(a7)
                   : "memory");
  return a0;
}

#define call1(number, a) system_call(number, (long)(a), 0, 0, 0, 0, 0)
#define call2(number, a, b) system_call(number, (long)(a), (long)(b), 0, 0, 0, 0)
#define call3(number, a, b, c) system_call(number, (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define call4(number, a, b, c, d) \
  system_call(number, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)

enum { HERE = -100 };  // AT_FDCWD

static inline int open_file(const char *path, int flags) {
  return (int)call4(__NR_openat, HERE, path, flags, 0644);
}
static inline long read_some(int file, void *to, size_t bytes) {
  return call3(__NR_read, file, to, bytes);
}
static inline long write_some(int file, const void *from, size_t bytes) {
  return call3(__NR_write, file, from, bytes);
}
static inline void close_file(int file) { call1(__NR_close, file); }
// The beginning of a file, as far as it fits, as a text; returns its length, 0 for no file.
static inline size_t read_file(const char *path, char *to, size_t room) {
  const int file = open_file(path, 0 /* to read */);
  const long got = file < 0 ? 0 : read_some(file, to, room - 1);
  if (file >= 0) close_file(file);
  const size_t used = got > 0 ? (size_t)got : 0;
  to[used] = 0;
  return used;
}
static inline long control(int file, unsigned long request, void *argument) {
  return call3(__NR_ioctl, file, request, argument);
}

#endif  // FIRESIM_SYSTEM_H_
