// SPDX-License-Identifier: BSD-3-Clause
// Finds bootargs in the device tree and values in bootargs, without copying either.
#include "arguments.h"

#include "console.h"
#include "platform.h"

enum { FDT_MAGIC = 0xd00dfeed, FDT_BEGIN = 1, FDT_END = 2, FDT_PROPERTY = 3, FDT_NOP = 4 };
enum { DEVICE_TREE_MAX_BYTES = 65536 };

extern const char firesim_default_arguments[];  // written by the builder from workload.yaml

static uint32_t big_endian(const uint8_t *at) {
  return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static bool equal(const char *a, const char *b) {
  while (*a && *a == *b) a++, b++;
  return *a == *b;
}

static const char *find_bootargs(const uint8_t *tree) {
  if (!tree || big_endian(tree) != FDT_MAGIC) return 0;
  const uint32_t size = big_endian(tree + 4);
  if (size > DEVICE_TREE_MAX_BYTES) return 0;
  const char *names = (const char *)tree + big_endian(tree + 12);
  const uint8_t *at = tree + big_endian(tree + 8);
  unsigned depth = 0;
  bool chosen = false;
  while (at + 4 <= tree + size) {
    const uint32_t token = big_endian(at);
    at += 4;
    if (token == FDT_BEGIN) {
      const char *name = (const char *)at;
      depth++;
      chosen = depth == 2 && equal(name, "chosen");
      while (*at) at++;
      at = (const uint8_t *)(((uintptr_t)at + 4) & ~(uintptr_t)3);
    } else if (token == FDT_PROPERTY) {
      if (chosen && depth == 2 && equal(names + big_endian(at + 4), "bootargs")) {
        return (const char *)at + 8;
      }
      at += 8 + ((big_endian(at) + 3) & ~3U);
    } else if (token == FDT_END) {
      depth--;
      if (chosen) return 0;
    } else if (token != FDT_NOP) {
      return 0;
    }
  }
  return 0;
}

struct arguments read_arguments(const void *device_tree) {
  const char *given = find_bootargs(device_tree);
  return (struct arguments){given ? given : "", firesim_default_arguments};
}

// Returns the characters after `name=` in a list of words, or null.
static const char *find_word(const char *words, const char *name) {
  while (*words) {
    const char *n = name;
    while (*n && *words == *n) words++, n++;
    if (!*n && *words == '=') return words + 1;
    while (*words && *words != ' ') words++;
    while (*words == ' ') words++;
  }
  return 0;
}

static const char *find(const struct arguments *arguments, const char *name) {
  const char *value = find_word(arguments->given, name);
  return value ? value : find_word(arguments->defaults, name);
}

static bool ends(char c) { return c == 0 || c == ' '; }

static bool word_is(const char *value, const char *expected) {
  while (!ends(*expected) && *value == *expected) value++, expected++;
  return ends(*value) && ends(*expected);
}

static void refuse(const char *name, const char *value, const char *expected) {
  print("error: argument %s: found \"", name);
  while (value && !ends(*value)) console_character(*value++);
  print("\", expected %s\n", expected);
  finish(2);
}

static int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  c |= 0x20;
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool same_name(const char *a, const char *b) {
  while (*a == *b && *a != '=' && !ends(*a)) a++, b++;
  return *a == '=' && *b == '=';
}

static const char *next_word(const char *word) {
  while (!ends(*word)) word++;
  while (*word == ' ') word++;
  return word;
}

void check_arguments(const struct arguments *arguments) {
  for (const char *word = arguments->given; *word; word = next_word(word)) {
    const char *known = arguments->defaults;
    while (*known && !same_name(word, known)) known = next_word(known);
    if (*known) continue;
    print("error: found argument ");
    for (const char *at = word; !ends(*at); at++) console_character(*at);
    print(", expected any of: %s\n", arguments->defaults);
    finish(2);
  }
}

bool argument_is(const struct arguments *arguments, const char *name, const char *expected) {
  const char *value = find(arguments, name);
  return value && word_is(value, expected);
}

uint64_t number_argument(const struct arguments *arguments, const char *name) {
  const char *value = find(arguments, name);
  const char *at = value;
  uint64_t result = 0;
  unsigned base = 10;
  if (at && at[0] == '0' && at[1] == 'x') base = 16, at += 2;
  bool good = at && !ends(*at);
  for (; good && !ends(*at); at++) {
    const int d = digit(*at);
    good = d >= 0 && (unsigned)d < base;
    result = result * base + (unsigned)d;
  }
  if (!good) refuse(name, value, "a number");
  return result;
}

uint64_t mac_argument(const struct arguments *arguments, const char *name) {
  const char *value = find(arguments, name);
  const char *at = value;
  uint64_t result = 0;
  bool good = at != 0;
  for (unsigned i = 0; good && i < 6; i++) {
    const int high = digit(at[0]);
    const int low = high < 0 ? -1 : digit(at[1]);
    good = low >= 0 && (i == 5 ? ends(at[2]) : at[2] == ':');
    if (good) result |= (uint64_t)(high << 4 | low) << (8 * i);
    at += 3;
  }
  if (!good) refuse(name, value, "a MAC address such as 00:12:6d:00:00:02");
  return result;
}

uint32_t ip_argument(const struct arguments *arguments, const char *name) {
  const char *value = find(arguments, name);
  const char *at = value;
  uint32_t result = 0;
  bool good = at != 0;
  for (unsigned i = 0; good && i < 4; i++) {
    unsigned byte = 0;
    const char *first = at;
    for (int d; at < first + 3 && (d = digit(*at)) >= 0 && d < 10; at++) {
      byte = 10 * byte + (unsigned)d;
    }
    good = at != first && byte < 256 && (i == 3 ? ends(*at) : *at == '.');
    result = result << 8 | byte;
    at++;
  }
  if (!good) refuse(name, value, "an IPv4 address such as 172.16.0.2");
  return result;
}

void require_choice(const struct arguments *arguments, const char *name, const char *choices) {
  const char *value = find(arguments, name);
  for (const char *choice = choices; value && *choice;) {
    if (word_is(value, choice)) return;
    while (!ends(*choice)) choice++;
    while (*choice == ' ') choice++;
  }
  print("error: argument %s: expected one of: %s\n", name, choices);
  finish(2);
}
