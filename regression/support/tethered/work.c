// SPDX-License-Identifier: BSD-3-Clause
// Work of the kind that Dhrystone does: integers, records by pointers, copies and comparisons of
// strings, calls through pointers, and a sort. It prints a checksum of each part.
#include "runtime.h"

#ifndef ROUNDS
#define ROUNDS 20
#endif
// With LOG_LINES each step also writes a line of memory in a ring, so that caches have to write
// lines back, and memory shows what was computed.
#ifdef LOG_LINES
static volatile uint64_t lines[LOG_LINES][8] LINE;
static void note(uint64_t value) {
  static unsigned at;
  lines[at++ % LOG_LINES][0] = value;
}
#else
static void note(uint64_t value) { (void)value; }
#endif

#define RECORDS 16
#define WORDS 64

struct record {
  struct record *next;
  uint64_t (*rule)(uint64_t, uint64_t);
  char name[24];
  int64_t count;
};

static struct record records[RECORDS];
static uint32_t words[WORDS];
static uint64_t seed = 1;

static uint64_t random_word(void) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return seed >> 33;
}

static uint64_t sum_rule(uint64_t a, uint64_t b) { return a + (b ^ 0x5555); }
static uint64_t product_rule(uint64_t a, uint64_t b) { return a * (b | 1); }
static uint64_t quotient_rule(uint64_t a, uint64_t b) { return a / (b | 3) + a % (b | 5); }

// Bytes are copied one by one: the volatile keeps a compiler from calling a memcpy.
static void copy_text(volatile char *to, const char *from) {
  while ((*to++ = *from++) != 0) continue;
}

static int compare_text(const char *a, const char *b) {
  while (*a != 0 && *a == *b) ++a, ++b;
  return (unsigned char)*a - (unsigned char)*b;
}

static void make_records(void) {
  static uint64_t (*const rules[])(uint64_t, uint64_t) = {sum_rule, product_rule, quotient_rule};
  for (int i = 0; i < RECORDS; ++i) {
    struct record *one = &records[i];
    one->next = &records[(i * 7 + 3) % RECORDS];
    one->rule = rules[i % 3];
    copy_text(one->name, "record of the kind  ");
    one->name[18] = (char)('a' + i % 5);
    one->count = i * 1000 - 5000;
  }
}

static uint64_t walk_records(void) {
  uint64_t sum = 0;
  struct record *at = records;
  for (int step = 0; step < 4 * RECORDS; ++step) {
    struct record *next = at->next;
    int order = compare_text(at->name, next->name);
    next->count += order > 0 ? 3 : order < 0 ? -2 : at->count / 2;
    sum = at->rule(sum, (uint64_t)next->count);
    note(sum);
    if (order > 0) copy_text(next->name, at->name);
    at = next;
  }
  return sum;
}

static uint64_t sort_words(void) {
  uint64_t sum = 0;
  for (int i = 0; i < WORDS; ++i) words[i] = (uint32_t)random_word();
  for (int i = 1; i < WORDS; ++i) {
    for (int j = i; j > 0 && words[j - 1] > words[j]; --j) {
      uint32_t kept = words[j];
      words[j] = words[j - 1], words[j - 1] = kept;
    }
  }
  for (int i = 0; i < WORDS; ++i) sum = sum * 31 + words[i];
  return sum;
}

static void run(void) {
  uint64_t walked = 0, sorted = 0;
  make_records();
  for (int round = 0; round < ROUNDS; ++round) {
    walked = walked * 33 + walk_records();
    sorted = sorted * 33 + sort_words();
  }
  print_hex("records ", walked);
  print_hex("sorted ", sorted);
}
