// SPDX-License-Identifier: BSD-3-Clause
// A program with more pages than frames, and the memory blade that has the others.
#include "blade.h"
#include "net.h"
#include "pager.h"
#include "pfa.h"
#include "runtime.h"
#include "work.h"

static void report(uint64_t taken, struct pager_counts from, struct pager_counts to) {
  print("paging cycles=%lu fetched=%lu evicted=%lu traps=%lu handling=%lu polling=%lu\n", taken,
        to.fetched - from.fetched, to.evicted - from.evicted, to.traps - from.traps,
        to.handling_cycles - from.handling_cycles, to.polling_cycles - from.polling_cycles);
  print("paging managed=%lu management=%lu walks=%lu missed=%lu waited=%lu repeated=%lu\n",
        to.managed - from.managed, to.management_cycles - from.management_cycles,
        to.walks - from.walks, to.walks_missed - from.walks_missed,
        to.walk_wait_cycles - from.walk_wait_cycles, to.repeated - from.repeated);
}

static void run_client(struct net *net, const struct arguments *arguments) {
  require_choice(arguments, "mode", "hardware software");
  const uint64_t pages = number_between(arguments, "pages", 1, MOST_PAGES);
  const uint64_t batch = number_between(arguments, "batch", 1, PFA_EVICTIONS);
  const struct pager_settings settings = {
      .hardware = argument_is(arguments, "mode", "hardware"),
      .pages = pages,
      // Two batches are on their way, and a page must stay while its instruction is tried again.
      .frames = number_between(arguments, "local", 2 * batch + 2, 2 * MOST_PAGES),
      .batch = batch,
      .timeout_cycles = number_between(arguments, "timeout", 1, UINT32_MAX),
      .tries = number_between(arguments, "tries", 1, 255),
      .polls = number_argument(arguments, "polls"),
  };
  const struct work *const work = chosen_work(arguments, pages);
  net->peer = mac_argument(arguments, "peer");
  pager_start(&settings, net);
  pager_run(work->prepare, 0);
  pager_settle();
  const struct pager_counts before = pager_counts();
  const uint64_t begin = cycles();
  const uint64_t wrong = pager_run(work->run, 0);
  const uint64_t taken = cycles() - begin;
  pager_settle();
  const struct pager_counts after = pager_counts();
  report(taken, before, after);
  const uint64_t digest = pager_run(work->check, 0);
  print("paging digest=%lx wrong=%lu\n", digest, wrong);
  net_send(net, MESSAGE_BYE, 0, 0);
  if (wrong) fail("%lu wrong values", wrong);
}

int main(int hart, const struct arguments *arguments) {
  (void)hart;
  struct net net;
  require_choice(arguments, "role", "client blade");
  net_start(&net, arguments);
  if (argument_is(arguments, "role", "blade")) {
    serve_pages(&net, number_between(arguments, "pages", 1, MOST_PAGES));
  } else {
    run_client(&net, arguments);
  }
  return 0;
}
