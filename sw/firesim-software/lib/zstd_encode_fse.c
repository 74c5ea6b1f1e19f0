// SPDX-License-Identifier: BSD-3-Clause
// ZStd in software: tables of finite state entropy for who writes.
#include "zstd_encoder.h"

static void make(struct zstd_fse *made) {
  uint8_t owners[512];
  uint16_t nexts[64];
  unsigned reached = 0;
  zstd_spread(owners, made->shares, made->symbols, made->log);
  for (unsigned s = 0; s < made->symbols; s++) {
    made->bases[s] = nexts[s] = (uint16_t)reached;
    reached += made->shares[s] < 0 ? 1 : (unsigned)made->shares[s];
  }
  for (unsigned i = 0; i < 1U << made->log; i++) {
    made->states[nexts[owners[i]]++] = (uint16_t)((1U << made->log) + i);
  }
}

void zstd_fse_default(struct zstd_fse *made, enum zstd_table table) {
  made->log = ZSTD_DEFAULT_LOG(table);
  made->symbols = zstd_default_counts(made->shares, table);
  make(made);
}

static unsigned choose_log(unsigned total, unsigned last, unsigned most) {
  const unsigned few = total > 8 ? zstd_log2(total - 1) - 2 : 0;
  const unsigned by_total = zstd_log2(total) + 1, by_last = zstd_log2(last) + 2;
  const unsigned needed = by_total < by_last ? by_total : by_last;
  unsigned log = few < most ? few : most;
  if (log < needed) log = needed;
  if (log < 5) log = 5;
  return log < most ? log : most;
}

// Takes `over` states away, one from each symbol that has several, in as many rounds as it takes.
static void shrink(struct zstd_fse *made, int over) {
  for (int least = 4; over; least = 2) {
    for (unsigned s = 0; s < made->symbols; s++) {
      if (over && made->shares[s] >= least) {
        made->shares[s]--;
        over--;
      }
    }
  }
}

void zstd_fse_of(struct zstd_fse *made, const uint32_t *counts, unsigned symbols,
                 enum zstd_table table) {
  unsigned total = 0, best = 0;
  while (!counts[symbols - 1]) symbols--;
  for (unsigned s = 0; s < symbols; s++) total += counts[s];
  made->symbols = symbols;
  made->log = choose_log(total, symbols - 1, zstd_most_logs[table]);
  const uint64_t scale = (1U << 24) / total, half = 1U << (23 - made->log);
  int missing = 1 << made->log;
  for (unsigned s = 0; s < symbols; s++) {
    const uint64_t share = (counts[s] * scale + half) >> (24 - made->log);
    made->shares[s] = (int16_t)(!counts[s] ? 0 : share ? share : 1);
    missing -= made->shares[s];
    if (made->shares[s] > made->shares[best]) best = s;
  }
  if (missing >= 0 || made->shares[best] >= -4 * missing) {
    made->shares[best] = (int16_t)(made->shares[best] + missing);
  } else {
    shrink(made, -missing);
  }
  make(made);
}

void zstd_fse_describe(const struct zstd_fse *fse, struct zstd_writer *to) {
  unsigned remaining = (1U << fse->log) + 1, width = fse->log + 1, zeros = 0;
  bool follows = false;  // a symbol without states came before
  zstd_put(to, fse->log - 5, 4);
  for (unsigned s = 0; s < fse->symbols; s++) {
    const unsigned share = (unsigned)fse->shares[s];
    if (follows && !share) {
      if (++zeros == 3) {
        zstd_put(to, 3, 2);
        zeros = 0;
      }
      continue;
    }
    if (follows) zstd_put(to, zeros, 2);
    const unsigned threshold = 1U << (width - 1), most = 2 * threshold - 1 - remaining;
    const unsigned shown = share + 1 < threshold ? share + 1 : share + 1 + most;
    zstd_put(to, shown, width - (shown < most));
    remaining -= share;
    follows = !share;
    zeros = 0;
    while (remaining < 1U << (width - 1)) width--;
  }
  zstd_pad(to);
}
