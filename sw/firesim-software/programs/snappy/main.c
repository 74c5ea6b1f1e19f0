// SPDX-License-Identifier: BSD-3-Clause
// Compresses and decompresses by the unit beside the core and in software, and compares.
#include "pages.h"
#include "program.h"
#include "runtime.h"
#include "splitmix.h"

enum { MOST = 1 << 20 };

// Words of a vocabulary of 512, the first ones more often; 2 to 9 letters.
static void fill_text(unsigned char *to, uint64_t bytes, uint64_t seed) {
  for (uint64_t i = 0; i < bytes; i++) {
    const uint64_t number = splitmix64(&seed);
    uint64_t word = (number & 511) * (number >> 9 & 511) >> 9;
    const uint64_t length = 2 + splitmix64(&word) % 8;
    for (uint64_t j = 0; j < length && i < bytes; j++) {
      to[i++] = (unsigned char)('a' + splitmix64(&word) % 26);
    }
    if (i < bytes) to[i] = ' ';
  }
}

static void fill(unsigned char *to, uint64_t bytes, const struct arguments *arguments) {
  require_choice(arguments, "kind", "text zeros noise");
  uint64_t seed = number_argument(arguments, "seed");
  if (argument_is(arguments, "kind", "text")) fill_text(to, bytes, seed);
  if (argument_is(arguments, "kind", "noise")) {
    for (uint64_t i = 0; i < bytes; i++) to[i] = (unsigned char)splitmix64(&seed);
  }
}

struct snappy_run run_operation(uint64_t operation, uintptr_t source, uint64_t bytes,
                                uintptr_t destination, uint64_t room) {
  const uint64_t begin = cycles();
  near_core_go(operation, source, bytes, destination, room);
  const struct near_core_result result = near_core_wait();
  return (struct snappy_run){result, cycles() - begin};
}

static struct snappy_run good_run(uint64_t operation, uintptr_t source, uint64_t bytes,
                                  uintptr_t destination, uint64_t room) {
  const struct snappy_run run = run_operation(operation, source, bytes, destination, room);
  if (run.result.status != NEAR_CORE_OKAY) {
    fail("the unit ended with status %u at %lx", (unsigned)run.result.status,
         near_core_fault_address());
  }
  return run;
}

// A page of the destination is taken away: the unit says which, and is right when it is back.
static void fault(const struct pages *pages, uint64_t operation, uintptr_t source, uint64_t bytes,
                  unsigned char *to, uint64_t room) {
  uint64_t *const entry = page_entry(pages, (uintptr_t)to + 4096);
  const uint64_t kept = *entry;
  *entry = 0;
  near_core_translate(pages->satp, false);
  const struct snappy_run run =
      run_operation(operation, source, bytes, (uintptr_t)to + PAGES_OFFSET, room);
  const uint64_t at = near_core_fault_address() - PAGES_OFFSET;
  print("fault status=%u page=%d\n", (unsigned)run.result.status,
        (int)(at >> 12) - (int)((uintptr_t)to >> 12));
  *entry = kept;
  near_core_translate(pages->satp, false);
}

int main(int hart, const struct arguments *arguments) {
  (void)hart;
  if (snappy_cases.count) {
    run_cases();
    return 0;
  }
  const uint64_t bytes = number_argument(arguments, "bytes"), room = 32 + bytes + bytes / 6;
  if (bytes > MOST) fail("bytes: found %lu, expected at most %u", bytes, MOST);
  unsigned char *const input = firesim_heap(bytes + 8), *const back = firesim_heap(bytes + 8);
  unsigned char *const made = firesim_heap(room), *const software = firesim_heap(room);
  uint32_t *const table = firesim_heap(sizeof(uint32_t) << 14);
  fill(input, bytes, arguments);
  const unsigned window = (unsigned)number_argument(arguments, "window");
  const unsigned hash = (unsigned)number_argument(arguments, "hash");
  const bool translates = number_argument(arguments, "translate");
  const uintptr_t offset = translates ? PAGES_OFFSET : 0;
  const uint64_t cache = number_argument(arguments, "cached") ? NEAR_CORE_CACHED : 0;
  near_core_latency(number_between(arguments, "latency", 0, UINT16_MAX) | cache);
  struct pages pages = {0};
  if (translates) pages = make_pages();
  near_core_translate(pages.satp, false);

  const uint64_t begin = cycles();
  const size_t soft = snappy_compress(input, bytes, software, table);
  const uint64_t soft_compression = cycles() - begin;
  const struct snappy_run compression =
      good_run(snappy_compression(window, hash), (uintptr_t)input + offset, bytes,
               (uintptr_t)made + offset, room);
  const uint64_t size = compression.result.bytes;
  const uint64_t middle = cycles();
  if (snappy_decompress(made, size, back, bytes) != (int64_t)bytes) fail("software refuses it");
  const uint64_t soft_decompression = cycles() - middle;
  const uint64_t operation = snappy_decompression(window);
  if (translates && bytes >= 3 * 4096) {
    fault(&pages, operation, (uintptr_t)made + offset, size, back, bytes);
  }
  for (uint64_t i = 0; i < bytes; i++) back[i] = 0;
  const struct snappy_run decompression =
      good_run(operation, (uintptr_t)made + offset, size, (uintptr_t)back + offset, bytes);
  for (uint64_t i = 0; i < bytes; i++) {
    if (back[i] != input[i]) fail("byte %lu is another one", i);
  }
  print("snappy bytes=%lu compressed=%lu by_software=%lu\n", bytes, size, soft);
  print("cycles compress=%lu by_software=%lu decompress=%lu by_software=%lu\n", compression.cycles,
        soft_compression, decompression.cycles, soft_decompression);
  return 0;
}
