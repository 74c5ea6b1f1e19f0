// SPDX-License-Identifier: BSD-3-Clause
// Loads and stores of every kind at addresses they are not aligned to, within a page and across
// two, in a process of its own: the core traps and the firmware does them byte by byte. Also
// `rdtime`. Its exit status is the number of wrong results.
#include <stdint.h>

#include "system.h"
#include "text.h"

enum { PAGE_BYTES = 4096, PLACES = 4 };
static uint8_t pages[2 * PAGE_BYTES] __attribute__((aligned(4096)));
static unsigned wrong;

static void expect(bool good) { wrong += !good; }

static uint64_t bytes_at(const uint8_t *at, unsigned bytes) {
  uint64_t value = 0;
  for (unsigned i = 0; i < bytes; i++) value |= (uint64_t)at[i] << (8 * i);
  return value;
}

#define LOADED(instruction, at)                                          \
  ({                                                                     \
    uint64_t value_;                                                     \
    __asm__ volatile(instruction " %0, 0(%1)" : "=r"(value_) : "r"(at)); \
    value_;                                                              \
  })
#define STORE(instruction, at, value) \
  __asm__ volatile(instruction " %0, 0(%1)" ::"r"(value), "r"(at) : "memory")

static void loads(const uint8_t *at) {
  expect(LOADED("ld", at) == bytes_at(at, 8));
  expect(LOADED("lw", at) == (uint64_t)(int64_t)(int32_t)bytes_at(at, 4));
  expect(LOADED("lwu", at) == bytes_at(at, 4));
  expect(LOADED("lh", at) == (uint64_t)(int64_t)(int16_t)bytes_at(at, 2));
  expect(LOADED("lhu", at) == bytes_at(at, 2));
  double wide;
  float narrow;
  uint64_t bits;
  __asm__ volatile("fld %0, 0(%1)" : "=f"(wide) : "r"(at));
  __asm__ volatile("fmv.x.d %0, %1" : "=r"(bits) : "f"(wide));
  expect(bits == bytes_at(at, 8));
  __asm__ volatile("flw %0, 0(%1)" : "=f"(narrow) : "r"(at));
  __asm__ volatile("fmv.x.d %0, %1" : "=r"(bits) : "f"(narrow));
  expect(bits == (bytes_at(at, 4) | UINT64_C(0xffffffff00000000)));
  register const uint8_t *base __asm__("s1") = at;
  register uint64_t result __asm__("a5");
  __asm__ volatile("c.ld %0, 0(%1)" : "=r"(result) : "r"(base));
  expect(result == bytes_at(at, 8));
  __asm__ volatile("c.lw %0, 0(%1)" : "=r"(result) : "r"(base));
  expect(result == (uint64_t)(int64_t)(int32_t)bytes_at(at, 4));
}

static void stores(uint8_t *at, uint64_t value) {
  STORE("sd", at, value);
  expect(bytes_at(at, 8) == value);
  STORE("sw", at, ~value);
  expect(bytes_at(at, 8) == ((value & ~UINT64_C(0xffffffff)) | (~value & 0xffffffff)));
  STORE("sh", at, value);
  expect(bytes_at(at, 2) == (value & 0xffff));
  double wide;
  __asm__ volatile("fmv.d.x %0, %1" : "=f"(wide) : "r"(value * 3));
  __asm__ volatile("fsd %0, 0(%1)" ::"f"(wide), "r"(at) : "memory");
  expect(bytes_at(at, 8) == value * 3);
}

int main(int argc, char **argv) {
  (void)argc;
  (void)argv;
  static const unsigned places[PLACES] = {1, 1003, PAGE_BYTES - 1, PAGE_BYTES - 3};
  for (unsigned i = 0; i < sizeof pages; i++) pages[i] = (uint8_t)(i * 37 + 11);
  for (unsigned i = 0; i < PLACES; i++) {
    loads(pages + places[i]);
    stores(pages + places[i], UINT64_C(0x8192a3b4c5d6e7f8) + i);
  }
  uint64_t before;
  uint64_t after;
  __asm__ volatile("rdtime %0" : "=r"(before));
  do {
    __asm__ volatile("rdtime %0" : "=r"(after));
  } while (after == before);
  expect(after - before < 1000);
  char data[64];
  struct text text = {.data = data, .room = sizeof data};
  append(&text, "misaligned: ");
  append_bytes(&text, (const char[]){(char)('0' + (wrong > 9 ? 9 : wrong))}, 1);
  append(&text, " wrong\n");
  write_some(1, text.data, text.used);
  return (int)wrong;
}
