// SPDX-License-Identifier: BSD-3-Clause
// Prints what a program noted of itself; see measure.h.
#include "../measure.h"
#include "system.h"
#include "text.h"

static void append_path(struct text *text, const struct measure *m, int node) {
  if (m->nodes[node].parent != 0) {
    append_path(text, m, m->nodes[node].parent);
    append(text, ";");
  }
  append(text, m->nodes[node].name);
}

void tell(const struct measure *m, const char *who) {
  char line[256];
  for (int i = 1; i <= m->used; i++) {
    struct text text = {.data = line, .room = sizeof line};
    append(&text, "truth ");
    append(&text, who);
    append(&text, " ");
    append_path(&text, m, i);
    append(&text, " ");
    append_number(&text, m->nodes[i].cycles);
    append(&text, "\n");
    write_some(1, line, text.used);
  }
}
