// SPDX-License-Identifier: BSD-3-Clause
// reopened.so: what a program opens in the place of opened.so, and finds where that one was.
#include "../work.h"

FUNCTION static void reopened_last(struct measure *m, callback *back) {
  enter(m, "reopened_last");
  busy(11000);
  back(m, 5000);
  leave(m);
}

FUNCTION static void reopened_inner(struct measure *m, callback *back, int depth) {
  enter(m, "reopened_inner");
  busy(5000);
  if (depth > 0) {
    reopened_inner(m, back, depth - 1);
  } else {
    reopened_last(m, back);
  }
  busy(3000);
  leave(m);
}

void run(struct measure *m, callback *back) {
  enter(m, "run");
  busy(7000);
  reopened_inner(m, back, 2);
  leave(m);
}
