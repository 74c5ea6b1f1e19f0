// SPDX-License-Identifier: BSD-3-Clause
// opened.so: a library that a program opens while it runs, with functions that note what they take.
#include "../work.h"

FUNCTION static void opened_inner(struct measure *m, callback *back) {
  enter(m, "opened_inner");
  busy(9000);
  back(m, 7000);
  busy(4000);
  leave(m);
}

void run(struct measure *m, callback *back) {
  enter(m, "run");
  busy(6000);
  opened_inner(m, back);
  leaf(m, 8000);
  leave(m);
}
