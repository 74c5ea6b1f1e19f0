// SPDX-License-Identifier: BSD-3-Clause
// What a bare program needs to reach its host by tohost: a start, system calls, text and numbers.
//
// FLUSH is the address of an L2's flush register. With it the program brings its words to memory
// and takes the host's from there, for a host that looks at memory.
//
// NATIVE makes a program of this computer, whose text is what the target must print.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef NATIVE
#include <unistd.h>

static void print(const char *text, size_t bytes) {
  if (write(1, text, bytes) < 0) _exit(1);
}
#else
#define LINE __attribute__((aligned(64)))

volatile uint64_t tohost __attribute__((aligned(64), section(".tohost")));
volatile uint64_t fromhost __attribute__((aligned(64), section(".tohost")));
static volatile uint64_t call_words[8] LINE;
static char call_text[64] LINE;

// Hart 0 alone runs the program.
__attribute__((section(".start"), naked, used)) void start(void) {
  __asm__("csrr a0, mhartid; bnez a0, 1f; la sp, stack_end; call body\n1: wfi; j 1b");
}

static void flush(const volatile void *place) {
  __sync_synchronize();
#ifdef FLUSH
  *(volatile uint64_t *)FLUSH = (uint64_t)place;
  __sync_synchronize();
#else
  (void)place;
#endif
}

static void print(const char *text, size_t bytes) {
  for (size_t done = 0; done < bytes;) {
    size_t part = bytes - done < sizeof call_text ? bytes - done : sizeof call_text;
    for (size_t i = 0; i < part; ++i) call_text[i] = text[done + i];
    flush(call_text);
    call_words[0] = 64, call_words[1] = 1, call_words[2] = (uint64_t)call_text;
    call_words[3] = part;
    flush(call_words);
    tohost = (uint64_t)call_words;
    flush(&tohost);
    while (flush(&fromhost), fromhost == 0) continue;
    fromhost = 0;
    flush(&fromhost);
    done += part;
  }
}
#endif

static size_t length_of(const char *text) {
  size_t bytes = 0;
  while (text[bytes] != 0) ++bytes;
  return bytes;
}

static void print_text(const char *text) { print(text, length_of(text)); }

static inline void print_hex(const char *name, uint64_t value) {
  char line[17];
  for (int i = 0; i < 16; ++i) line[i] = "0123456789abcdef"[value >> (60 - 4 * i) & 15];
  line[16] = '\n';
  print_text(name);
  print(line, sizeof line);
}

static void run(void);

#ifdef NATIVE
int main(void) {
  run();
  return 0;
}
#else
__attribute__((used)) void body(void) {
  run();
  tohost = 1;
  flush(&tohost);
  for (;;) continue;
}
#endif
