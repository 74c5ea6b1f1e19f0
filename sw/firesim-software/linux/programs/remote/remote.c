// SPDX-License-Identifier: BSD-3-Clause
// remote: the works of the bare-metal program `paging` in memory whose pages are on a memory blade.
// It maps /dev/remote-memory where that program has its pages, and prints what that one prints.
//
// Usage: remote peer=MAC [mode=hardware|software] [work=quicksort|genome|touch] [pages=512]
//        [local=256] [batch=4] [kmers=1024] [rounds=4] [seed=1] [timeout=100000] [tries=50] [end=1]
//
// The region of interest begins before the memory is mapped. With end=1 the memory blade ends when
// all is done.
#include "remote.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../cycles.h"
#include "arguments.h"
#include "console.h"
#include "pager.h"
#include "pfa.h"
#include "remote_memory.h"
#include "work.h"

#define DEVICE "/dev/remote-memory"
enum { COMMAND_BYTES = 512 };

const char firesim_default_arguments[] =
    "mode=hardware work=quicksort pages=512 local=256 batch=4 kmers=1024 rounds=4 seed=1 "
    "timeout=100000 tries=50 end=1 peer=";

static void need(bool good, const char *what) {
  if (!good) fail("%s: %s", what, strerror(errno));
}

static struct remote_memory_setup setup_of(const struct arguments *arguments, uint64_t pages) {
  return (struct remote_memory_setup){
      .peer = mac_argument(arguments, "peer"),
      .hardware = argument_is(arguments, "mode", "hardware"),
      .frames = (uint32_t)number_between(arguments, "local", 1, pages),
      .batch = (uint32_t)number_argument(arguments, "batch"),
      .timeout_cycles = (uint32_t)number_argument(arguments, "timeout"),
      .tries = (uint32_t)number_argument(arguments, "tries"),
  };
}

static struct remote_memory_counts counts_of(int device) {
  struct remote_memory_counts counts;
  need(ioctl(device, REMOTE_MEMORY_COUNTS, &counts) == 0, "counts");
  return counts;
}

static void report(uint64_t taken, const struct remote_memory_counts *from,
                   const struct remote_memory_counts *to) {
#define MORE(name) (unsigned long)(to->name - from->name)
  print("paging cycles=%lu fetched=%lu evicted=%lu traps=%lu handling=%lu polling=%lu\n", taken,
        MORE(fetched), MORE(evicted), MORE(traps), MORE(handling_cycles), MORE(polling_cycles));
  print("paging managed=%lu management=%lu walks=%lu missed=%lu waited=%lu repeated=%lu\n",
        MORE(managed), MORE(management_cycles), MORE(walks), MORE(walks_missed),
        MORE(walk_wait_cycles), MORE(repeated));
#undef MORE
}

// Returns what went wrong in the memory.
static uint64_t work_in(int device, const struct work *work) {
  work->prepare(0);
  const struct remote_memory_counts before = counts_of(device);
  const uint64_t begin = cycle_count();
  const uint64_t wrong = work->run(0);
  const uint64_t taken = cycle_count() - begin;
  const struct remote_memory_counts after = counts_of(device);
  report(taken, &before, &after);
  print("paging digest=%lx wrong=%lu\n", work->check(0), wrong);
  return wrong;
}

int main(int argc, char **words) {
  static char given[COMMAND_BYTES];
  for (int i = 1; i < argc; i++) {
    if (strlen(given) + strlen(words[i]) + 2 > sizeof given) fail("too many words");
    strcat(strcat(given, i == 1 ? "" : " "), words[i]);
  }
  const struct arguments arguments = {given, firesim_default_arguments};
  check_arguments(&arguments);
  require_choice(&arguments, "mode", "hardware software");
  const uint64_t pages = number_between(&arguments, "pages", 1, MOST_PAGES);
  const size_t bytes = ((pages << PAGE_BITS) + REMOTE_MEMORY_UNIT - 1) & ~(REMOTE_MEMORY_UNIT - 1);
  const struct work *const work = chosen_work(&arguments, pages);
  const struct remote_memory_setup setup = setup_of(&arguments, pages);
  __asm__ volatile(".word 0x00008013");  // the region of interest begins
  const int device = open(DEVICE, O_RDWR);
  need(device >= 0, DEVICE);
  need(ioctl(device, REMOTE_MEMORY_SETUP, &setup) == 0, "set-up");
  void *const memory =
      mmap((void *)PAGED_BASE, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, device, 0);
  need(memory == (void *)PAGED_BASE, "mapping");
  const uint64_t wrong = work_in(device, work);
  need(munmap(memory, bytes) == 0, "unmapping");
  close(device);
  // The driver has had the last word with the memory blade.
  if (number_argument(&arguments, "end")) say_good_bye(words + 1);
  if (wrong) fail("%lu wrong values", wrong);
  fflush(stdout);
  return 0;
}
